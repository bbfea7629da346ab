# Above a b - a - b, for the two smallest numbers, everything is a sum.
k, *nums = map(int, input().split())
x = int(input())


def is_sum():
    if x <= 1:
        return True
    coins = sorted(set(nums))
    if not coins:
        return False
    if len(coins) == 1:
        return x % coins[0] == 0
    a, b = coins[:2]
    if x > a * b - a - b:
        return True
    m = coins[0]
    dist = {0: 0}
    todo = {0}
    while todo:
        new = set()
        for r in todo:
            for n in coins[1:]:
                d = dist[r] + n
                if d <= x and d < dist.get(d % m, d + 1):
                    dist[d % m] = d
                    new.add(d % m)
        todo = new
    return dist.get(x % m, x + 1) <= x


print("ILLEGAL" if is_sum() else "LEGAL")
