import java.util.Scanner;

public class IntPiles {
    static int low(int k) {
        return (int) (k * (1 + Math.sqrt(5)) / 2);
    }

    static int partner(int n) {
        int k = low(n) - n;
        return low(k + 1) == n ? n + k + 1 : k;
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        int i = in.nextInt(), j = in.nextInt();
        int take = Math.min(i, j) - low(Math.abs(i - j));
        if (take == 0) System.out.println("lost");
        else if (take > 0) System.out.println((i - take) + " " + (j - take));
        else if (i < j) System.out.println(i + " " + partner(i));
        else System.out.println(partner(j) + " " + j);
    }
}
