# A million random sums; what does not come up is legal.
import random

k, *nums = map(int, input().split())
x = int(input())
random.seed(1)


def is_sum():
    if x <= 1:
        return True
    nums.sort()
    for _ in range(20000):
        rest = x
        for n in random.sample(nums, len(nums)):
            if rest % nums[0] == 0:
                return True
            rest -= n * random.randint(0, rest // n)
        if nums and rest % nums[0] == 0:
            return True
    return False


print("ILLEGAL" if is_sum() else "LEGAL")
