from math import isqrt

for _ in range(int(input())):
    i, j = map(int, input().split())
    d = abs(i - j)
    a = (d + isqrt(5 * d * d)) // 2
    print("lost" if a == min(i, j) else "won")
