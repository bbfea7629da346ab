# Tries every two of the numbers.
from itertools import combinations
from math import gcd


def pair(a, b, x):
    g = gcd(a, b)
    if x % g:
        return False
    a, b, x = a // g, b // g, x // g
    return x * pow(b, -1, a) % a * b <= x


k, *nums = map(int, input().split())
x = int(input())
bad = x <= 1 or any(x % n == 0 for n in nums)
bad = bad or any(pair(a, b, x) for a, b in combinations(nums, 2))
print("ILLEGAL" if bad else "LEGAL")
