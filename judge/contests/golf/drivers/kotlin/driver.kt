{hoisted}
{definition}

fun golfShow(v: Any?): String = when (v) {
    is IntArray -> v.toList().toString()
    is LongArray -> v.toList().toString()
    is Array<*> -> v.map { golfShow(it) }.toString()
    is Sequence<*> -> v.toList().toString()
    else -> v.toString()
}
var golfKind = "v"
fun <T> golfChanged(v: Any?, t: T, before: String): Any? {
    if (v != Unit) return v
    golfKind = if (golfShow(t) != before) "c" else "u"
    return t
}
fun <R> golfInts(f: ({ints}) -> R, a: List<Int>): Any? = f({args})
fun <R> golfArray(f: (IntArray) -> R, a: List<Int>): Any? { val t = a.toIntArray(); return golfChanged(f(t), t, golfShow(a)) }
fun <R> golfList(f: (List<Int>) -> R, a: List<Int>): Any? = f(a)
@JvmName("golf1") fun <R> golf(f: ({ints}) -> R, a: List<Int>): Any? = f({args})
@JvmName("golf2") fun <R> golf(f: ({longs}) -> R, a: List<Int>): Any? = f({longargs})
@JvmName("golf3") fun <R> golf(f: {curried}R, a: List<Int>): Any? = f{curry}
@JvmName("golf4") fun <R> golf(f: (List<Int>) -> R, a: List<Int>): Any? = f(a)
@JvmName("golf5") fun <R> golf(f: (IntArray) -> R, a: List<Int>): Any? = golfArray(f, a)
@JvmName("golf6") fun <R> golf(f: (Pair<Int, Int>) -> R, a: List<Int>): Any? = f(Pair(a[0], a[1]))
@JvmName("golf7") fun <R> golf(f: (Array<Int>) -> R, a: List<Int>): Any? { val t = a.toTypedArray(); return golfChanged(f(t), t, golfShow(a)) }
@JvmName("golf8") fun <R> golf(f: (String) -> R, a: List<Int>): Any? = f(a.joinToString(" "))
@JvmName("golf9") fun <R> golf(f: (MutableList<Int>) -> R, a: List<Int>): Any? { val t = a.toMutableList(); return golfChanged(f(t), t, golfShow(a)) }
@JvmName("golf10") fun <R> golf(f: (Triple<Int, Int, Int>) -> R, a: List<Int>): Any? = f(Triple(a[0], a[1], a[2]))

fun main() {
    val lines = generateSequence(::readLine).toList()
    val mark = lines[0]
    print(mark + "l" + mark + "\n")
    for (line in lines.drop(1)) {
        val a = line.split(" ").map { it.toInt() }
        var text: String
        try {
            golfKind = "v"
            val v = {call}
            text = if (v == Unit) "n" else golfKind + golfShow(v)
        } catch (e: Throwable) {
            text = "e" + e
        }
        print(mark + text + mark + "\n")
        System.out.flush()
    }
}
