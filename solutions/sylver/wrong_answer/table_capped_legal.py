# A number that is not in the table was not made.
LIMIT = 300000
k, *nums = map(int, input().split())
x = int(input())
made = bytearray(LIMIT + 1)
made[0] = 1
for n in nums:
    for s in range(n, LIMIT + 1):
        made[s] |= made[s - n]
print("ILLEGAL" if x == 1 or x <= LIMIT and made[x] else "LEGAL")
