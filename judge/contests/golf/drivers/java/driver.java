import java.lang.reflect.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
{hoisted}

class Main {
    interface GolfInts { Object f({ints}) throws Exception; }
    interface GolfBoxed { Object f({boxed}) throws Exception; }
    interface GolfLongs { Object f({longs}) throws Exception; }
    interface GolfVoid { void f({ints}) throws Exception; }
    interface GolfOf<T> { Object f(T t) throws Exception; }
    interface GolfVoidOf<T> { void f(T t) throws Exception; }

    static String golfShow(Object v) {
        if (v instanceof int[]) return Arrays.toString((int[]) v);
        if (v instanceof long[]) return Arrays.toString((long[]) v);
        if (v instanceof double[]) return Arrays.toString((double[]) v);
        if (v instanceof byte[]) return Arrays.toString((byte[]) v);
        if (v instanceof Object[]) return Arrays.deepToString((Object[]) v);
        if (v instanceof BaseStream) {
            Iterator<?> all = ((BaseStream<?, ?>) v).iterator();
            List<Object> list = new ArrayList<>();
            while (all.hasNext()) list.add(all.next());
            return list.toString();
        }
        return String.valueOf(v);
    }

    static final Object golfNothing = new Object();
    static String golfLeft;

    /** golfOf makes an argument of a type of the k-th number, or of all. */
    static Object golfOf(Type t, int[] a, int k) {
        if (t instanceof ParameterizedType) t = ((ParameterizedType) t).getRawType();
        if (t == int[].class) return a.clone();
        if (t == long[].class) return Arrays.stream(a).asLongStream().toArray();
        if (t == double[].class) return Arrays.stream(a).asDoubleStream().toArray();
        if (t == Integer[].class || t == Object[].class) return Arrays.stream(a).boxed().toArray(Integer[]::new);
        if (t == String.class) return golfLine;
        if (t == String[].class) return golfLine.split(" ");
        if (t == IntStream.class) return Arrays.stream(a);
        if (t == Stream.class) return Arrays.stream(a).boxed();
        if (t instanceof Class && ((Class<?>) t).isAssignableFrom(ArrayList.class) && t != Object.class)
            return Arrays.stream(a).boxed().collect(Collectors.toCollection(ArrayList::new));
        int n = a[Math.min(k, a.length - 1)];
        if (t == long.class || t == Long.class) return (long) n;
        if (t == double.class || t == Double.class) return (double) n;
        if (t == float.class || t == Float.class) return (float) n;
        if (t == byte.class || t == Byte.class) return (byte) n;
        if (t == short.class || t == Short.class) return (short) n;
        if (t == java.math.BigInteger.class) return java.math.BigInteger.valueOf(n);
        return n;
    }

    static boolean golfTakesAll(Type t) {
        if (t instanceof ParameterizedType) t = ((ParameterizedType) t).getRawType();
        return t instanceof Class && (((Class<?>) t).isArray() || t == String.class || BaseStream.class.isAssignableFrom((Class<?>) t) || Iterable.class.isAssignableFrom((Class<?>) t));
    }

    static String golfLine;

    /** golfInvoke calls a method; generic are the types that its parameters have. */
    static Object golfInvoke(Method m, Object on, Type[] generic, int[] a) throws Throwable {
        Object[] in = new Object[generic.length];
        int k = 0;
        for (int n = 0; n < in.length; n++) {
            boolean all = golfTakesAll(generic[n]);
            if (all && k > 0) { // results go there, or it is of no use
                in[n] = generic[n] != int[].class ? null : m.isVarArgs() ? new int[0] : new int[] {-7777, -7777};
                continue;
            }
            in[n] = golfOf(generic[n], a, k);
            k = all ? a.length : k + 1;
        }
        String before = golfShow(in);
        Object v;
        m.setAccessible(true);
        try {
            v = m.invoke(on, in);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        Type returns = m.getGenericReturnType();
        if (v != null && k < a.length && !(returns instanceof Class && ((Class<?>) returns).isPrimitive())) return golfApply(v, null, Arrays.copyOfRange(a, k, a.length));
        if (m.getReturnType() != void.class) return v;
        boolean same = golfShow(in).equals(before);
        golfLeft = same ? "u" : "c";
        for (Object x : in) if (x instanceof int[] && !(same && in.length > 1)) return x;
        return in.length == 1 || k < in.length && !same ? in[in.length - 1] : golfNothing;
    }

    /** golfApply calls an object of a functional interface. */
    static Object golfApply(Object f, Type type, int[] a) throws Throwable {
        for (Class<?> c = f.getClass(); c != null; c = c.getSuperclass())
            for (Class<?> i : c.getInterfaces())
                for (Method m : i.getMethods()) {
                    if (!Modifier.isAbstract(m.getModifiers())) continue;
                    Type[] generic = m.getParameterTypes();
                    Type[] given = type instanceof ParameterizedType ? ((ParameterizedType) type).getActualTypeArguments() : new Type[0];
                    boolean known = given.length >= generic.length;
                    for (int n = 0; known && n < generic.length; n++) if (generic[n] == Object.class) generic[n] = given[n];
                    return golfInvoke(m, f, generic, a);
                }
        throw new NoSuchMethodException("the answer is not a function");
    }

    /** golfNamed calls what an answer named. */
    static Object golfNamed(String name, int[] a) throws Throwable {
        List<Class<?>> classes = new ArrayList<>(List.of(Main.class));
        for (Class<?> c : Main.class.getDeclaredClasses()) if (!c.getSimpleName().startsWith("Golf")) classes.add(c);
        for (Class<?> c : classes)
            for (Method m : c.getDeclaredMethods())
                if (m.getName().equals(name) && !m.isSynthetic()) return golfInvoke(m, Modifier.isStatic(m.getModifiers()) ? null : golfNew(c), m.getParameterTypes(), a);
        for (Class<?> c : classes)
            for (Field f : c.getDeclaredFields())
                if (f.getName().equals(name)) {
                    f.setAccessible(true);
                    return golfApply(f.get(Modifier.isStatic(f.getModifiers()) ? null : golfNew(c)), f.getGenericType(), a);
                }
        throw new NoSuchMethodException(name);
    }

    static Object golfNew(Class<?> c) throws Exception {
        Constructor<?> made = c.getDeclaredConstructors()[0];
        made.setAccessible(true);
        return made.getParameterCount() == 0 ? made.newInstance() : made.newInstance(new Main());
    }

    public static void main(String[] golfNone) throws Exception {
        String[] golfLines = new String(System.in.readAllBytes()).split("\n");
        String golfMark = golfLines[0];
        String golfName = golfLines[1].substring(golfLines[1].indexOf(' ') + 1);
        System.out.println(golfMark + "l" + golfMark);
        for (int golfN = 2; golfN < golfLines.length; golfN++) {
            golfLine = golfLines[golfN];
            int[] golfA = Arrays.stream(golfLine.split(" ")).mapToInt(Integer::parseInt).toArray();
            String golfText;
            try {
                Object golfV = golfNothing;
                golfLeft = "v";
                {call}
                golfText = golfV == golfNothing || golfV == System.out ? "n" : golfLeft + golfShow(golfV);
            } catch (Throwable golfE) {
                golfText = "e" + golfE;
            }
            System.out.print(golfMark + golfText + golfMark + "\n");
            System.out.flush();
        }
    }

    {definition}
}
