// The table's sums are not kept below 2^63.
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Scanner;

public class TableOverflow {
    static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    static boolean two(long a, long b, long x) {
        long g = gcd(a, b);
        if (x % g != 0) return false;
        if (a / g == 1) return true;
        BigInteger p = BigInteger.valueOf(a / g), q = BigInteger.valueOf(b / g), y = BigInteger.valueOf(x / g);
        return q.modInverse(p).multiply(y).mod(p).multiply(q).compareTo(y) <= 0;
    }

    static boolean many(long[] n, long x) {
        int m = (int) n[0];
        long[] w = new long[m];
        Arrays.fill(w, Long.MAX_VALUE);
        w[0] = 0;
        for (long v : n) {
            int d = (int) gcd(v, m);
            for (int c = 0; c < d; c++) {
                int r = c;
                for (int i = 0; i < 2 * m / d; i++) {
                    int s = (int) ((r + v) % m);
                    if (w[r] != Long.MAX_VALUE && w[r] + v < w[s]) w[s] = w[r] + v;
                    r = s;
                }
            }
        }
        return w[(int) (x % m)] <= x;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        long[] n = new long[in.nextInt()];
        for (int i = 0; i < n.length; i++) n[i] = in.nextLong();
        long x = in.nextLong();
        n = Arrays.stream(n).sorted().distinct().toArray();
        boolean sum = x <= 1;
        if (!sum && n.length == 1) sum = x % n[0] == 0;
        if (!sum && n.length == 2) sum = two(n[0], n[1], x);
        if (!sum && n.length > 2) sum = many(n, x);
        System.out.println(sum ? "ILLEGAL" : "LEGAL");
    }
}
