i, j = map(int, input().split())
if i == j == 0:
    print(-1)
elif i == 0 or j == 0 or i == j:
    print(0, 0)
else:
    print(-1)
