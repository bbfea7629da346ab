// Dijkstra that marks a residue when it is pushed, not when it is popped.
#include <queue>
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
    vector<ll> w(m, -1);
    priority_queue<ll, vector<ll>, greater<ll>> heap;
    heap.push(0);
    w[0] = 0;
    while (!heap.empty()) {
        ll d = heap.top();
        heap.pop();
        if (d > x) break;
        for (ll n : a)
            if (w[(d + n) % m] < 0) {
                w[(d + n) % m] = d + n;
                heap.push(d + n);
            }
    }
    return w[x % m] >= 0 && w[x % m] <= x;
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
