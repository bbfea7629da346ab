//go:build unix

package lang_test

import (
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"assay/judge"
	"assay/judge/running/lang"
)

// header returns the beginning of an ELF file.
func header(kind elf.Type, machine elf.Machine, class elf.Class) string {
	h := make([]byte, 64)
	copy(h, elf.ELFMAG)
	h[elf.EI_CLASS], h[elf.EI_DATA] = byte(class), byte(elf.ELFDATA2LSB)
	h[16], h[18], h[19] = byte(kind), byte(machine), byte(machine>>8)
	return string(h)
}

func here() elf.Machine {
	return map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[runtime.GOARCH]
}

func TestDetect(t *testing.T) {
	box, _, _ := toolbox(t)
	for _, row := range []struct {
		it, name, text, override string
		want                     string // the language's id, or part of the error
	}{
		{"goes by the extension", "sol.cpp", "x", "", "cpp"},
		{"knows capital letters apart", "sol.C", "x", "", "cpp"},
		{"takes other letter cases if no language has exactly this one", "SOL.PY", "x", "", "python3"},
		{"takes what was asked for first", "sol.cpp", "x", "python", "python3"},
		{"finds aliases in any case", "sol", "x", "C++", "cpp"},
		{"goes by the #! line without an extension", "sol", "#!/usr/bin/perl -w\n", "", "perl"},
		{"looks through env", "sol", "#!/usr/bin/env -S A=1 python3.11 -O\n", "", "python3"},
		{"decides by the #! line where two languages share an extension", "sol.py", "#!/usr/bin/env pypy3\n", "", "pypy"},
		{"puts the extension before the #! line of another language", "sol.rb", "#!/usr/bin/perl\n", "", "ruby"},
		{"knows an executable of this machine", "sol", header(elf.ET_DYN, here(), elf.ELFCLASS64), "", "binary"},
		{"takes an executable whatever its extension", "sol.out", header(elf.ET_EXEC, here(), elf.ELFCLASS64), "", "binary"},
		{"takes a script as an executable only when asked", "sol", "#!/usr/bin/tclsh\n", "binary", "binary"},
		{"takes names with blanks and bytes that are not text", "my \xff sol.py", "x", "", "python3"},

		{"suggests an alias", "sol.cpp", "x", "pyton", `unknown language "pyton"` + "\n    did you mean \"python\"?"},
		{"lists languages for a word like none", "sol.cpp", "x", "zzzzzz", "\n    one of: "},
		{"refuses an empty file", "sol.py", "", "", "the file is empty"},
		{"refuses a header", "sol.hpp", "x", "", "is a header of C++"},
		{"refuses an unknown extension", "sol.xyz", "x", "", "no language has the extension .xyz"},
		{"refuses a text that says nothing", "sol", "hello", "", "neither its name nor a #! line"},
		{"rejects a #! line of no language", "sol", "#!/usr/bin/wish\n", "", `the interpreter "wish"`},
		{"refuses bytes that are nothing", "sol", "\x00\x01\x02", "", "neither a text nor a program"},
		{"refuses programs for Windows", "sol", "MZ\x90\x00" + strings.Repeat("\x00", 60), "", "a program for Windows"},
	} {
		t.Run(row.it, func(t *testing.T) {
			l, err := box.Detect(write(t, row.name, row.text), row.override)
			got := ""
			if l != nil {
				got = l.ID
			} else {
				got = err.Error()
				if _, ok := errors.AsType[*lang.UnusableError](err); !ok {
					t.Errorf("Detect: %v, want an *UnusableError", err)
				}
				if f, ok := errors.AsType[*judge.ProblemError](err); !ok || f.Hint == "" && row.text != "" {
					t.Errorf("Detect: %v, want a fault with a hint", err)
				}
			}
			if got != row.want && (l != nil || !strings.Contains(got, row.want)) {
				t.Errorf("Detect(%q, %q) = %q, want %q", row.name, row.override, got, row.want)
			}
		})
	}
}

func TestDetectOddPaths(t *testing.T) {
	box, _, _ := toolbox(t)
	dir := t.TempDir()
	writeIn(t, dir, "solution.py", "x")
	pipe := filepath.Join(dir, "pipe.py")
	if err := syscall.Mkfifo(pipe, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ it, path, want string }{
		{"suggests a file beside one that is not there", filepath.Join(dir, "soluton.py"), `did you mean "` + dir + `/solution.py"?`},
		{"does not wait for a pipe", pipe, "is a named pipe"},
		{"refuses a device", "/dev/zero", "is a device"},
	} {
		if _, err := box.Detect(row.path, ""); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("it %s: Detect(%s) = %v, want %q", row.it, row.path, err, row.want)
		}
	}
}

func TestDetectFolder(t *testing.T) {
	box, _, _ := toolbox(t)
	for _, row := range []struct{ it, files, want string }{
		{"takes the only language", "a.cpp b.cpp a.h README.md data.txt", "cpp"},
		{"takes the language that has an entry", "main.py build.sh", "python3"},
		{"does not look at hidden files", "a.go .git/x.py .x.py", "go"},
		{"looks into directories", "src/main.rs", "rust"},
		{"asks where two languages could be meant", "a.cpp b.py", "--lang cpp, --lang python3"},
		{"refuses a directory without a program", "a.txt", "no program in a known language"},
		{"refuses an empty directory", "", "no program in a known language"},
	} {
		dir := t.TempDir()
		for _, name := range strings.Fields(row.files) {
			writeIn(t, dir, name, "x")
		}
		l, err := box.Detect(dir, "")
		if l != nil && l.ID != row.want || l == nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("it %s: Detect(%s) = %v, %v, want %q", row.it, row.files, l, err, row.want)
		}
		sure, err := box.DetectStrict(dir, "")
		if several := row.files == "main.py build.sh"; sure != l && !several || several &&
			(err == nil || !strings.Contains(err.Error(), "name one of its files, or choose a language: --lang python3, --lang shell")) {
			t.Errorf("it %s: DetectStrict(%s) = %v, %v", row.it, row.files, sure, err)
		}
		if l, err := box.DetectStrict(dir, "go"); err != nil || l.ID != "go" {
			t.Errorf("it takes what was asked for: DetectStrict(%s) = %v, %v", row.files, l, err)
		}
	}
}

func TestUsualEntry(t *testing.T) {
	for _, row := range []struct{ it, usual, sources, want string }{
		{"finds it at the top", "main.py", "a.py main.py", "main.py"},
		{"takes the first of several", "main.js index.js", "index.js main.js", "main.js"},
		{"prefers the top", "main.rs", "main.rs src/main.rs", "main.rs"},
		{"finds it below, as cargo has it", "main.rs", "src/lib.rs src/main.rs", "src/main.rs"},
		{"does not choose between directories", "main.rs", "a/main.rs b/main.rs", ""},
		{"knows no others", "main.py", "domain.py", ""},
	} {
		if got := lang.UsualEntry(strings.Fields(row.usual), strings.Fields(row.sources)); got != row.want {
			t.Errorf("it %s: UsualEntry(%s, %s) = %q, want %q", row.it, row.usual, row.sources, got, row.want)
		}
	}
}

func TestUnnamed(t *testing.T) {
	for _, row := range []struct {
		it    string
		files map[string]string
		want  string
	}{
		{"knows a library in Prolog", map[string]string{"lib.pl": "add(A,B,C) :- C is A+B.", "sol.pl": ":- [lib].\nmain :- halt."}, "sol.pl"},
		{"knows a unit in Pascal, in other letters too", map[string]string{
			"calc.pas": "unit calc; interface implementation end.", "add.pas": "uses Calc; begin end.",
		}, "add.pas"},
		{"does not choose between two", map[string]string{"a.pl": "x.", "b.pl": "y."}, ""},
		{"does not choose where each names the other", map[string]string{"a.pl": ":- [b].", "b.pl": ":- [a]."}, ""},
	} {
		if got := lang.Unnamed(row.files); got != row.want {
			t.Errorf("it %s: Unnamed(%v) = %q, want %q", row.it, row.files, got, row.want)
		}
	}
}

// TestUnusable checks that Build rejects unusable files before it runs anything.
func TestUnusable(t *testing.T) {
	box, runner, _ := toolbox(t)
	big := write(t, "big.py", "x")
	if err := os.Truncate(big, 1<<30); err != nil {
		t.Fatal(err)
	}
	linked := t.TempDir()
	writeIn(t, linked, "main.py", "x")
	if err := os.Symlink("/etc/passwd", filepath.Join(linked, "data.txt")); err != nil {
		t.Fatal(err)
	}
	folder := func(names ...string) string {
		dir := t.TempDir()
		for _, name := range names {
			writeIn(t, dir, name, "x")
		}
		return dir
	}
	var many []string
	for i := range 300 {
		many = append(many, strings.Repeat("x", i+1)[:min(i+1, 200)]+string(rune('a'+i%26))+".py")
	}
	for _, row := range []struct{ it, path, language, want string }{
		{"refuses a file of 1 GB", big, "python3", "has 1 GiB; a program in Python 3 may have 1 MiB"},
		{"refuses a large executable later", big, "binary", "may have 64 MiB"},
		{"refuses an executable for another machine", write(
			t, "x", header(elf.ET_EXEC, elf.EM_S390, elf.ELFCLASS64),
		), "binary", "another machine: S390, and this one is"},
		{"refuses an object file", write(t, "x.o", header(elf.ET_REL, here(), elf.ELFCLASS64)), "binary", "an object file"},
		{"refuses a damaged executable", write(t, "x", "\x7fELF\x02"), "binary", "damaged"},
		{"refuses a directory without an entry point", folder("a.py", "b.py"), "python3", "which of a.py, b.py starts the program?"},
		{"refuses a directory in another language", folder("a.py"), "go", "has no Go program"},
		{"refuses links in directories", linked, "python3", "is a symbolic link"},
		{"refuses names in directories that are not text", folder("main.py", "\xff.py"), "python3",
			"has a name that build commands cannot handle"},
		{"refuses very many files", folder(append(many, "main.py")...), "python3", "has more than 200 files"},
	} {
		l, ok := ours(t).Language(row.language)
		if !ok {
			t.Fatal(row.language)
		}
		r, err := box.Build(t.Context(), row.path, l)
		if _, ok := errors.AsType[*lang.UnusableError](err); !ok || !strings.Contains(err.Error(), row.want) {
			t.Errorf("it %s: Build = %v, %v, want an *UnusableError with %q", row.it, r, err, row.want)
		}
	}
	if n := runner.runs.Load(); n != 0 {
		t.Errorf("%d commands were run for programs that are none", n)
	}
}

func FuzzDetect(f *testing.F) {
	box, _, _ := toolbox(f)
	for _, seed := range []string{
		"#!/usr/bin/env python3\n", "#!", "#! \n", "#!/usr/bin/env", header(elf.ET_DYN, here(), elf.ELFCLASS64),
		"MZ\x90\x00", "\x7fELF", "\x7fELF\x02\x02\x01                   ",
	} {
		f.Add("sol", []byte(seed))
		f.Add("sol.py", []byte(seed))
	}
	dir := f.TempDir()
	bin, _ := ours(f).Language("binary")
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if strings.ContainsAny(name, "/\x00") || name == "" || name == "." || name == ".." || len(name) > 100 {
			t.Skip()
		}
		path := writeIn(t, dir, name, string(data))
		defer os.Remove(path)
		l, err := box.Detect(path, "")
		if _, ok := errors.AsType[*lang.UnusableError](err); l == nil && !ok {
			t.Errorf("Detect = %v", err)
		}
		if l == nil || l.ID == bin.ID {
			if _, err := box.Build(t.Context(), path, bin); err != nil {
				if _, ok := errors.AsType[*lang.UnusableError](err); !ok {
					t.Errorf("Build = %v", err)
				}
			}
		}
	})
}
