# as large as a list can be made
N = 10 ** 8
i, j = map(int, input().split())
partner = [0] * N
a, k = 1, 1
while a < max(i, j) + 1:
    partner[a], partner[a + k] = a + k, a
    k += 1
    while partner[a]:
        a += 1
if partner[i] == j:
    print("lost")
elif partner[i] < j:
    print(i, partner[i])
elif partner[j] < i:
    print(partner[j], j)
else:
    t = 0
    while partner[i - t] != j - t:
        t += 1
    print(i - t, j - t)
