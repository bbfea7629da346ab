#include <iostream>
using namespace std;

int main() {
    long long i, j;
    cin >> i >> j
    cout << (i == j ? "0 0" : "-1 -1") << endl;
}
