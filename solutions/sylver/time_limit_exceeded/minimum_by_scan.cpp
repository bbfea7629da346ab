// Dijkstra that looks through all residues for the next one.
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
    vector<char> done(m);
    w[0] = 0;
    for (ll i = 0; i < m; i++) {
        ll r = -1;
        for (ll s = 0; s < m; s++)
            if (!done[s] && (r < 0 || w[s] < w[r])) r = s;
        done[r] = true;
        for (ll n : a) w[(r + n) % m] = min(w[(r + n) % m], w[r] + n);
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
