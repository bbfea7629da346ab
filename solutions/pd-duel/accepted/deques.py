from collections import deque


class Window:
    """The last n actions of a player, all of them for n = None."""

    def __init__(self, n):
        self.actions = deque()
        self.n = n
        self.count = {"C": 0, "D": 0}

    def push(self, action):
        self.actions.append(action)
        self.count[action] += 1
        if self.n is not None and len(self.actions) > self.n:
            self.count[self.actions.popleft()] -= 1

    def dominated(self, action):
        return self.count[action] * 2 > len(self.actions)


class Player:
    def __init__(self):
        n, self.name = input().split()
        self.commands = [input().split() for _ in range(int(n))]
        self.windows = []
        self.reward = 0

    def window(self, words):
        n = {"MAX": None, "-1": 1}[words[1]] if words[1] != "LAST" else int(words[2])
        self.windows.append(Window(n))
        return self.windows[-1]

    def prepare(self, other):
        """Gives every condition a function of the turn."""
        self.rules = []
        for words in self.commands:
            who, rest = (self, other) if words[0] == "ME" else (other, self)
            if words[0] == "*":
                condition = lambda turn: True
            elif words[0] == "START":
                condition = lambda turn: turn == 0
            elif words[1] == "WIN":
                condition = lambda turn, who=who, rest=rest: who.reward > rest.reward
            else:
                condition = lambda turn, w=who.window(words), x=words[-2]: w.dominated(x)
            self.rules.append((condition, words[-1]))

    def choose(self, turn):
        global x
        for condition, action in self.rules:
            if condition(turn):
                if action == "RAND":
                    x = (137 * x + 187) % 256
                    action = "CD"[bin(x).count("1") % 2 == 0]
                return action

    def record(self, mine, other):
        self.reward += {"CC": 2, "CD": 0, "DC": 3, "DD": 1}[mine + other]
        for window in self.windows:
            window.push(mine)


x = 12
turns = int(input())
a = Player()
b = Player()
a.prepare(b)
b.prepare(a)
for turn in range(turns):
    y, z = a.choose(turn), b.choose(turn)
    a.record(y, z)
    b.record(z, y)
if a.reward == b.reward:
    print("DRAW")
else:
    print(max(a, b, key=lambda player: player.reward).name)
