from decimal import Decimal, getcontext

getcontext().prec = 60
PHI = (1 + Decimal(5).sqrt()) / 2

i, j = map(int, input().split())
d = abs(i - j)
a = int(d * PHI)
if a == min(i, j):
    print(-1)
elif a < min(i, j):
    print(*((a, a + d) if i < j else (a + d, a)))
else:
    n = min(i, j)
    k = int(n / PHI) + (n > 0)
    other = n + k if int(k * PHI) == n else int(n / PHI)
    print(*((n, other) if i < j else (other, n)))
