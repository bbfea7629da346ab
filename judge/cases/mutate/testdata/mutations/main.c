#include <stdio.h>

static int values[100], n;

int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }

int main(void) {
    scanf("%d", &n);
    for (int i = 0; i < n; i++) scanf("%d", &values[i]);
    long long sum = 0;
    int *p = values;
    do {
        sum += (long long)*p * gcd(*p, n);
        if (sum & 1) break;
        p++;
    } while (p - values < n);
    printf("%lld %.3f\n", sum, 0.5 * n);
    return 0;
}
