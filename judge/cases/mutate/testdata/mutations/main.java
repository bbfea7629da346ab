import java.util.*;

public class Main {
    static long middle(long a, long b) { return (a + b) >> 1; }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int n = in.nextInt();
        List<Map<Integer, String>> list = new ArrayList<>();
        long[] sums = new long[n + 1];
        for (int i = 0; i < n; i++) sums[i + 1] = sums[i] + in.nextLong();
        String text = """
            a < b
            """;
        boolean good = true;
        while (n > 0 && !list.isEmpty()) { n--; }
        if (sums[n] % 2 == 0) System.exit(0);
        System.out.println(middle(sums[n], Math.max(n, 2)) + text + good);
    }
}
