#include <algorithm>
#include <iostream>
#include <string>
#include <vector>
using namespace std;

struct Command {
    string who, what, y;
    long long n = 0;
    char x = 0;
};

struct Player {
    string name;
    vector<Command> commands;
    string history;
    vector<int> defections{0};
    short score = 0;
};

int turns, x = 12;
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

bool majority(const Player& p, long long window, char action) {
    int played = p.history.size();
    int from = max(0LL, played - window);
    int total = played - from;
    int d = p.defections[played] - p.defections[from];
    int count = action == 'D' ? d : total - d;
    return count * 2 > total;
}

bool holds(const Command& c, const Player& me, const Player& opp) {
    if (c.who == "*") return true;
    if (c.who == "START") return me.history.empty();
    const Player& who = c.who == "ME" ? me : opp;
    const Player& other = c.who == "ME" ? opp : me;
    if (c.what == "-1") return !who.history.empty() && who.history.back() == c.x;
    if (c.what == "MAX") return majority(who, turns, c.x);
    if (c.what == "LAST") return majority(who, c.n, c.x);
    return who.score > other.score;
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

void record(Player& p, char mine, char other) {
    if (mine == 'C' && other == 'C') p.score += 2;
    if (mine == 'D' && other == 'D') p.score += 1;
    if (mine == 'D' && other == 'C') p.score += 3;
    p.history += mine;
    p.defections.push_back(p.defections.back() + (mine == 'D'));
}

int main() {
    ios::sync_with_stdio(false);
    cin >> turns;
    for (Player& p : player) {
        int n;
        cin >> n >> p.name;
        for (int i = 0; i < n; i++) p.commands.push_back(readCommand());
    }
    for (int t = 0; t < turns; t++) {
        char a = choose(player[0], player[1]);
        char b = choose(player[1], player[0]);
        record(player[0], a, b);
        record(player[1], b, a);
    }
    if (player[0].score > player[1].score) cout << player[0].name << endl;
    else if (player[0].score < player[1].score) cout << player[1].name << endl;
    else cout << "DRAW" << endl;
}
