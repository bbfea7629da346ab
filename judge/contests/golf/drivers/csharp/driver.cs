using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;
{hoisted}

class GolfMain {
    static string GolfShow(object v) {
        if (v == null) return "null";
        if (v is string || v is bool) return v.ToString();
        if (v is IEnumerable) return "[" + string.Join(", ", ((IEnumerable)v).Cast<object>().Select(GolfShow)) + "]";
        return v.ToString();
    }

    static string golfLine;
    static readonly object golfNothing = new object();
    static string golfLeft;
    const System.Reflection.BindingFlags golfAll = (System.Reflection.BindingFlags)60;

    static Delegate Golf<R>(Func<{ints}, R> f) { return f; }
    static Delegate Golf(Action<{ints}> f) { return f; }
    static Delegate GolfCurry({opens}object{closes} f) { return f; }
    static class Golf1<T> {
        public static Delegate Of<R>(Func<T, R> f) { return f; }
        public static Delegate Of(Action<T> f) { return f; }
    }

    // GolfArgument makes an argument of a type of the first of the numbers, or of all.
    static object GolfArgument(Type t, IEnumerable<int> a, out bool all) {
        all = true;
        if (t == typeof(string)) return golfLine;
        if (t.IsAssignableFrom(typeof(int[])) && t != typeof(object)) return a.ToArray();
        if (t.IsAssignableFrom(typeof(List<int>)) && t != typeof(object)) return a.ToList();
        if (t == typeof(long[])) return a.Select(n => (long)n).ToArray();
        if (t == typeof(double[])) return a.Select(n => (double)n).ToArray();
        if (t.FullName.StartsWith("System.ValueTuple") || t.FullName.StartsWith("System.Tuple"))
            return Activator.CreateInstance(t, a.Select((n, k) => Convert.ChangeType(n, t.GetGenericArguments()[k])).ToArray());
        all = false;
        if (t == typeof(System.Numerics.BigInteger)) return new System.Numerics.BigInteger(a.First());
        return t == typeof(object) ? a.First() : Convert.ChangeType(a.First(), t);
    }

    static object GolfInvoke(System.Reflection.MethodInfo m, object on, IEnumerable<int> rest) {
        var given = new List<object>();
        if (m.ContainsGenericParameters) m = m.MakeGenericMethod(m.GetGenericArguments().Select(x => typeof(int)).ToArray());
        foreach (var p in m.GetParameters()) {
            var t = p.ParameterType.IsByRef ? p.ParameterType.GetElementType() : p.ParameterType;
            bool all;
            if (t.IsValueType && t.FullName.StartsWith("System.Runtime")) continue;
            if (!rest.Any()) {
                given.Add(p.IsOptional ? p.DefaultValue : t == typeof(int[]) ? new int[Attribute.IsDefined(p, typeof(ParamArrayAttribute)) ? 0 : 2] : t.IsValueType ? Activator.CreateInstance(t) : null);
                continue;
            }
            given.Add(GolfArgument(t, rest, out all));
            rest = all ? Enumerable.Empty<int>() : rest.Skip(1).ToList();
        }
        var values = given.ToArray();
        var before = GolfShow(values);
        object v;
        try {
            v = m.Invoke(on, values);
        } catch (System.Reflection.TargetInvocationException e) {
            throw e.InnerException;
        }
        if (rest.Any() && v is Delegate) return GolfInvoke(v.GetType().GetMethod("Invoke"), v, rest);
        if (rest.Any()) throw new MissingMethodException("the function takes less");
        if (m.ReturnType != typeof(void)) return v;
        var changed = values.Where((x, k) => m.GetParameters()[k].ParameterType.IsByRef || x is IEnumerable && !(x is string)).ToArray();
        if (changed.Length == 0) return golfNothing;
        golfLeft = GolfShow(values) == before && !m.GetParameters().Any(x => x.IsOut) ? "u" : "c";
        return changed.Length == 1 ? changed[0] : changed;
    }

    static object GolfNamed(string name, int[] a) {
        foreach (var t in new[] { typeof(GolfMain) }.Concat(typeof(GolfMain).GetNestedTypes(golfAll)).Where(t => !t.ContainsGenericParameters)) {
            foreach (var m in t.GetMethods(golfAll)) if (m.Name == name) return GolfInvoke(m, m.IsStatic ? null : Activator.CreateInstance(t, true), a);
            foreach (var f in t.GetFields(golfAll)) if (f.Name == name) return GolfDelegate(f.GetValue(f.IsStatic ? null : Activator.CreateInstance(t, true)), a);
        }
        throw new MissingMethodException(name);
    }

    static object GolfDelegate(object f, int[] a) { return GolfInvoke(f.GetType().GetMethod("Invoke"), f, a); }

    static void Main() {
        System.Threading.Thread.CurrentThread.CurrentCulture = System.Globalization.CultureInfo.InvariantCulture;
        string mark = Console.In.ReadLine(), name = Console.In.ReadLine(), line;
        name = name.Substring(name.IndexOf(' ') + 1);
        var lines = new List<string>();
        while ((line = Console.In.ReadLine()) != null) lines.Add(line);
        Console.Out.Write(mark + "l" + mark + "\n");
        Console.Out.Flush();
        foreach (var l in lines) {
            string text;
            try {
                golfLine = l;
                golfLeft = "v";
                var v = new GolfMain().GolfCall(name, l.Split(' ').Select(int.Parse).ToArray());
                text = v == golfNothing ? "n" : golfLeft + GolfShow(v);
            } catch (Exception e) {
                text = "e" + e.GetType().Name + ": " + e.Message;
            }
            Console.Out.Write(mark + text + mark + "\n");
            Console.Out.Flush();
        }
    }

    {call}
}
