i, j = map(int, input().split())
if i ^ j == 0:
    print("lost")
elif i > j:
    print(j, j)
else:
    print(i, i)
