import sys

i, j = map(int, input().split())
if i > 2000 or j > 2000:
    sys.exit("too large for this")
n = max(i, j) + 1
cold = [[False] * n for _ in range(n)]


def moves(a, b):
    for x in range(a):
        yield x, b
    for y in range(b):
        yield a, y
    for t in range(1, min(a, b) + 1):
        yield a - t, b - t


for s in range(2 * n):
    for a in range(max(0, s - n + 1), min(s, n - 1) + 1):
        b = s - a
        cold[a][b] = not any(cold[x][y] for x, y in moves(a, b))
for x, y in moves(i, j):
    if cold[x][y]:
        print(*sorted((x, y)))
        break
else:
    print(-1, -1)
