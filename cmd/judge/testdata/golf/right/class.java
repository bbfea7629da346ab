public class Wythoff {
    private static boolean cold(int a, int b) { return a > b ? cold(b, a) : a >= 0 && a == (int) ((b - a) * 1.6180339887); }
    public static int[] move(int i, int j) {
        if (cold(i, j)) return null;
        for (int k = 1; ; k++) {
            if (cold(i - k, j)) return new int[] {i - k, j};
            if (cold(i, j - k)) return new int[] {i, j - k};
            if (cold(i - k, j - k)) return new int[] {i - k, j - k};
        }
    }
}
