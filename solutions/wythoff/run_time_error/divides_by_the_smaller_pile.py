i, j = map(int, input().split())
small, large = min(i, j), max(i, j)
PHI = (1 + 5 ** 0.5) / 2
if round(large / small, 6) == round(PHI, 6):
    print("lost")
    exit()
a = int((large - small) * PHI)
if a == small:
    print("lost")
else:
    take = small - a
    print(i - take, j - take)
