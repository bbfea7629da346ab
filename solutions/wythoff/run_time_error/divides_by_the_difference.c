#include <stdio.h>
#include <math.h>

int main(void) {
    long long i, j;
    if (scanf("%lld %lld", &i, &j) != 2) return 1;
    long long d = i < j ? j - i : i - j, n = i < j ? i : j;
    long long quotient = 1000000 * n / d;
    long long a = d * ((1 + sqrt(5)) / 2);
    if (a == n && quotient <= 1618034) puts("lost");
    else if (a < n) printf("%lld %lld\n", i - (n - a), j - (n - a));
    else if (i < j) printf("%lld %lld\n", i, (long long)(i * (sqrt(5) - 1) / 2));
    else printf("%lld %lld\n", (long long)(j * (sqrt(5) - 1) / 2), j);
    return 0;
}
