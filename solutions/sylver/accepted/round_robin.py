# Apery table by the round-robin method; modular inverse for two numbers.
from math import gcd


def sum_of_two(a, b, x):
    g = gcd(a, b)
    if x % g:
        return False
    a, b, x = a // g, b // g, x // g
    j = x * pow(b, -1, a) % a
    return j * b <= x


def sum_of_many(nums, x):
    m = nums[0]
    inf = float("inf")
    table = [inf] * m
    table[0] = 0
    for n in nums[1:]:
        d = gcd(n, m)
        step = n % m
        for c in range(d):
            best = min(table[c::d])
            if best == inf:
                continue
            r = best % m
            for _ in range(m // d - 1):
                best += n
                r += step
                if r >= m:
                    r -= m
                if table[r] < best:
                    best = table[r]
                else:
                    table[r] = best
    return table[x % m] <= x


def is_sum(nums, x):
    if x == 0:
        return True
    nums = sorted(set(nums))
    if not nums:
        return False
    if len(nums) == 1:
        return x % nums[0] == 0
    if len(nums) == 2:
        return sum_of_two(nums[0], nums[1], x)
    return sum_of_many(nums, x)


k, *nums = map(int, input().split())
x = int(input())
print("ILLEGAL" if x == 1 or is_sum(nums, x) else "LEGAL")
