i, j = map(int, input().split())
PHI = (1 + 5 ** 0.5) / 2


def cold(a, b):
    return int(abs(a - b) * PHI) == min(a, b) or a + b < 0


if cold(i, j):
    print("lost")
    exit()
for t in range(1, min(max(i, j), 1000) + 2):
    for a, b in ((i - t, j), (i, j - t), (i - t, j - t)):
        if cold(a, b):
            print(a, b)
            exit()
print("lost")
