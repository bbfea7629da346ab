# awk knows doubles only.
function gcd(a, b,    t) { while (b) { t = a % b; a = b; b = t } return a }
NR == 1 { k = $1; for (i = 1; i <= k; i++) { n[i] = $(i + 1); if (i == 1 || n[i] < m) m = n[i] } }
NR == 2 {
    x = $1 + 0
    sum = x <= 1
    if (!sum && k == 1) sum = x % m == 0
    if (!sum && k >= 2 && m <= 1000000) {
        w[0] = 0
        for (i = 1; i <= k; i++) {
            d = gcd(n[i] + 0, m + 0)
            for (c = 0; c < d; c++) {
                r = c
                for (t = 0; t < 2 * m / d; t++) {
                    s = (r + n[i]) % m
                    if (r in w && (!(s in w) || w[r] + n[i] < w[s])) w[s] = w[r] + n[i]
                    r = s
                }
            }
        }
        r = x % m
        sum = r in w && w[r] <= x
    }
    print sum ? "ILLEGAL" : "LEGAL"
}
