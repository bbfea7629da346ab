class Ender:
    """Plays the end of the game without a mistake, and before that at random.

    The end begins when at most END numbers are legal: then it looks through every
    continuation. Until then it announces a prime or, when there are finitely many
    legal numbers, one of the largest, which keeps the game long.
    """

    END = 22
    PRIMES = [5, 7, 11, 13]

    def __init__(self):
        self.known = {}

    def nextMove(self, moves, gaps):
        legal = [n for n in gaps if n > 1]
        if gaps and not legal:
            return 1
        if legal and len(legal) <= self.END:
            return self.winning(frozenset(legal)) or legal[-1]
        for said, answer in ((2, 3), (3, 2)):
            if said in moves and all(answer % n for n in moves):
                return answer  # nothing but 1 is left
        if legal:
            return legal[-1 - len(moves) % 2]
        if not moves:
            return 5
        for p in self.PRIMES:
            if p < min(moves) and all(n % p for n in moves):
                return p
        return self.unreached(moves)

    def winning(self, legal):
        """A number after which the other player loses, None if there is none."""
        if legal not in self.known:
            self.known[legal] = None
            for n in sorted(legal, reverse=True):
                left = self.after(legal, n)
                if not left or self.winning(left) is None:
                    self.known[legal] = n  # with nothing left, the other must say 1
                    break
        return self.known[legal]

    @staticmethod
    def after(legal, n):
        """The legal numbers that are left when n has been announced: x is gone
        if taking n away from it once or more leads to 0 or to a sum."""
        left = set(legal)
        for x in legal:
            rest = x - n
            while rest >= 0:
                if rest == 0 or rest not in legal and rest != 1:
                    left.discard(x)
                    break
                rest -= n
        return frozenset(left)

    @staticmethod
    def unreached(moves):
        """A small number that is no sum of the moves: infinitely many are legal."""
        sums, n = {0}, 0
        while True:
            n += 1
            if any(n - a in sums for a in moves):
                sums.add(n)
            elif n > 3:
                return n
