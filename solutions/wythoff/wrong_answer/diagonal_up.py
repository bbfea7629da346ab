from math import isqrt


def low(k):
    return (k + isqrt(5 * k * k)) // 2


# the lost position with the same difference, wherever it is
i, j = map(int, input().split())
d = abs(i - j)
a = low(d)
if a == min(i, j):
    print("lost")
elif i < j:
    print(a, a + d)
else:
    print(a + d, a)
