public class MissingReturn {
    static boolean legal(long x) {
        if (x > 1) return true;
    }

    public static void main(String[] args) {
        System.out.println(legal(2) ? "LEGAL" : "ILLEGAL");
    }
}
