/* j * b is made in 32 bits. */
#include <stdio.h>
#include <stdlib.h>

static long long gcd(long long a, long long b) { return b ? gcd(b, a % b) : a; }

static int compare(const void *p, const void *q) {
    long long a = *(const long long *)p, b = *(const long long *)q;
    return (a > b) - (a < b);
}

int main(void) {
    int k;
    long long a[20], x;
    if (scanf("%d", &k) != 1) return 1;
    for (int i = 0; i < k; i++)
        if (scanf("%lld", &a[i]) != 1) return 1;
    if (scanf("%lld", &x) != 1) return 1;
    qsort(a, k, sizeof a[0], compare);
    int sum = 0;
    if (x <= 1) sum = 1;
    else if (k == 1) sum = x % a[0] == 0;
    else if (k == 2 && x % gcd(a[0], a[1]) == 0) {
        long long g = gcd(a[0], a[1]);
        int n = a[0] / g, b = a[1] / g;
        x /= g;
        for (unsigned j = 0; j < (unsigned)n && j < 100000000; j++)
            if ((x - (long long)j * b) % n == 0) {
                sum = (int)(j * b) <= x;
                break;
            }
    } else if (k > 2) {
        int m = a[0];
        unsigned *w = malloc(m * sizeof *w);
        for (int r = 0; r < m; r++) w[r] = r ? 4000000000u : 0;
        for (int i = 1; i < k; i++)
            for (long long c = 0, d = gcd(a[i], m); c < d; c++)
                for (long long t = 0, r = c; t < 2 * m / d; t++) {
                    long long s = (r + a[i]) % m;
                    unsigned v = w[r] + (unsigned)a[i];
                    if (w[r] != 4000000000u && v < w[s]) w[s] = v;
                    r = s;
                }
        sum = w[x % m] <= x;
    }
    puts(sum ? "ILLEGAL" : "LEGAL");
    return 0;
}
