i, j = map(int, input().split())
TRACE = True


def lost(a, b, depth=0):
    if TRACE:
        print("  " * depth, "lost?", a, b)
    for x in range(a):
        if lost(x, b, depth + 1):
            return False
    for y in range(b):
        if lost(a, y, depth + 1):
            return False
    for t in range(1, min(a, b) + 1):
        if lost(a - t, b - t, depth + 1):
            return False
    return True


moves = [(x, j) for x in range(i)] + [(i, y) for y in range(j)]
moves += [(i - t, j - t) for t in range(1, min(i, j) + 1)]
print(*next((m for m in moves if lost(*m)), ["lost"]))
