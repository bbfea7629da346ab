#include <iostream>
#include <utility>
using namespace std;
typedef long long num;

num low(num k) {
    num a = k * 1.618033988749895;
    while ((__int128)a * a > (__int128)k * (a + k)) a--;
    return a;
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
