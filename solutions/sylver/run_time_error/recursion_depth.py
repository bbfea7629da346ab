# One call for each number that is taken off.
from functools import lru_cache

k, *nums = map(int, input().split())
x = int(input())


@lru_cache(maxsize=None)
def is_sum(x):
    if x == 0:
        return True
    return any(is_sum(x - n) for n in nums if n <= x)


print("ILLEGAL" if x == 1 or is_sum(x) else "LEGAL")
