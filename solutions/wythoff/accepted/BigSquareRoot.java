import java.math.BigInteger;
import java.util.Scanner;

public class BigSquareRoot {
    static final BigInteger FIVE = BigInteger.valueOf(5);

    static long low(long k) {
        BigInteger b = BigInteger.valueOf(k);
        return b.multiply(b).multiply(FIVE).sqrt().add(b).shiftRight(1).longValueExact();
    }

    static boolean cold(long a, long b) {
        return a >= 0 && b >= 0 && low(Math.abs(a - b)) == Math.min(a, b);
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        long i = in.nextLong(), j = in.nextLong();
        if (cold(i, j)) {
            System.out.println("no winning move");
            return;
        }
        // whatever wins is close to one of these
        long[] first = {low(i), low(i) - i};
        for (long b : first) {
            for (long t = b - 2; t <= b + 2; t++) {
                if (t < j && cold(i, t)) {
                    System.out.println(i + " " + t);
                    return;
                }
            }
        }
        long[] second = {low(j), low(j) - j};
        for (long b : second) {
            for (long t = b - 2; t <= b + 2; t++) {
                if (t < i && cold(t, j)) {
                    System.out.println(t + " " + j);
                    return;
                }
            }
        }
        long a = low(Math.abs(i - j));
        long take = Math.min(i, j) - a;
        System.out.println((i - take) + " " + (j - take));
    }
}
