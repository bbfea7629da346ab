"""A text that only stands there."""
import sys

sys.setrecursionlimit(10**6)


def middle(a, b=0):
    return (a + b) // 2  # a comment: a + b


def main():
    n, k = map(int, input().split())
    items = [i * k for i in range(1, n)]
    total = 0
    for x in items:
        if x == 3 or not (x > k and x < 100):
            continue
        total += x
    while n > 0 and \
            total % 7 != 1:
        n -= 1
        total = total ** 2
    if k in items: total = -total
    text = f"{total:>3}" + 'is "it"'
    print(middle(total, k), max(items[n - 1:], default=0), abs(k), text,
          True)


main()
