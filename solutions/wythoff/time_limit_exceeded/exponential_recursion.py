def lost(a, b):
    for t in range(1, max(a, b) + 1):
        if t <= a and lost(a - t, b):
            return False
        if t <= b and lost(a, b - t):
            return False
        if t <= a and t <= b and lost(a - t, b - t):
            return False
    return True


i, j = map(int, input().split())
for t in range(1, max(i, j) + 1):
    for a, b in ((i - t, j), (i, j - t), (i - t, j - t)):
        if a >= 0 and b >= 0 and lost(a, b):
            print(a, b)
            exit()
print("lost")
