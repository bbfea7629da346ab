# 6 and 6 count as two different numbers; their gcd is not looked at.
from math import gcd


def two(a, b, x):
    g = gcd(a, b) if a != b else 1
    if x % g:
        return False
    a, b, x = a // g, b // g, x // g
    return x > a * b - a - b or g > 1 and x * pow(b, -1, a) % a * b <= x or g == 1 and gcd(a, b) == 1 and x * pow(b, -1, a) % a * b <= x


def many(nums, x):
    m = nums[0]
    w = [x + 1] * m
    w[0] = 0
    for n in nums[1:]:
        d = gcd(n, m)
        for c in range(d):
            r = min(range(c, m, d), key=w.__getitem__)
            for _ in range(m // d - 1):
                s = (r + n) % m
                if w[r] + n < w[s]:
                    w[s] = w[r] + n
                r = s
    return w[x % m] <= x


k, *nums = map(int, input().split())
x = int(input())
nums = sorted(nums)
if x <= 1:
    illegal = True
elif len(nums) == 0:
    illegal = False
elif len(nums) == 1:
    illegal = x % nums[0] == 0
elif len(nums) == 2:
    illegal = two(*nums, x)
else:
    illegal = many(nums, x)
print("ILLEGAL" if illegal else "LEGAL")
