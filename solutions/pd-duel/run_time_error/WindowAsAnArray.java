// Copies the window into an array of N places.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.List;

public class WindowAsAnArray {
    static class Strategy {
        final String name;
        final List<String[]> commands = new ArrayList<>();
        final int[] defections; // in the first t turns
        int score;

        Strategy(BufferedReader in, int turns) throws IOException {
            String[] head = in.readLine().split(" ");
            name = head[1];
            for (int i = Integer.parseInt(head[0]); i > 0; i--) commands.add(in.readLine().split(" "));
            defections = new int[turns + 1];
        }

        boolean mostly(String action, int turn, int window) {
            int total = Math.min(window, turn);
            int d = defections[turn] - defections[turn - total];
            return 2 * (action.equals("D") ? d : total - d) > total;
        }
    }

    static int x = 12;

    static boolean holds(String[] c, int turn, Strategy me, Strategy opp) {
        if (c[0].equals("*")) return true;
        if (c[0].equals("START")) return turn == 0;
        Strategy who = c[0].equals("ME") ? me : opp;
        Strategy other = c[0].equals("ME") ? opp : me;
        switch (c[1]) {
            case "-1":
                return who.mostly(c[2], turn, 1);
            case "MAX":
                return who.mostly(c[2], turn, turn);
            case "LAST":
                return who.mostly(c[3], turn, new boolean[Integer.parseInt(c[2])].length);
            default:
                return who.score > other.score;
        }
    }

    static boolean defects(int turn, Strategy me, Strategy opp) {
        for (String[] c : me.commands) {
            if (!holds(c, turn, me, opp)) continue;
            String action = c[c.length - 1];
            if (action.equals("RAND")) {
                x = (137 * x + 187) % 256;
                return Integer.bitCount(x) % 2 == 0;
            }
            return action.equals("D");
        }
        throw new IllegalStateException("no command holds");
    }

    public static void main(String[] args) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        int turns = Integer.parseInt(in.readLine().trim());
        Strategy a = new Strategy(in, turns);
        Strategy b = new Strategy(in, turns);
        for (int turn = 0; turn < turns; turn++) {
            boolean da = defects(turn, a, b);
            boolean db = defects(turn, b, a);
            if (da && db) {
                a.score++;
                b.score++;
            } else if (da) {
                a.score += 3;
            } else if (db) {
                b.score += 3;
            } else {
                a.score += 2;
                b.score += 2;
            }
            a.defections[turn + 1] = a.defections[turn] + (da ? 1 : 0);
            b.defections[turn + 1] = b.defections[turn] + (db ? 1 : 0);
        }
        System.out.println(a.score > b.score ? a.name : b.score > a.score ? b.name : "DRAW");
    }
}
