// Shortest paths over the residues of the smallest number.
#include <algorithm>
#include <functional>
#include <iostream>
#include <numeric>
#include <queue>
#include <vector>
using namespace std;
typedef long long ll;
typedef __int128 lll;

// inverse returns u with a u = 1 modulo m.
ll inverse(ll a, ll m) {
    ll u = 1, v = 0, r = a, q = m;
    while (q) {
        ll d = r / q;
        r -= d * q; swap(r, q);
        u -= d * v; swap(u, v);
    }
    return (u % m + m) % m;
}

bool two(ll a, ll b, ll x) {
    ll g = __gcd(a, b);
    if (x % g) return false;
    a /= g; b /= g; x /= g;
    if (a == 1) return true;
    ll j = (lll)(x % a) * inverse(b % a, a) % a;
    return (lll)j * b <= x;
}

bool many(const vector<ll> &a, ll x) {
    ll m = a[0];
    vector<ll> dist(m, -1);
    priority_queue<ll, vector<ll>, greater<ll>> heap;
    heap.push(0);
    while (!heap.empty()) {
        ll d = heap.top();
        heap.pop();
        if (d > x) break;
        if (dist[d % m] >= 0) continue;
        dist[d % m] = d;
        for (size_t i = 1; i < a.size(); i++)
            if (dist[(d + a[i]) % m] < 0) heap.push(d + a[i]);
    }
    ll w = dist[x % m];
    return w >= 0 && w <= x;
}

bool is_sum(vector<ll> a, ll x) {
    sort(a.begin(), a.end());
    a.erase(unique(a.begin(), a.end()), a.end());
    if (x == 0) return true;
    if (a.empty()) return false;
    if (a.size() == 1) return x % a[0] == 0;
    if (a.size() == 2) return two(a[0], a[1], x);
    return many(a, x);
}

int main() {
    int k;
    cin >> k;
    vector<ll> a(k);
    for (ll &v : a) cin >> v;
    ll x;
    cin >> x;
    cout << (x == 1 || is_sum(a, x) ? "ILLEGAL" : "LEGAL") << endl;
}
