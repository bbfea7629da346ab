from math import isqrt


def cold(a, b):
    d = abs(a - b)
    return (d + isqrt(5 * d * d)) // 2 == min(a, b)


i, j = map(int, input().split())
if cold(i, j):
    print("lost")
    exit()
for t in range(1, max(i, j) + 1):
    for a, b in ((i - t, j), (i, j - t), (i - t, j - t)):
        if a >= 0 and b >= 0 and cold(a, b):
            print(a, b)
            exit()
