// The two-number case in double, which has 53 bits.
#include <algorithm>
#include <cmath>
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
    a.erase(unique(a.begin(), a.end()), a.end());
    bool sum = false;
    if (x <= 1) sum = true;
    else if (a.size() == 1) sum = x % a[0] == 0;
    else if (a.size() == 2) {
        ll g = __gcd(a[0], a[1]);
        if (x % g == 0) {
            double p = a[0] / g, q = a[1] / g, y = x / g;
            double j = fmod((double)inverse(a[1] / g % (a[0] / g), a[0] / g) * fmod(y, p), p);
            sum = j * q <= y;
        }
    } else if (a.size() > 2) {
        ll m = a[0];
        vector<double> w(m, 1e30);
        w[0] = 0;
        for (ll n : a)
            for (ll c = 0, d = __gcd(n, m); c < d; c++)
                for (ll i = 0, r = c; i < 2 * m / d; i++) {
                    ll s = (r + n) % m;
                    w[s] = min(w[s], w[r] + n);
                    r = s;
                }
        sum = w[x % m] <= x;
    }
    cout << (sum ? "ILLEGAL" : "LEGAL") << endl;
}
