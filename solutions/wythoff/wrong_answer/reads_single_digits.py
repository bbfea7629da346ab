from math import isqrt


def low(k):
    return (k + isqrt(5 * k * k)) // 2


line = input()
i, j = int(line[0]), int(line[2])


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
