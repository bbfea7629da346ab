# Expects k alone on the first line.
k = int(input())
nums = list(map(int, input().split()))
x = int(input())
print("ILLEGAL" if x <= 1 or any(x % n == 0 for n in nums) else "LEGAL")
