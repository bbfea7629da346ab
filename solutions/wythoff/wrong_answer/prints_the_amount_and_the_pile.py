import sys

i, j = map(int, input().split())
n = max(i, j) + 1
if n > 2000:
    sys.exit("too large for a table")
best = {}  # won position -> where to go
for a in range(n):
    for b in range(n):
        if (a, b) in best:
            continue
        # nobody wins from here, so everybody who can moves here
        for t in range(1, n):
            for won in ((a + t, b), (a, b + t), (a + t, b + t)):
                best.setdefault(won, (a, b))
if (i, j) in best:
    x, y = best[i, j]
    print(max(i - x, j - y), 0 if j == y else 1 if i == x else 2)
else:
    print(-1, -1)
