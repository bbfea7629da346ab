i, j = map(int, input().split())
cold = []
used = set()
a = 0
for k in range(100):
    while a in used:
        a += 1
    used |= {a, a + k}
    cold += [(a, a + k), (a + k, a)]

moves = []
for x, y in cold:
    p, q = i - x, j - y
    if p >= 0 and q >= 0 and p + q > 0 and (p == 0 or q == 0 or p == q):
        moves.append((x, y))
if moves:
    print(*(n for move in sorted(set(moves)) for n in move))
else:
    print(-1, -1)
