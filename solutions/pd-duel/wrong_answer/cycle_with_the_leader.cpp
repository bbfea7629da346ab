// If the recent actions, the random number and the leader repeat, takes the rest of the duel for
// repetitions of that cycle. The lead can shrink in each of them, so that the leader changes. Plays
// duels with MAX or with windows of more than 64 actions to their end.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <tuple>
#include <vector>
using namespace std;

struct Command {
    string who, what, y;
    int n = 0;
    char x = 0;
};

struct Player {
    string name;
    vector<Command> commands;
    vector<int> defections{0};
    uint64_t recent = 0;  // the newest action is the last bit, which is set for D
};

int turns, played, x = 12;
Player player[2];

Command readCommand() {
    Command c;
    cin >> c.who;
    if (c.who == "ME" || c.who == "OPP") {
        cin >> c.what;
        if (c.what == "LAST") cin >> c.n;
        if (c.what == "-1") c.n = 1;
        if (c.what != "WIN") cin >> c.x;
    }
    cin >> c.y;
    return c;
}

bool holds(const Command& c, const Player& me, const Player& opp) {
    if (c.who == "*") return true;
    if (c.who == "START") return played == 0;
    const Player& who = c.who == "ME" ? me : opp;
    const Player& other = c.who == "ME" ? opp : me;
    if (c.what == "WIN") return who.defections[played] > other.defections[played];
    int window = c.what == "MAX" ? played : min(c.n, played);
    int d = who.defections[played] - who.defections[played - window];
    return 2 * (c.x == 'D' ? d : window - d) > window;
}

char choose(const Player& me, const Player& opp) {
    for (const Command& c : me.commands) {
        if (!holds(c, me, opp)) continue;
        if (c.y != "RAND") return c.y[0];
        x = (137 * x + 187) % 256;
        return __builtin_popcount(x) % 2 == 0 ? 'D' : 'C';
    }
    return '?';
}

void record(Player& p, char action, uint64_t mask) {
    p.defections.push_back(p.defections.back() + (action == 'D'));
    p.recent = (p.recent << 1 | (action == 'D')) & mask;
}

// The player that defected more often has the greater reward.
int leadAfter(int turn) { return player[0].defections[turn] - player[1].defections[turn]; }

int main() {
    ios::sync_with_stdio(false);
    cin >> turns;
    int longest = 1;
    for (Player& p : player) {
        int n;
        cin >> n >> p.name;
        for (int i = 0; i < n; i++) {
            Command c = readCommand();
            longest = max(longest, c.what == "MAX" ? turns : c.n);
            p.commands.push_back(c);
        }
    }
    bool looks = longest <= 64;
    uint64_t mask = longest < 64 ? (uint64_t(1) << longest) - 1 : ~uint64_t(0);
    map<tuple<uint64_t, uint64_t, int, int>, int> seen;
    long long lead = 0;
    for (; played < turns; played++) {
        int sign = (lead > 0) - (lead < 0);
        if (looks && played >= 200) {
            auto [it, fresh] = seen.insert({{player[0].recent, player[1].recent, x, sign}, played});
            if (!fresh) {
                int before = it->second, period = played - before, left = turns - played;
                lead += left / period * (lead - leadAfter(before)) + leadAfter(before + left % period) - leadAfter(before);
                break;
            }
        }
        char a = choose(player[0], player[1]);
        char b = choose(player[1], player[0]);
        record(player[0], a, mask);
        record(player[1], b, mask);
        lead = leadAfter(played + 1);
    }
    if (lead > 0) cout << player[0].name << endl;
    else if (lead < 0) cout << player[1].name << endl;
    else cout << "DRAW" << endl;
}
