// Integer.parseInt throws above 2^31 - 1.
import java.util.Scanner;
import java.util.TreeSet;

public class IntegerParse {
    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int k = Integer.parseInt(in.next());
        TreeSet<Integer> nums = new TreeSet<>();
        for (int i = 0; i < k; i++) nums.add(Integer.parseInt(in.next()));
        int x = Integer.parseInt(in.next());
        boolean sum = x <= 1;
        if (!sum && k > 0) {
            int m = nums.first();
            long[] w = new long[m];
            for (int r = 1; r < m; r++) w[r] = Long.MAX_VALUE / 2;
            for (boolean changed = true; changed; ) {
                changed = false;
                for (int n : nums)
                    for (int r = 0; r < m; r++) {
                        int s = (int) (((long) r + n) % m);
                        if (w[r] + n < w[s]) {
                            w[s] = w[r] + n;
                            changed = true;
                        }
                    }
            }
            sum = w[x % m] <= x;
        }
        System.out.println(sum ? "ILLEGAL" : "LEGAL");
    }
}
