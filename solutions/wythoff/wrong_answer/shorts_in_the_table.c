#include <stdio.h>
#include <math.h>

/* short is enough for piles of 99 */
static short low(short k) { return (short)((k + sqrt((short)(5 * k * k))) / 2); }

int main(void) {
    short i, j;
    if (scanf("%hd %hd", &i, &j) != 2) return 1;
    short d = i < j ? j - i : i - j, n = i < j ? i : j;
    short a = low(d), b = a + d;
    if (a == n) {
        puts("lost");
        return 0;
    }
    if (a > n) {
        a = n;
        b = low(n) - n;
        if (low(b + 1) == n) b += n + 1;
    }
    if (i < j) printf("%hd %hd\n", a, b);
    else printf("%hd %hd\n", b, a);
    return 0;
}
