#include <iostream>
#include <vector>
using namespace std;

int main() {
    size_t i, j;
    cin >> i >> j;
    vector<vector<bool>> lost(100, vector<bool>(100, true));
    vector<vector<pair<int, int>>> move(100, vector<pair<int, int>>(100, {-1, -1}));
    for (int a = 0; a < 100; a++)
        for (int b = 0; b < 100; b++) {
            if (!lost[a][b]) continue;
            for (int t = 1; t < 100; t++)
                for (auto [x, y] : {pair{a + t, b}, pair{a, b + t}, pair{a + t, b + t}})
                    if (x < 100 && y < 100) lost[x][y] = false, move[x][y] = {a, b};
        }
    auto [a, b] = move.at(i).at(j);
    cout << a << " " << b << endl;
}
