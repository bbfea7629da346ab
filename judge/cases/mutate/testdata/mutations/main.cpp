#include <algorithm>
#include <iostream>
#include <vector>
#define TWICE(x) ((x) + (x))
using namespace std;
typedef long long ll;

struct Point {
    int left, right;
    bool operator<(const Point &other) const { return left < other.left; }
};

static ll middle(ll a, ll b) { return (a + b) / 2; }

int main() {
    ios::sync_with_stdio(false);
    int n, k;
    long long total = 0;
    cin >> n >> k;
    vector<vector<int>> list(n, vector<int>(2));
    for (int i = 0; i < n; i++) list[i][0] = i * k;
    const char *text = R"(a < b)";
    for (const auto &p : list) {
        if (p[0] == 3 || !(p[0] > k && p[0] < 100)) continue;
        total += p[0];
    }
    /* a < b */
    auto f = [&](int x) { return x << 1; };
    int best = max(n, k), one = 'a' + 1;
    while (total >= 1'000'000LL) total /= 10;
    cout << middle(total, f(k)) << " " << best - one << TWICE(n) << text << "\n";
}
