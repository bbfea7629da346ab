# A list of all numbers up to x.
k, *nums = map(int, input().split())
x = int(input())
sums = [False] * (x + 1)
sums[0] = True
for n in nums:
    for s in range(n, x + 1):
        if sums[s - n]:
            sums[s] = True
print("ILLEGAL" if x == 1 or sums[x] else "LEGAL")
