from math import isqrt

i, j = map(int, input().split())
d = abs(i - j)
print("lost" if (d + isqrt(5 * d * d)) // 2 == min(i, j) else "won")
