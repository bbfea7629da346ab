#include <iostream>
using namespace std;
typedef long long ll;

int main() {
    ll i, j;
    cin >> i >> j;
    // the lost positions, one after the other: b = a + k, and each number once
    static bool used[3000000];
    ll a = 0;
    for (ll k = 0; k < 1000000; k++) {
        while (used[a]) a++;
        ll b = a + k;
        used[a] = used[b] = true;
        for (int turn = 0; turn < 2; turn++) {
            ll x = turn ? b : a, y = turn ? a : b;
            if (x <= i && y <= j && (x < i || y < j) && (x == i || y == j || i - x == j - y)) {
                cout << x << " " << y << endl;
                return 0;
            }
        }
    }
    cout << "lost" << endl;
}
