package lang_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/lang"
)

// TestHeaders checks that a setter's program gets the headers that it does not contain, including those that these
// headers include. A contestant's program does not get them.
func TestHeaders(t *testing.T) {
	tools, box := boxed(t)
	dir := t.TempDir()
	// The unique comment makes sure that the program is not in the tests' cache.
	once := fmt.Sprintf("// %d\n", time.Now().UnixNano())
	writeIn(t, dir, "check.c", once+"#include \"outer.h\"\n#include <stdio.h>\nint main(void) { printf(\"%d\\n\", OUTER); }\n")
	headers := map[string]string{"outer.h": "#include \"lib/inner.h\"\n#define OUTER INNER\n", "lib/inner.h": "#define INNER 42\n"}
	extra := lang.BuildOptions{Header: func(name string) ([]byte, bool) {
		text, ok := headers[name]
		return []byte(text), ok
	}}
	path := filepath.Join(dir, "check.c")
	c, err := tools.Detect(path, "")
	if err != nil {
		t.Fatal(err)
	}
	if status, err := tools.Ready(t.Context(), c); err != nil || !status.Ready {
		t.Skip("no C compiler: apt-get install gcc")
	}
	made, err := tools.BuildWith(t.Context(), path, c, lang.BySetter, extra)
	if err != nil || !made.OK {
		t.Fatalf("the setter's program: %v, %+v", err, made)
	}
	if got := output(t, box, made.Program); got != "42\n" {
		t.Errorf("the setter's program prints %q, want 42", got)
	}
	if made, err = tools.BuildWith(t.Context(), path, c, lang.ByContestant, extra); err != nil || made.OK {
		t.Errorf("the contestant's program gets the setter's headers: %v, %+v", err, made)
	}
	headers["lib/inner.h"] = "#define INNER 43\n"
	if made, err = tools.BuildWith(t.Context(), path, c, lang.BySetter, extra); err != nil || !made.OK || made.Cached {
		t.Errorf("another header makes no other program: %v, %+v", err, made)
	}
}

// TestScripts checks that scripts in a setter's directory can build and run the program. Scripts of a contestant
// are ignored.
func TestScripts(t *testing.T) {
	tools, box := boxed(t)
	dir := t.TempDir()
	writeIn(t, dir, "build", "#!/bin/sh\ncp part.py run\n")
	writeIn(t, dir, "part.py", "#!/bin/sh\necho built\n")
	l, err := tools.Detect(dir, "", lang.BySetter)
	if err != nil {
		t.Fatal(err)
	}
	made, err := tools.Build(t.Context(), dir, l, lang.BySetter)
	if err != nil || !made.OK {
		t.Fatalf("Build: %v, %+v", err, made)
	}
	if got := output(t, box, made.Program); got != "built\n" {
		t.Errorf("the program prints %q", got)
	}
	if other, err := tools.Detect(dir, ""); err != nil || other == l {
		t.Errorf("a contestant's directory is built by its script: %v, %v", other, err)
	}
	// Windows line ends are converted in the scripts, and in the files that the scripts use.
	writeIn(t, dir, "build", "cp part.py run\r\n")
	writeIn(t, dir, "part.py", "#!/bin/sh\r\necho built again\r\n")
	if made, err = tools.Build(t.Context(), dir, l, lang.BySetter); err != nil || !made.OK {
		t.Fatalf("scripts of Windows: %v, %+v", err, made)
	}
	if got := output(t, box, made.Program); got != "built again\n" {
		t.Errorf("scripts of Windows make a program that prints %q", got)
	}
	writeIn(t, dir, "one.sh", "if true; then\r\n\techo one\r\nfi\r\n")
	one := filepath.Join(dir, "one.sh")
	shell, err := tools.Detect(one, "")
	if err != nil {
		t.Fatal(err)
	}
	if made, err = tools.Build(t.Context(), one, shell); err != nil || !made.OK || output(t, box, made.Program) != "one\n" {
		t.Errorf("a shell script of Windows: %v, %+v", err, made)
	}
	if err := os.Remove(one); err != nil {
		t.Fatal(err)
	}
	writeIn(t, dir, "build", "#!/bin/sh\necho no >&2\nexit 1\n")
	if made, err = tools.Build(t.Context(), dir, l, lang.BySetter); err != nil || made.OK || !strings.Contains(made.Log, "no") {
		t.Errorf("a script that fails: %v, %+v", err, made)
	}
}

// TestOldPython checks that a program that is certainly Python 2 is not compiled as Python 3.
func TestOldPython(t *testing.T) {
	tools, _ := boxed(t)
	for _, row := range []struct{ it, name, text, want string }{
		{"takes most for Python 3", "a.py", "print(input())\n", "python3"},
		{"knows a print statement", "a.py", "n = 5\nprint \"n is %d\" % n\n", "python2"},
		{"knows a print statement of a name", "a.py", "for i in range(3):\n    print i\n", "python2"},
		{"knows the old input", "a.py", "n = int(raw_input())\n", "python2"},
		{"goes by the #! line first", "a.py", "#!/usr/bin/env python3\n\"\"\"\nprint it\n\"\"\"\n", "python3"},
		{"goes by the #! line for Python 2 too", "a.py", "#!/usr/bin/python2\nprint(1)\n", "python2"},
		{"knows the extension", "a.py2", "print(1)\n", "python2"},
		{"does not take a comment for a statement", "a.py", "# print x\nprint('print \"x\"')\n", "python3"},
	} {
		dir := t.TempDir()
		writeIn(t, dir, row.name, row.text)
		l, err := tools.Detect(filepath.Join(dir, row.name), "")
		if err != nil || l.ID != row.want {
			t.Errorf("it %s: got %v, %v, want %s", row.it, l, err, row.want)
		}
	}
}

// output runs a program without input and returns its output.
func output(t *testing.T, r judge.Runner, p *judge.Program) string {
	t.Helper()
	var out bytes.Buffer
	c := p.Command(judge.Limits{})
	c.Stdout = &out
	if x, err := r.Run(t.Context(), c); err != nil || x.Exit != 0 {
		t.Fatalf("run %v: %+v, %v", p.Argv, x, err)
	}
	return out.String()
}
