def ends(a, b):
    return a == 0 or b == 0 or a == b


i, j = map(int, input().split())
if i == j == 0:
    print("none")
elif ends(i, j):
    print(0, 0)
else:
    # a move after which the other player cannot take everything
    if i > 2 and j > 2 and (i - 1 != j):
        print(i - 1, j)
    elif (i, j) in ((1, 2), (2, 1)):
        print("none")
    elif i < j:
        print(i, 3 - i if i < 3 else j - 1)
    else:
        print(3 - j if j < 3 else i - 1, j)
