"""What bots of the SageMath project import, for those that come without it: sums of
numbers, and what is left. It has the names that they use, and is no computer algebra."""

import math


def gcd_list(integers):
    return math.gcd(*integers) if integers else 0


def PrimeFactorization(n):
    factors, p = [], 2
    while p * p <= n:
        while n % p == 0:
            factors.append(p)
            n //= p
        p += 1
    return factors + [n] if n > 1 else factors


def SetAdd(L1, L2):
    return list({a + b for a in L1 for b in L2})


class NumericalSemigroup:
    """All sums of the generators."""

    def __init__(self, generators=[]):
        if type(generators) is not list or not generators:
            raise Exception("The generators must be a list with at least one number")
        self.gens = sorted(int(g) for g in generators)
        self.multiplicity = self.gens[0]
        self.divisor = gcd_list(self.gens)
        least = self._least()
        self.AperySetWithRespectToTheMultiplicity = [w * self.divisor for w in least]
        m = len(least)
        self.gaps = sorted(x * self.divisor for r, w in enumerate(least) for x in range(r, w, m) if x > 0)
        self.FrobeniusNumber = (max(least) - m) * self.divisor
        end = self.FrobeniusNumber + 2 * self.divisor
        missing = set(self.gaps)
        self.elements = [x for x in range(0, max(end, 1), self.divisor) if x not in missing]

    def _least(self):
        gens = [g // self.divisor for g in self.gens]
        m = gens[0]
        least = [0] + [None] * (m - 1)
        for n in gens[1:]:
            for first in range(math.gcd(n, m)):
                r, best = first, None
                for _ in range(2 * (m // math.gcd(n, m))):
                    if least[r] is not None and (best is None or least[r] < best):
                        best = least[r]
                    if best is not None:
                        least[r] = best
                        best += n
                    r = (r + n) % m
        return least

    def AperySet(self, n):
        return sorted(min(x for x in range(r, self.FrobeniusNumber + n + 1 + n, n) if x in self) for r in range(n))

    def __contains__(self, x):
        if x < 0 or x % self.divisor:
            return False
        x //= self.divisor
        table = self.AperySetWithRespectToTheMultiplicity
        return table[x % len(table)] <= x * self.divisor
