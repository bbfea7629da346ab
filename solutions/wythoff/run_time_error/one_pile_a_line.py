from math import isqrt

i = int(input())
j = int(input())
d = abs(i - j)
a = (d + isqrt(5 * d * d)) // 2
take = min(i, j) - a
print(i - take, j - take)
