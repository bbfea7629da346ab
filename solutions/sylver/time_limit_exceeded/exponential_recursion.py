# Every multiple of the largest number, then of the next: no memory.
from math import gcd

k, *nums = map(int, input().split())
x = int(input())
nums.sort()


def is_sum(x, i):
    if i == 0:
        return x % nums[0] == 0
    for rest in range(x, -1, -nums[i]):
        if is_sum(rest, i - 1):
            return True
    return False


def legal(x):
    if x <= 1:
        return False
    if not nums:
        return True
    g = 0
    for n in nums:
        g = gcd(g, n)
    return x % g != 0 or not is_sum(x, len(nums) - 1)


print("LEGAL" if legal(x) else "ILLEGAL")
