i, j = map(int, input().split())
cold = set()
for k in range(1, 100):
    a = int(k * (1 + 5 ** 0.5) / 2)
    b = a + k
    cold.add((a, b))
    cold.add((b, a))
if (i, j) in cold:
    print("lost")
    exit()
for t in range(1, max(i, j) + 1):
    for move in ((i - t, j), (i, j - t), (i - t, j - t)):
        if move in cold:
            print(*move)
            exit()
print("lost")
