import sys
from math import isqrt


def low(k):
    return (k + isqrt(5 * k * k)) // 2


def partner(n):
    k = low(n) - n
    return n + k + 1 if low(k + 1) == n else k


i, j = map(int, input().split())
take = min(i, j) - low(abs(i - j))
if take == 0:
    print("lost")
    sys.exit(1)
if take > 0:
    print(i - take, j - take)
elif i < j:
    print(i, partner(i))
else:
    print(partner(j), j)
