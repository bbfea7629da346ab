#include <iostream>
using namespace std;
typedef long long ll;

bool cold(ll a, ll b) {
    if (a > b) swap(a, b);
    __int128 d = b - a;
    return (__int128)a * a <= d * b && (__int128)(a + 1) * (a + 1) > d * (b + 1);
}

int main() {
    ll i, j;
    cin >> i >> j;
    if (cold(i, j)) {
        cout << "lost" << endl;
        return 0;
    }
    for (ll a = 0; a < i; a++)
        if (cold(a, j)) {
            cout << a << " " << j << endl;
            return 0;
        }
    for (ll b = 0; b < j; b++)
        if (cold(i, b)) {
            cout << i << " " << b << endl;
            return 0;
        }
    for (ll t = 1; t <= i && t <= j; t++)
        if (cold(i - t, j - t)) {
            cout << i - t << " " << j - t << endl;
            return 0;
        }
}
