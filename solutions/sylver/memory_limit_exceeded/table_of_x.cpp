// A table of all numbers up to x.
#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int k;
    scanf("%d", &k);
    vector<long long> a(k);
    for (auto &v : a) scanf("%lld", &v);
    long long x;
    scanf("%lld", &x);
    vector<char> sum(x + 1, 0);
    sum[0] = 1;
    for (long long v : a)
        for (long long s = v; s <= x; s++) sum[s] |= sum[s - v];
    puts(x == 1 || sum[x] ? "ILLEGAL" : "LEGAL");
}
