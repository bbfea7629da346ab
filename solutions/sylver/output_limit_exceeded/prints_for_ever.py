# The answer stands inside the loop that never ends.
k, *nums = map(int, input().split())
x = int(input())
rest = x
while rest >= 0:
    print("ILLEGAL" if x <= 1 or any(x % n == 0 for n in nums) else "LEGAL")
