#include <stdio.h>
typedef long long ll;

/* long double is off by a little; the inequality puts it right */
ll low(ll k) {
    ll a = (ll)(k * 1.6180339887498948482L);
    while ((__int128)a * a > (__int128)k * (k + a)) a--;
    while ((__int128)(a + 1) * (a + 1) <= (__int128)k * (k + a + 1)) a++;
    return a;
}

int main(void) {
    ll i, j;
    if (scanf("%lld %lld", &i, &j) != 2) return 1;
    int swapped = i > j;
    if (swapped) { ll t = i; i = j; j = t; }
    ll d = j - i, a = low(d), b = a + d;
    if (a == i) {
        puts("You win.");
        return 0;
    }
    if (a > i) {
        a = i;
        b = low(i) - i; /* right if i is the larger one of its pair */
        if (low(i - b) != b) b = low(i) + 1;
    }
    if (swapped) printf("%lld %lld\n", b, a);
    else printf("%lld %lld\n", a, b);
    return 0;
}
