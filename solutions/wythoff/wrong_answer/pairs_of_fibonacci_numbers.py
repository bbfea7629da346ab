i, j = map(int, input().split())
cold = set()
for k in range(6):
    a = [0, 1, 3, 8, 21, 55][k]
    b = [0, 2, 5, 13, 34, 89][k]
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
