// Everything above the table is a sum, surely.
#include <bits/stdc++.h>
using namespace std;
const int LIMIT = 2000000;
bool sum[LIMIT + 1];

int main() {
    int k;
    scanf("%d", &k);
    vector<long long> a(k);
    for (auto &v : a) scanf("%lld", &v);
    long long x;
    scanf("%lld", &x);
    long long g = 0;
    for (auto v : a) g = __gcd(g, v);
    sum[0] = true;
    for (int i = 1; i <= LIMIT; i++)
        for (auto v : a)
            if (v <= i && sum[i - v]) sum[i] = true;
    bool illegal;
    if (x == 1) illegal = true;
    else if (k == 0) illegal = x == 0;
    else if (x % g) illegal = false;
    else if (k == 1) illegal = true;
    else illegal = x > LIMIT || sum[x];
    puts(illegal ? "ILLEGAL" : "LEGAL");
}
