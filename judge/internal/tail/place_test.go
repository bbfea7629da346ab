package tail_test

import (
	"testing"

	"assay/judge/internal/tail"
)

func TestPlace(t *testing.T) {
	for _, row := range []struct {
		it, text string
		sources  []string
		file     string
		line     int
		crashed  bool
	}{
		{"finds the last of Python's", "Traceback (most recent call last):\n  File \"/program/check.py\", line 9, in <module>\n    f()\n" +
			"  File \"/program/check.py\", line 3, in f\n  File \"/usr/lib/python3/json.py\", line 7, in loads\nValueError: no\n",
			[]string{"checker/check.py"}, "checker/check.py", 3, true},
		{"finds the second traceback", "Traceback (most recent call last):\n  File \"a.py\", line 9\nKeyError: 1\n\n" +
			"During handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"a.py\", line 11\n" +
			"ValueError: no\n", []string{"a.py"}, "a.py", 11, true},
		{"keeps a place before a traceback of other files",
			"Traceback (most recent call last):\n  File \"a.py\", line 9\nKeyError: 1\n\nTraceback (most recent call last):\n" +
				"  File \"lib.py\", line 11\nValueError: no\n", []string{"a.py"}, "a.py", 9, true},
		{"finds the first of Go's", "panic: runtime error: index out of range [3] with length 1\n\ngoroutine 1 [running]:\nmain.check(...)\n" +
			"\t./main.go:12 +0x1\nassay/judge/kit.Check(0x1)\n\t/kit/checker.go:5 +0x1\nmain.main()\n\t./main.go:20 +0x1\n",
			[]string{"c/main.go", "c/other.go"}, "c/main.go", 12, true},
		{
			"finds the first of Java's",
			"Exception in thread \"main\" java.lang.ArithmeticException: / by zero\n\tat Check.f(Check.java:4)\n\tat Check.main(Check.java:9)\n",
			[]string{"Check.java"}, "Check.java", 4, true,
		},
		{
			"finds an assertion of C++", "check: check.cpp:5: int main(): Assertion `a == 1' failed.\n",
			[]string{"check.cpp"}, "check.cpp", 5, true,
		},
		{
			"knows a single file by the name that it is built under",
			"Traceback (most recent call last):\n  File \"/program/main.py\", line 9\nKeyError: 1\n",
			[]string{"p/check.py"}, "p/check.py", 9, true,
		},
		{
			"knows a single file in Java, too", "Exception in thread \"main\" java.lang.Error\n\tat Main.main(Main.java:4)\n",
			[]string{"p/check.java"}, "p/check.java", 4, true,
		},
		{"knows several files by their own names", "panic: x\n\t./main.go:12\n", []string{"p/a.go", "p/b.go"}, "", 0, true},
		{
			"finds none in other files",
			"Traceback (most recent call last):\n  File \"lib.py\", line 9\nKeyError: 1\n", []string{"a.py"},
			"", 0, true,
		},
		{"finds Perl's", "no luck at /program/main.pl line 3.\n", []string{"check.pl"}, "check.pl", 3, false},
		{"finds that of a shell", "/program/main.sh: line 2: exec: nothing: not found\n", []string{"check.sh"}, "check.sh", 2, false},
		{"finds none in words", "the answer of a.py is 3, not a.py:x\n", []string{"a.py"}, "", 0, false},
		{"is no crash if a program says no", "line 3: n is too large\n", []string{"a.py"}, "", 0, false},
		{"knows what a Buffer kept", "ValueError: no\n...\n  File \"a.py\", line 3, in f\nValueError: no\n", []string{"a.py"}, "a.py", 3, true},
	} {
		file, line := tail.SourcePosition(row.text, row.sources)
		if file != row.file || line != row.line {
			t.Errorf("it %s: %s:%d, want %s:%d", row.it, file, line, row.file, row.line)
		}
		if got := tail.Crashed(row.text); got != row.crashed {
			t.Errorf("it %s: crashed %v, want %v", row.it, got, row.crashed)
		}
	}
}
