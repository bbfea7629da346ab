#include <iostream>
using namespace std;
typedef long long ll;

// one lost position after the other, without a table
int main() {
    ll i, j;
    cin >> i >> j;
    ll a = 0;
    for (ll k = 0; a <= i || a <= j; k++) {
        a = a > 0 ? a : 0;
        while ((__int128)(a + 1) * (a + 1) <= (__int128)k * (k + a + 1)) a++;
        ll b = a + k;
        for (int turn = 0; turn < 2; turn++, swap(a, b))
            if (a <= i && b <= j && (a < i || b < j) && (a == i || b == j || i - a == j - b)) {
                cout << a << " " << b << endl;
                return 0;
            }
    }
    cout << "lost" << endl;
}
