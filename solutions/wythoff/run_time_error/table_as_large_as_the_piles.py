i, j = map(int, input().split())
n = max(i, j) + 1
partner = [-1] * n
a = 0
for k in range(n):
    while a < n and partner[a] >= 0:
        a += 1
    if a + k >= n:
        break
    partner[a] = a + k
    partner[a + k] = a
if partner[i] == j:
    print("lost")
elif 0 <= partner[i] < j:
    print(i, partner[i])
elif 0 <= partner[j] < i:
    print(partner[j], j)
else:
    t = 0
    while partner[i - t] != j - t:
        t += 1
    print(i - t, j - t)
