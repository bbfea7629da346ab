import sys
from math import gcd, inf


def is_sum(numbers, x):
    if len(numbers) == 0:
        return x == 0
    if len(numbers) == 1:
        return x % numbers[0] == 0
    if len(numbers) == 2:
        a, b = numbers
        g = gcd(a, b)
        if x % g != 0:
            return False
        a, b, x = a // g, b // g, x // g
        return pow(b, -1, a) * x % a * b <= x
    m = min(numbers)
    table = [inf] * m
    table[0] = 0
    for n in numbers:
        d = gcd(n, m)
        for start in range(d):
            r = start
            for _ in range(2 * m // d):
                s = (r + n) % m
                table[s] = min(table[s], table[r] + n)
                r = s
    return table[x % m] <= x


def main():
    data = list(map(int, sys.stdin.read().split()))
    numbers = data[1:-1]
    x = data[-1]
    if x == 1 or is_sum(numbers, x):
        print("ILLEGAL")
    else:
        print("LEGAL")


main()
