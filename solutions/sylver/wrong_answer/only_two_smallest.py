# Larger numbers cannot help.
from math import gcd

k, *nums = map(int, input().split())
x = int(input())
nums = sorted(set(nums))


def is_sum(x):
    if x <= 1:
        return True
    if not nums:
        return False
    if x in nums:
        return True
    if len(nums) == 1:
        return x % nums[0] == 0
    a, b = nums[0], nums[1]
    g = gcd(a, b)
    if x % g:
        return False
    a, b, x = a // g, b // g, x // g
    return x * pow(b, -1, a) % a * b <= x


print("ILLEGAL" if is_sum(x) else "LEGAL")
