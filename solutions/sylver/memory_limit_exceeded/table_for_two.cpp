// No closed form: two numbers get a table too, of the smaller one's size.
#include <algorithm>
#include <iostream>
#include <vector>
using namespace std;
typedef long long ll;

int main() {
    int k;
    cin >> k;
    vector<ll> a(k);
    for (auto &v : a) cin >> v;
    ll x;
    cin >> x;
    bool sum = x <= 1;
    if (!sum && k == 1) sum = x % a[0] == 0;
    if (!sum && k > 1) {
        ll m = *min_element(a.begin(), a.end());
        vector<ll> w(m, 2000000000000000000LL);
        w[0] = 0;
        for (ll n : a)
            for (ll c = 0, d = __gcd(n, m); c < d; c++)
                for (ll i = 0, r = c; i < 2 * (m / d); i++) {
                    ll s = (r + n) % m;
                    w[s] = min(w[s], w[r] + n);
                    r = s;
                }
        sum = w[x % m] <= x;
    }
    cout << (sum ? "ILLEGAL" : "LEGAL") << endl;
}
