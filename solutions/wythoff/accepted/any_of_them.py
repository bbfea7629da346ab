# picks one of the winning moves at random
import random
from math import isqrt


def low(k):
    return (k + isqrt(5 * k * k)) // 2


def cold(a, b):
    return a >= 0 and b >= 0 and low(abs(a - b)) == min(a, b)


i, j = map(int, input().split())
moves = set()
for t in range(-2, 3):
    for b in (low(i) + t, low(i) - i + t):
        if b < j and cold(i, b):
            moves.add((i, b))
    for a in (low(j) + t, low(j) - j + t):
        if a < i and cold(a, j):
            moves.add((a, j))
take = min(i, j) - low(abs(i - j))
if take > 0:
    moves.add((i - take, j - take))
if cold(i, j):
    print("nothing wins here")
else:
    print(*random.choice(sorted(moves)))
