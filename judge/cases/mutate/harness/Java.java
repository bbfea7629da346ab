// The harness of programs in Java with mutants: it answers requests on standard input by
// runs of the program in this process, each with classes of its own. Steps are counted
// in loops.
package assay;

import java.io.*;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.*;

public class Assay {
    /** Ends a run, whatever the program catches. */
    static class Leave extends Error {
        Leave() { super(null, null, false, false); }
    }

    static class Case {
        byte[] in = {}, out = {};
        long fuel;
    }

    static final DataInputStream request = new DataInputStream(new BufferedInputStream(System.in, 1 << 16));
    static final DataOutputStream reply = new DataOutputStream(new BufferedOutputStream(System.out, 1 << 16));
    static final Map<Integer, Case> cases = new HashMap<>();
    static volatile long fuel;
    static volatile boolean over;
    static long most;
    static char status;
    static int code;
    static String text;
    static ByteArrayOutputStream out;

    public static boolean step() {
        if (--fuel < 0) {
            leave('F', 0);
        }
        return true;
    }

    public static void exit(int code) {
        leave(code == 0 ? 'S' : 'X', code & 255);
    }

    static void leave(char how, int with) {
        if (!over) {
            status = how;
            code = with;
            over = true;
        }
        throw new Leave();
    }

    static class Output extends OutputStream {
        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] b, int from, int n) {
            if (over) return;
            if (out.size() + (long) n > most) leave('F', 0);
            out.write(b, from, n);
        }
    }

    static byte[] run(int mutant, Case c, long steps, long bytes) {
        out = new ByteArrayOutputStream();
        status = 'S';
        code = 0;
        text = "";
        fuel = steps;
        most = bytes;
        over = false;
        System.setIn(new ByteArrayInputStream(c.in));
        System.setOut(new PrintStream(new Output(), false));
        Thread thread = new Thread(null, () -> call(mutant), "main", 64 << 20);
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        thread.start();
        join(thread);
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            if (t != thread && !before.contains(t) && !t.isDaemon()) join(t); // it was started by the program
        }
        System.out.flush();
        return out.toByteArray();
    }

    static void join(Thread t) {
        try {
            t.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void call(int mutant) {
        try (URLClassLoader loader = new Own()) {
            Class<?> main = loader.loadClass(String.format("m%04d_.{class}", mutant));
            Method method = main.getDeclaredMethod("main", String[].class);
            method.setAccessible(true);
            try {
                method.invoke(null, (Object) new String[0]);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
            System.out.flush();
        } catch (Leave e) {
            // it has said how
        } catch (Throwable e) {
            if (!over) {
                status = 'C';
                text = e.getClass().getName();
            }
        }
    }

    /** Loads the classes of the program anew, and shares those of this harness. */
    static class Own extends URLClassLoader {
        Own() throws IOException {
            super(new URL[] {new File("/program").toURI().toURL()}, Assay.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.matches("m\\d{4}_\\..*")) return super.loadClass(name, resolve);
            synchronized (getClassLoadingLock(name)) {
                Class<?> c = findLoadedClass(name);
                return c != null ? c : findClass(name);
            }
        }
    }

    static byte[] attempt(int mutant, Case c) {
        byte[] got = run(mutant, c, c.fuel, 2L * c.out.length + (1 << 20));
        if (status == 'S' && !Arrays.equals(got, c.out)) status = 'D';
        return got;
    }

    static int number() throws IOException {
        return Integer.reverseBytes(request.readInt());
    }

    static void put(int n) throws IOException {
        reply.writeInt(Integer.reverseBytes(n));
    }

    static void answer(byte[] got) throws IOException {
        reply.writeByte(status);
        put(code);
        byte[] data = status == 'D' ? got : status == 'C' ? text.getBytes(StandardCharsets.UTF_8) : new byte[0];
        put(data.length);
        reply.write(data);
        if (status != 'S') reply.flush();
    }

    static int[] numbers() throws IOException {
        int[] list = new int[number()];
        for (int i = 0; i < list.length; i++) list[i] = number();
        return list;
    }

    public static void main(String[] args) throws IOException {
        System.setErr(new PrintStream(OutputStream.nullOutputStream()));
        try {
            number(); // the judge bounds the memory
            long base = number(), times = number();
            while (true) {
                serve(number(), base, times);
                put(1); // nothing is left behind
                reply.flush();
            }
        } catch (EOFException e) {
            Runtime.getRuntime().halt(0);
        }
    }

    static void serve(int verb, long base, long times) throws IOException {
        Case c;
        switch (verb) {
            case 'C': // a case
                c = new Case();
                cases.put(number(), c);
                c.in = new byte[number()];
                request.readFully(c.in);
                break;
            case 'O': // the program as it was
                c = cases.get(number());
                long plenty = 1L << 50;
                c.out = run(0, c, plenty, 1 << 30);
                if (status == 'S') status = 'D'; // to be shown
                long used = plenty - fuel;
                answer(c.out);
                c.fuel = times * used + base;
                put((int) used);
                put((int) (used >>> 32));
                reply.writeByte(1);
                break;
            case 'H': // one mutant on many cases, to the first that is not the same
                int mutant = number(), at = 0;
                int[] slots = numbers();
                byte[] got = {};
                for (status = 'S'; at < slots.length; at++) {
                    got = attempt(mutant, cases.get(slots[at]));
                    if (status != 'S') break;
                }
                put(at);
                answer(got);
                break;
            case 'A': // many mutants on one case
                c = cases.get(number());
                for (int m : numbers()) answer(attempt(m, c));
                break;
            default:
                throw new IllegalStateException("verb " + verb);
        }
    }
}
