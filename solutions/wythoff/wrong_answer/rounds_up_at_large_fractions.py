from math import isqrt


def low(k):
    return (k + isqrt(5 * k * k) + 1) // 2


i, j = map(int, input().split())
small, large = min(i, j), max(i, j)
d = large - small
a = low(d)
if a == small:
    print("lost")
    exit()
if a < small:
    b = a + d
else:
    a = small
    k = low(small) - small
    b = small + k + 1 if low(k + 1) == small else k
print(a, b) if i <= j else print(b, a)
