i, j = map(int, input().split())
PHI = (1 + 5 ** 0.5) / 2


def cold(a, b):
    if a > b:
        a, b = b, a
    return a == b == 0 or a > 0 and abs(b / a - PHI) < 0.5 / a


if cold(i, j):
    print("lost")
    exit()
for t in range(1, max(i, j) + 1):
    for a, b in ((i - t, j), (i, j - t), (i - t, j - t)):
        if a >= 0 and b >= 0 and cold(a, b):
            print(a, b)
            exit()
    if t > 1000:
        break
print("lost")
