# Takes the largest announced number that fits, again and again.
k, *nums = map(int, input().split())
x = int(input())
rest = x
for n in sorted(nums, reverse=True):
    rest %= n
print("ILLEGAL" if rest == 0 or x == 1 else "LEGAL")
