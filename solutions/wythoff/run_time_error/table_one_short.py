i, j = map(int, input().split())
N = 99  # piles are at most 99
cold = [[True] * N for _ in range(N)]
for a in range(N):
    for b in range(N):
        if cold[a][b]:
            for t in range(1, N):
                if a + t < N:
                    cold[a + t][b] = False
                if b + t < N:
                    cold[a][b + t] = False
                if a + t < N and b + t < N:
                    cold[a + t][b + t] = False
found = (-1, -1)
for t in range(1, max(i, j) + 1):
    for a, b in ((i - t, j), (i, j - t), (i - t, j - t)):
        if a >= 0 and b >= 0 and cold[a][b]:
            found = (a, b)
print(*found)
