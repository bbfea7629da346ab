from math import isqrt


def low(k):
    return (k + isqrt(5 * k * k)) // 2


i, j = map(int, input().split())


def partner(n):
    k = low(n) - n + 1
    return n + k if low(k) == n else max(k - 1, 0)


if i == j or partner(i) == j:
    print("lost")
elif partner(i) < j:
    print(i, partner(i))
elif partner(j) < i:
    print(partner(j), j)
else:
    t = min(i, j) - low(abs(i - j))
    print(i - t, j - t)
