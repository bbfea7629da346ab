def f(i,j):
    """winning move of Wythoff's Nim"""
    cold = set()
    k = a = 0
    seen = set()
    while k < 63:
        while a in seen:
            a += 1
        seen |= {a, a + k}
        cold |= {(a, a + k), (a + k, a)}
        k += 1
    if (i, j) in cold:
        return None
    for t in range(1, 100):
        for m in ((i - t, j), (i, j - t), (i - t, j - t)):
            if m in cold:
                return m
