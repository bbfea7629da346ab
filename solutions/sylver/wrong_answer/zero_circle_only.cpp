// Goes round the circle of residue 0 and forgets the gcd(n, m) - 1 others.
#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;
typedef long long ll;

bool two(ll a, ll b, ll x) {
    ll g = __gcd(a, b);
    if (x % g) return false;
    a /= g; b /= g; x /= g;
    if (a == 1) return true;
    ll u = 1, v = 0, r = b % a, q = a;
    while (q) {
        ll d = r / q;
        r -= d * q; swap(r, q);
        u -= d * v; swap(u, v);
    }
    __int128 j = (__int128)((u % a + a) % a) * x % a;
    return j * b <= x;
}

bool many(vector<ll> a, ll x) {
    ll m = a[0];
    vector<ll> w(m, 2000000000000000000LL);
    w[0] = 0;
    for (ll n : a) {
        ll r = 0;
        for (ll i = 0; i < 2 * m; i++) {
            ll s = (r + n) % m;
            w[s] = min(w[s], w[r] + n);
            r = s;
        }
    }
    return w[x % m] <= x;
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
    bool sum = x <= 1;
    if (!sum && a.size() == 1) sum = x % a[0] == 0;
    if (!sum && a.size() == 2) sum = two(a[0], a[1], x);
    if (!sum && a.size() > 2) sum = many(a, x);
    cout << (sum ? "ILLEGAL" : "LEGAL") << endl;
}
