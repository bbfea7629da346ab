# At most two multiples of one number each: i a + j b with i, j small.
k, *nums = map(int, input().split())
x = int(input())
terms = {0}
for n in nums:
    for j in range(1, min(x // n, 2000) + 1):
        terms.add(j * n)
illegal = x <= 1 or any(x % n == 0 for n in nums) or any(x - t in terms for t in terms)
print("ILLEGAL" if illegal else "LEGAL")
