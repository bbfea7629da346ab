def pairs(k):
    """the first k lost positions"""
    if k == 0:
        return []
    before = pairs(k - 1)
    used = {n for pair in before for n in pair}
    a = 0
    while a in used:
        a += 1
    return before + [(a, a + k - 1)]


i, j = map(int, input().split())
for a, b in pairs(max(i, j) + 1):
    for x, y in ((a, b), (b, a)):
        if x <= i and y <= j and (x, y) != (i, j) and (x == i or y == j or i - x == j - y):
            print(x, y)
            exit()
print("lost")
