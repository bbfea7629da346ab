# A number that stands in the list was legal when it was announced.
from math import gcd


def two(a, b, x):
    g = gcd(a, b)
    if x % g:
        return False
    a, b, x = a // g, b // g, x // g
    return x * pow(b, -1, a) % a * b <= x


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
nums = sorted(set(nums))
if x in nums and x > 1:
    illegal = False
elif x <= 1:
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
