from math import isqrt


def low(k):
    return (k + isqrt(5 * k * k)) // 2


i, j = map(int, input().split())
d = abs(i - j)
a = low(d)
small = min(i, j)
if a == small:
    print("lost")
elif a < small:
    take = small - a
    print(i - take, j - take)
else:
    # keep the smaller pile and look for what goes with it
    k = low(small) - small
    for m in (k, k + 1):
        if low(m) == small:
            other = small + m
            break
    else:
        other = k
    if i < j:
        print(i, other)
    else:
        print(other, j)
