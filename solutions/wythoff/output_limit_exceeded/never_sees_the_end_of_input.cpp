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
    for (;;) {
        cin >> i >> j;
        ll x = -1, y = -1;
        for (ll t = 1; t <= i || t <= j; t++) {
            if (t <= i && cold(i - t, j)) x = i - t, y = j;
            if (t <= j && cold(i, j - t)) x = i, y = j - t;
            if (t <= i && t <= j && cold(i - t, j - t)) x = i - t, y = j - t;
        }
        cout << x << " " << y << "\n";
    }
}
