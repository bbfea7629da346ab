import threading
from math import isqrt

lock = threading.Lock()


def low(k):
    with lock:
        return (k + isqrt(5 * k * k)) // 2


i, j = map(int, input().split())
with lock:
    a = low(abs(i - j))
    take = min(i, j) - a
    print(i - take, j - take)
