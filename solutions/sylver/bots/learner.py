from math import log, sqrt


class Learner:
    """Remembers who won after which number, and announces what won most often.

    It tries a few small numbers in turn. Of each game, its own or not, it learns for
    each small number how often the one who announced it won, separately for the two
    smallest numbers announced before. What it has seldom seen it believes to be good, so that
    everything is tried (the rule is UCB1).
    """

    CHOICES = range(2, 40)

    def __init__(self, id):
        self.id = id
        self.won = {}
        self.seen = {}
        self.games = 1

    def key(self, numbers, n):
        small = sorted(a for a in numbers if a < 40)
        return (tuple(small[:2]), n)

    def announce(self, numbers):
        sums = [True] + [False] * 39
        for x in range(1, 40):
            sums[x] = any(a <= x and sums[x - a] for a in numbers)
        legal = [n for n in self.CHOICES if not sums[n]]
        if not legal:
            return 1  # 2 and 3 were announced: lost
        if not numbers:
            return 9  # some rules forbid a prime here
        return max(legal, key=lambda n: self.value(self.key(numbers, n)))

    def value(self, key):
        seen = self.seen.get(key, 0)
        if seen == 0:
            return 2 + 1 / key[1]
        return self.won.get(key, 0) / seen + sqrt(log(self.games) / seen) / 2

    def learn(self, first_id, second_id, numbers):
        # Who announced the last number lost. The first two numbers may have been
        # drawn; counting from the end says whose a number was all the same.
        self.games += 1
        for i, n in enumerate(numbers):
            if n in self.CHOICES:
                key = self.key(numbers[:i], n)
                self.seen[key] = self.seen.get(key, 0) + 1
                if (len(numbers) - 1 - i) % 2 == 1:
                    self.won[key] = self.won.get(key, 0) + 1
