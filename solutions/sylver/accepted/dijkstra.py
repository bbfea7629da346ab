import heapq
from math import gcd


def reachable(nums, x):
    if x == 0:
        return True
    if not nums:
        return False
    nums = sorted(set(nums))
    m = nums[0]
    if len(nums) == 1:
        return x % m == 0
    if len(nums) == 2:
        a, b = nums
        g = gcd(a, b)
        if x % g:
            return False
        a //= g
        b //= g
        x //= g
        return x * pow(b, -1, a) % a * b <= x
    # Shortest paths over the residues. A distance has its residue in it, so the
    # heap needs only the distances.
    dist = [-1] * m
    heap = [0]
    edges = nums[1:]
    while heap:
        d = heapq.heappop(heap)
        if d > x:
            break
        r = d % m
        if dist[r] >= 0:
            continue
        dist[r] = d
        for n in edges:
            if dist[(d + n) % m] < 0:
                heapq.heappush(heap, d + n)
    return 0 <= dist[x % m] <= x


first = list(map(int, input().split()))
x = int(input())
if x == 1 or reachable(first[1:], x):
    print("ILLEGAL")
else:
    print("LEGAL")
