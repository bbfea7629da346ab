# Breadth first over the residues: the fewest numbers, not the least sum.
from collections import deque
from math import gcd


def two(a, b, x):
    g = gcd(a, b)
    if x % g:
        return False
    a, b, x = a // g, b // g, x // g
    return x * pow(b, -1, a) % a * b <= x


def many(nums, x):
    m = nums[0]
    w = [-1] * m
    w[0] = 0
    queue = deque([0])
    while queue:
        r = queue.popleft()
        for n in nums[1:]:
            s = (r + n) % m
            if w[s] < 0:
                w[s] = w[r] + n
                queue.append(s)
    return 0 <= w[x % m] <= x


k, *nums = map(int, input().split())
x = int(input())
nums = sorted(set(nums))
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
