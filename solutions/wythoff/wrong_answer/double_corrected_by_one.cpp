#include <cmath>
#include <iostream>
#include <utility>
using namespace std;
typedef long long num;

num low(num k) {
    num r = sqrt(5.0 * k * k);
    if ((__int128)r * r > (__int128)5 * k * k) r--;
    if ((__int128)(r + 1) * (r + 1) <= (__int128)5 * k * k) r++;
    return (k + r) / 2;
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
        cout << "-1 -1" << endl;
        return 0;
    }
    if (a > i) a = i, b = partner(i);
    if (swapped) swap(a, b);
    cout << a << " " << b << endl;
}
