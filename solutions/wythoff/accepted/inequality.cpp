#include <iostream>
using namespace std;
typedef long long ll;
typedef __int128 big;

// floor(k*phi) is the largest a with a*a <= k*(k+a)
ll low(ll k) {
    ll lo = 0, hi = 2 * k;
    while (lo < hi) {
        ll a = lo + (hi - lo + 1) / 2;
        if ((big)a * a <= (big)k * (k + a)) lo = a;
        else hi = a - 1;
    }
    return lo;
}

// binary search for n among the smaller and among the larger numbers of the pairs
ll partner(ll n) {
    ll lo = 0, hi = n;
    while (lo < hi) {
        ll k = lo + (hi - lo) / 2;
        if (low(k) >= n) hi = k;
        else lo = k + 1;
    }
    if (low(lo) == n) return n + lo;
    lo = 0, hi = n;
    while (lo < hi) {
        ll k = lo + (hi - lo) / 2;
        if (low(k) + k >= n) hi = k;
        else lo = k + 1;
    }
    return n - lo;
}

int main() {
    ll i, j;
    cin >> i >> j;
    ll pi = partner(i), pj = partner(j);
    if (pi == j) cout << 0 << endl; // nothing to be done
    else if (pj < i) cout << pj << " " << j << endl;
    else if (pi < j) cout << i << " " << pi << endl;
    else {
        ll d = i > j ? i - j : j - i, a = low(d);
        if (i < j) cout << a << " " << a + d << endl;
        else cout << a + d << " " << a << endl;
    }
}
