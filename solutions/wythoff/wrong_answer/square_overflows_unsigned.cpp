#include <cmath>
#include <iostream>
#include <utility>
using namespace std;
typedef long long num;

num root(unsigned long long n) {
    num r = sqrtl(n);
    while ((unsigned long long)r * r > n) r--;
    while ((unsigned long long)(r + 1) * (r + 1) <= n) r++;
    return r;
}

num low(num k) { return (k + root(5ULL * k * k)) / 2; }

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
        cout << "-1 -1" << endl;
        return 0;
    }
    if (a > i) a = i, b = partner(i);
    if (swapped) swap(a, b);
    cout << a << " " << b << endl;
}
