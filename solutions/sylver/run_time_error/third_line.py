# Waits for a third line that never comes.
k, *nums = map(int, input().split())
x = int(input())
turns = int(input())
print("ILLEGAL" if x <= 1 or any(x % n == 0 for n in nums) else "LEGAL")
