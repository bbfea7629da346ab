// Believes that two numbers always are coprime, as in the tournament.
#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;
typedef long long ll;

ll inverse(ll a, ll m) {
    ll u = 1, v = 0, r = a, q = m;
    while (q) {
        ll d = r / q;
        r -= d * q; swap(r, q);
        u -= d * v; swap(u, v);
    }
    return (u % m + m) % m;
}

int main() {
    int k;
    cin >> k;
    vector<ll> a(k);
    for (auto &v : a) cin >> v;
    ll x;
    cin >> x;
    sort(a.begin(), a.end());
    bool sum = x <= 1;
    if (!sum && k == 1) sum = x % a[0] == 0;
    if (!sum && k == 2) {
        __int128 j = (__int128)x * inverse(a[1] % a[0], a[0]) % a[0];
        sum = j * a[1] <= x;
    }
    if (!sum && k > 2) {
        ll m = a[0];
        vector<ll> w(m, 2000000000000000000LL);
        w[0] = 0;
        for (ll n : a)
            for (ll i = 0, r = 0; i < 2 * m; i++) {
                ll s = (r + n) % m;
                w[s] = min(w[s], w[r] + n);
                r = s;
            }
        sum = w[x % m] <= x;
    }
    cout << (sum ? "ILLEGAL" : "LEGAL") << endl;
}
