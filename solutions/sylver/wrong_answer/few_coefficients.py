# Tries coefficients up to a hundred, and the rest by the smallest number.
k, *nums = map(int, input().split())
x = int(input())
nums = sorted(set(nums))
MANY = 100


def is_sum(x, i):
    if x == 0:
        return True
    if i == 0:
        return x % nums[0] == 0
    seen = set()
    for j in range(min(x // nums[i], MANY) + 1):
        rest = x - j * nums[i]
        if rest % nums[0] not in seen and is_sum(rest, i - 1):
            return True
        seen.add(rest % nums[0])
        if i > 2 and j > 3:
            break
    return False


if x <= 1:
    print("ILLEGAL")
elif not nums:
    print("LEGAL")
else:
    print("ILLEGAL" if is_sum(x, len(nums) - 1) else "LEGAL")
