from math import isqrt


def low(k):
    return (k + isqrt(5 * k * k)) // 2


i, j = (int(word[0]) for word in input().split())


def partner(n):
    k = low(n) - n + 1
    return n + k if low(k) == n else max(k - 1, 0)


t = min(i, j) - low(abs(i - j))
if t == 0:
    print("lost")
elif t > 0:
    print(i - t, j - t)
elif partner(i) < j:
    print(i, partner(i))
else:
    print(partner(j), j)
