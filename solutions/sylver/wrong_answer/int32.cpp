// int where long long is needed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
using namespace std;

int main() {
    int k;
    scanf("%d", &k);
    vector<int> a(k);
    for (int i = 0; i < k; i++) {
        long long v;
        scanf("%lld", &v);
        a[i] = v;
    }
    long long t;
    scanf("%lld", &t);
    int x = t;
    if (x == 0 || x == 1) { puts("ILLEGAL"); return 0; }
    if (k == 0) { puts("LEGAL"); return 0; }
    int m = abs(*min_element(a.begin(), a.end()));
    if (m == 0) { puts("LEGAL"); return 0; }
    if (m > 1000000) { puts(x % m ? "LEGAL" : "ILLEGAL"); return 0; }
    vector<int> w(m, 2000000000);
    w[0] = 0;
    for (int n : a)
        for (int c = 0, d = __gcd(abs(n), m); c < d; c++)
            for (int i = 0, r = c; i < 2 * (m / d); i++) {
                int s = ((r + n) % m + m) % m;
                w[s] = min(w[s], (int)min(2000000000LL, (long long)w[r] + n));
                r = s;
            }
    puts(w[(x % m + m) % m] <= x ? "ILLEGAL" : "LEGAL");
}
