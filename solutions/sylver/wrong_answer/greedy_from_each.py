# Greedy change, with another try from each number and in both directions.
from math import gcd


def greedy(rest, coins):
    for n in coins:
        rest %= n
    return rest == 0


k, *nums = map(int, input().split())
x = int(input())
nums.sort()
found = x <= 1 or greedy(x, nums) or greedy(x, nums[::-1])
for n in nums:
    for times in range(min(x // n, 50) + 1):
        if greedy(x - times * n, nums[::-1]):
            found = True
g = 0
for n in nums:
    g = gcd(g, n)
if g and x % g:
    found = False
print("ILLEGAL" if found else "LEGAL")
