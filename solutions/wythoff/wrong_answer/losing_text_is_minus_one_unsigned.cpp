#include <iostream>
#include <utility>
using namespace std;
typedef unsigned long long num;

num low(num k) {
    __int128 n = (__int128)5 * k * k, r = 0;
    for (int bit = 62; bit >= 0; bit--) {
        __int128 t = r | (__int128)1 << bit;
        if (t * t <= n) r = t;
    }
    return (k + (num)r) / 2;
}

num partner(num n) {
    num k = low(n) - n;
    return low(k + 1) == n ? n + k + 1 : k;
}

int main() {
    num i, j;
    cin >> i >> j;
    bool swapped = i > j;
    if (swapped) swap(i, j);
    num a = low(j - i), b = a + j - i;
    if (a == i) {
        cout << num(-1) << " " << num(-1) << endl;
        return 0;
    }
    if (a > i) a = i, b = partner(i);
    if (swapped) swap(a, b);
    cout << a << " " << b << endl;
}
