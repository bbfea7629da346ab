import java.math.BigInteger;
import java.util.Arrays;
import java.util.Scanner;

public class RoundRobin {
    static long gcd(long a, long b) {
        return b == 0 ? a : gcd(b, a % b);
    }

    static boolean sumOfTwo(long a, long b, long x) {
        long g = gcd(a, b);
        if (x % g != 0) return false;
        a /= g;
        b /= g;
        x /= g;
        if (a == 1) return true;
        BigInteger A = BigInteger.valueOf(a), B = BigInteger.valueOf(b), X = BigInteger.valueOf(x);
        BigInteger j = B.modInverse(A).multiply(X).mod(A);
        return j.multiply(B).compareTo(X) <= 0;
    }

    static boolean sumOfMany(long[] n, long x) {
        int m = (int) n[0];
        long[] w = new long[m];
        Arrays.fill(w, Long.MAX_VALUE);
        w[0] = 0;
        for (int i = 1; i < n.length; i++) {
            int d = (int) gcd(n[i], m), step = (int) (n[i] % m);
            for (int c = 0; c < d; c++) {
                int p = c;
                for (int q = c; q < m; q += d) if (w[q] < w[p]) p = q;
                if (w[p] == Long.MAX_VALUE) continue;
                for (int lap = 1; lap < m / d; lap++) {
                    long sum = w[p] > x ? w[p] : w[p] + n[i];
                    p = (p + step) % m;
                    w[p] = Math.min(w[p], sum);
                }
            }
        }
        return w[(int) (x % m)] <= x;
    }

    static boolean isSum(long[] n, long x) {
        if (x == 0) return true;
        n = Arrays.stream(n).sorted().distinct().toArray();
        switch (n.length) {
            case 0: return false;
            case 1: return x % n[0] == 0;
            case 2: return sumOfTwo(n[0], n[1], x);
            default: return sumOfMany(n, x);
        }
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        long[] n = new long[in.nextInt()];
        for (int i = 0; i < n.length; i++) n[i] = in.nextLong();
        long x = in.nextLong();
        System.out.println(x == 1 || isSum(n, x) ? "ILLEGAL" : "LEGAL");
    }
}
