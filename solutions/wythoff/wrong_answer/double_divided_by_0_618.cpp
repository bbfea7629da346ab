#include <iostream>
#include <utility>
using namespace std;
typedef long long num;

num low(num k) { return k / 0.6180339887498949; }

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
