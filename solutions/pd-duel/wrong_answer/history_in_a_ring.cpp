// Keeps the sums of the last 131,072 turns in a ring. A longer LAST window reads newer sums instead.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>
using namespace std;

const int RING = 1 << 17;

struct Command {
    string who, what, y;
    int n = 0;
    char x = 0;
};

struct Player {
    string name;
    vector<Command> commands;
    vector<int> defections = vector<int>(RING);  // after turn t, at t mod RING
    char previous = 0;
    int total = 0;
};

int played, x = 12;
Player player[2];

Command readCommand() {
    Command c;
    cin >> c.who;
    if (c.who == "ME" || c.who == "OPP") {
        cin >> c.what;
        if (c.what == "LAST") cin >> c.n;
        if (c.what != "WIN") cin >> c.x;
    }
    cin >> c.y;
    return c;
}

bool majority(const Player& p, int window, char action) {
    int d = p.total;
    if (window < played)
        d -= p.defections[(played - window) % RING];
    else
        window = played;
    return 2 * (action == 'D' ? d : window - d) > window;
}

bool holds(const Command& c, const Player& me, const Player& opp) {
    if (c.who == "*") return true;
    if (c.who == "START") return played == 0;
    const Player& who = c.who == "ME" ? me : opp;
    const Player& other = c.who == "ME" ? opp : me;
    if (c.what == "-1") return who.previous == c.x;
    if (c.what == "MAX") return majority(who, played, c.x);
    if (c.what == "LAST") return majority(who, c.n, c.x);
    return who.total > other.total;
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

void record(Player& p, char action) {
    p.previous = action;
    p.total += action == 'D';
    p.defections[(played + 1) % RING] = p.total;
}

int main() {
    ios::sync_with_stdio(false);
    int turns;
    cin >> turns;
    for (Player& p : player) {
        int n;
        cin >> n >> p.name;
        for (int i = 0; i < n; i++) p.commands.push_back(readCommand());
    }
    for (; played < turns; played++) {
        char a = choose(player[0], player[1]);
        char b = choose(player[1], player[0]);
        record(player[0], a);
        record(player[1], b);
    }
    // The player that defected more often has the greater reward.
    if (player[0].total > player[1].total) cout << player[0].name << endl;
    else if (player[0].total < player[1].total) cout << player[1].name << endl;
    else cout << "DRAW" << endl;
}
