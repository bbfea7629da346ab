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
            if a + t <= b:
                best.setdefault((a + t, b), (a, b))
            if b + t <= a:
                best.setdefault((a, b + t), (a, b))
            best.setdefault((a + t, b + t), (a, b))
if (i, j) in best:
    x, y = best[i, j]
    print(x, y)
else:
    print(-1, -1)
