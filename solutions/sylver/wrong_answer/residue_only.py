# Asks whether the residue is ever reached, not from where on.
from math import gcd

k, *nums = map(int, input().split())
x = int(input())
g = 0
for n in nums:
    g = gcd(g, n)
if x <= 1:
    print("ILLEGAL")
elif not nums or x < min(nums) or x % g != 0:
    print("LEGAL")
else:
    print("ILLEGAL")
