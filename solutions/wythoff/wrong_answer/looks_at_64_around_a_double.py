# the test is exact, but what is tested lies around a double
from math import isqrt

PHI = (1 + 5 ** 0.5) / 2


def lost(a, b):
    k = abs(a - b)
    return min(a, b) == (k + isqrt(5 * k * k)) // 2


def move(i, j):
    k = abs(i - j)
    take = min(i, j) - (k + isqrt(5 * k * k)) // 2
    if take > 0:
        return i - take, j - take
    keep = min(i, j)
    for guess in (int(keep * PHI), int(keep / PHI)):
        for other in range(max(0, guess - 64), guess + 65):
            if other < max(i, j) and lost(keep, other):
                return (keep, other) if i < j else (other, keep)
    return None


i, j = map(int, input().split())
found = None if lost(i, j) else move(i, j)
print(*(found or ("lost",)))
