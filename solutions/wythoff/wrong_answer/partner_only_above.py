from math import isqrt


def low(k):
    return (k + isqrt(5 * k * k)) // 2


i, j = map(int, input().split())
swap = i > j
if swap:
    i, j = j, i
a = low(j - i)
if a == i:
    print("lost")
    exit()
if a < i:
    b = a + j - i
else:
    # the partner of i is i * phi, rounded up
    a, b = i, low(i) + (i > 0)
print(b, a) if swap else print(a, b)
