#include <iostream>
#include <vector>
using namespace std;
typedef long long ll;

int main() {
    ll i, j;
    cin >> i >> j;
    vector<pair<ll, ll>> pairs;
    ll a = 0;
    for (ll k = 0; a <= i || a <= j; k++) {
        while ((__int128)(a + 1) * (a + 1) <= (__int128)k * (k + a + 1)) a++;
        pairs.push_back({a, a + k});
    }
    for (auto [x, y] : pairs)
        for (int turn = 0; turn < 2; turn++, swap(x, y))
            if (x <= i && y <= j && (x < i || y < j) && (x == i || y == j || i - x == j - y)) {
                cout << x << " " << y << endl;
                return 0;
            }
    cout << "lost" << endl;
}
