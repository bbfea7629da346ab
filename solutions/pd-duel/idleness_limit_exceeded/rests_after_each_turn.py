# Sleeps half a minute in each turn, as for an animation.
import sys
import time


def main():
    lines = iter(sys.stdin.read().splitlines())
    turns = int(next(lines))
    names, strategies = [], []
    for _ in range(2):
        n, name = next(lines).split()
        names.append(name)
        strategies.append([next(lines).split() for _ in range(int(n))])

    x = 12
    score = [0, 0]
    prev = [None, None]
    defected = [[0], [0]]  # defected[s][t]: how often s defected in the first t turns

    def majority(who, since, t, what):
        d = defected[who][t] - defected[who][since]
        return 2 * (d if what == "D" else t - since - d) > t - since

    def holds(command, s, t):
        if command[0] == "*":
            return True
        if command[0] == "START":
            return t == 0
        who = s if command[0] == "ME" else 1 - s
        kind = command[1]
        if kind == "-1":
            return prev[who] == command[2]
        if kind == "MAX":
            return majority(who, 0, t, command[2])
        if kind == "LAST":
            return majority(who, max(0, t - int(command[2])), t, command[3])
        return score[who] > score[1 - who]

    for t in range(turns):
        time.sleep(30)
        actions = []
        for s in range(2):
            for command in strategies[s]:
                if holds(command, s, t):
                    action = command[-1]
                    break
            if action == "RAND":
                x = (137 * x + 187) % 256
                action = "D" if bin(x).count("1") % 2 == 0 else "C"
            actions.append(action)
        for s in range(2):
            mine, other = actions[s], actions[1 - s]
            if mine == "C":
                score[s] += 2 if other == "C" else 0
            else:
                score[s] += 3 if other == "C" else 1
            defected[s].append(defected[s][t] + (mine == "D"))
            prev[s] = mine

    if score[0] == score[1]:
        print("DRAW")
    else:
        print(names[0] if score[0] > score[1] else names[1])


main()
