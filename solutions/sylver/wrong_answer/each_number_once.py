# Subset sums: every number is used at most once.
k, *nums = map(int, input().split())
x = int(input())
sums = {0}
for n in set(nums):
    sums |= {s + n for s in sums if s + n <= x}
print("ILLEGAL" if x in sums or x == 1 else "LEGAL")
