package kit

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// The kits in other languages must read input, generate random numbers and write messages exactly like this
// package. Each test starts a program of testdata/plays.* and compares its answers with those of this package.

// Language is a language in which the kit and the programs of these tests exist.
type Language string

// Languages by their ids in judge.toml.
const (
	Go     Language = "go"
	Python Language = "python3"
	CPP    Language = "cpp"
)

// Languages lists all languages of the kit.
var Languages = []Language{Go, Python, CPP}

// InEach runs a test with the kit in each language.
func InEach(t *testing.T, name string, test func(t *testing.T, l Language)) {
	t.Helper()
	for _, l := range Languages {
		t.Run(string(l)+"/"+name, func(t *testing.T) { test(t, l) })
	}
}

// Start returns the command that starts a test program.
func (l Language) Start(t testing.TB, play string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	env := []string{"KIT_TEST_PLAY=" + play}
	switch l {
	case Python:
		if path, err = exec.LookPath("python3"); err != nil {
			t.Skip("no python3: apt-get install python3")
		}
		here, err := filepath.Abs(".")
		if err != nil {
			t.Fatal(err)
		}
		args = append([]string{filepath.Join(here, "testdata", "plays.py")}, args...)
		env = append(os.Environ(), append(env, "PYTHONPATH="+here, "PYTHONDONTWRITEBYTECODE=1")...)
	case CPP:
		if _, err := exec.LookPath("g++"); err != nil {
			t.Skip("no g++: apt-get install g++")
		}
		path, err = playsInCPP()
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = env
	return cmd
}

// Built is the directory for files that the tests build. TestMain creates and removes it.
var Built string

// playsInCPP builds the C++ programs, in the oldest version of C++ that the kit supports and with all warnings.
var playsInCPP = sync.OnceValues(func() (string, error) {
	path := filepath.Join(Built, "plays")
	said, err := exec.Command(
		"g++", "-std=c++14", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-I.", "-o", path,
		"testdata/plays.cpp",
	).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, said)
	}
	return path, nil
})

// asks starts a program in stream mode, and returns a function that sends it a request and returns its answer.
func (l Language) asks(t *testing.T, play string) func(parts ...string) quit {
	t.Helper()
	cmd := l.Start(t, play)
	cmd.Stderr = os.Stderr
	to, from := Stream(t, cmd)
	return func(parts ...string) quit {
		raw := make([][]byte, len(parts))
		for i, p := range parts {
			raw[i] = []byte(p)
		}
		if err := WriteFrame(to, "go", raw...); err != nil {
			t.Fatal(err)
		}
		f, err := ReadFrame(from, 1<<30)
		if err != nil || len(f.Parts) != 1 {
			t.Fatalf("the program answers %v: %v", f, err)
		}
		return quit{Verdict(f.Verb), string(f.Parts[0])}
	}
}

// inOthers runs a test with the kit in each language except Go.
func inOthers(t *testing.T, play string, test func(t *testing.T, l Language, ask func(parts ...string) quit)) {
	t.Helper()
	for _, l := range Languages[1:] {
		t.Run(string(l), func(t *testing.T) { test(t, l, l.asks(t, play)) })
	}
}

// Stream starts a program in stream mode, and stops it at the end of the test.
func Stream(t testing.TB, cmd *exec.Cmd) (to io.WriteCloser, from *bufio.Reader) {
	t.Helper()
	cmd.Env = append(cmd.Env, StreamEnv+"=1")
	to, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		to.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	from = bufio.NewReader(stdout)
	if hello, err := from.ReadString('\n'); err != nil || !strings.HasPrefix(hello, Hello) {
		t.Fatalf("the program greets with %q: %v", hello, err)
	}
	return to, from
}

// reads calls the methods of a Reader on the text out, as directed by the words of ans. The test program "reads"
// does the same in other languages.
func reads(name, out, ans string) quit {
	return catch(func() {
		r := &Reader{data: []byte(out), name: "output", blame: WA, strict: name == "strict"}
		var got []string
		for _, word := range strings.Fields(ans) {
			text := ""
			switch word {
			case "token":
				text = r.Token()
			case "word":
				text = r.Word(1, 3, "w")
			case "int64":
				text = fmt.Sprint(r.Int64())
			case "int":
				text = fmt.Sprint(r.Int(-5, 99, "n"))
			case "space":
				r.Space()
			case "eoln":
				r.EOLN()
			case "eof":
				r.EOF()
			case "line":
				text = r.Line()
			case "rest":
				text = r.Rest()
			}
			got = append(got, text)
		}
		(&Test{}).Quit(OK, "%s", strings.Join(got, "|"))
	})
}

func TestOthersReadAsGoDoes(t *testing.T) { inOthers(t, "reads", readsAsGoDoes) }

func readsAsGoDoes(t *testing.T, l Language, ask func(parts ...string) quit) {
	compare := func(t interface{ Fatalf(string, ...any) }, name, out, ans string) {
		if got, want := ask(name, "", out, ans), reads(name, out, ans); got != want {
			t.Fatalf("%s of %q by %s:\n%s %q\nGo %q", name, out, ans, l, got, want)
		}
	}
	for _, word := range []string{"token", "word", "int64", "int", "space", "eoln", "eof", "line", "rest"} {
		for _, out := range []string{"", " ", "\n", "7", "-0", "+7", "007", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
			"1_0", "٧", "\x85", "\xa0x", "a\x00b", "\xff", "é", "\"\\'", "'", "\v\f7", "abc\r\nd", strings.Repeat("x\t", 3), strings.Repeat("é",
				50), strings.Repeat("9", 5000), "\U0001F600", "\u200b", "\u2028"} {
			if l == Python && word == "int" && len(out) > 18 {
				continue // bounds in the Python kit may have any size
			}
			for _, name := range []string{"strict", "loose"} {
				compare(t, name, out, word)
				compare(t, name, out, word+" "+word)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ans := rapid.SliceOfN(rapid.SampledFrom([]string{
			"token", "word", "int64", "int", "space", "eoln", "eof", "line", "rest",
		}), 1, 6).Draw(t, "words")
		out := rapid.SliceOfN(rapid.SampledFrom([]string{"7", "-12", "100", "ab", " ", "\n", "\t", "\xff", "é", "+", "0"}), 0, 12).Draw(t, "text")
		compare(t, rapid.SampledFrom([]string{"strict", "loose"}).Draw(t, "name"), strings.Join(out, ""), strings.Join(ans, " "))
	})
}

// draws generates all kinds of random numbers that the kits support, in the same way as the test program "draws".
func draws(g *Gen) {
	r := g.Rand
	n := r.Between(1, 6)
	g.Println(n, r.Between(-3, 9), r.Between(-1<<63, 1<<63-1), r.Between(-9, -2), r.Between(-9, 3))
	for range n {
		g.Printf("%d,%d,%d,%d ", r.IntN(10), r.IntN(1e18), r.IntN(1<<63-1), r.IntN(64))
	}
	for _, p := range r.Perm(int(n)) {
		g.Printf("%d ", p)
	}
	g.Println(int64(r.Float64()*(1<<53)), Pick(r, []string{"x", "y", "z"}))
	for _, word := range g.Words(0) {
		g.Print(word, " ")
	}
	g.Println(g.IntOption("max", 7))
}

func TestOthersDrawAsGoDoes(t *testing.T) { inOthers(t, "draws", drawsAsGoDoes) }

func drawsAsGoDoes(t *testing.T, l Language, ask func(parts ...string) quit) {
	rapid.Check(t, func(t *rapid.T) {
		seed := Seed("", rapid.String().Draw(t, "seed"))
		args := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "--max", "--min", "1e3", "x", "5e18", "-0", "1e19"}), 0, 5).Draw(t, "args")
		for _, seed := range []string{seed, "record " + seed, "replay"} {
			if got, want := ask(append([]string{seed}, args...)...), generation(draws, seed, args); got != want {
				t.Fatalf("%s %q:\n%s %q\nGo %q", seed, args, l, got, want)
			}
		}
		choices := rapid.SliceOfN(rapid.Uint64(), 0, 40).Draw(t, "choices")
		told := "replay " + strings.Trim(fmt.Sprint(choices), "[]")
		if got, want := ask(told, "x"), generation(draws, told, []string{"x"}); got != want {
			t.Fatalf("%s:\n%s %q\nGo %q", told, l, got, want)
		}
	})
	for _, seed := range []string{"", "xyz", "record", "replay -1", "replay x"} {
		if got := ask(seed, "x"); got.verdict != Fail {
			t.Errorf("the seed %q is taken: %v", seed, got)
		}
	}
}

func TestOthersCheckGolf(t *testing.T) { inOthers(t, "golf", checksGolf) }

func checksGolf(t *testing.T, l Language, ask func(parts ...string) quit) {
	request, err := json.Marshal(Golf{All: true, Answers: []GolfAnswer{
		{[]string{"1", "2"}, []byte("2\n")}, {[]string{"3", "2"}, []byte("2")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	q := ask(string(request))
	var got GolfReport
	if err := json.Unmarshal([]byte(q.message), &got); err != nil {
		t.Fatalf("%q: %v", q.message, err)
	}
	want := GolfReport{Wrong: []GolfWrong{{1, "want 3"}}, Notes: []string{"a note"}, Says: []string{
		map[Language]string{Python: "all: True", CPP: "all: true"}[l],
	}}
	if q.verdict != WA || !reflect.DeepEqual(got, want) {
		t.Errorf("%s %+v, want %s %+v", q.verdict, got, WA, want)
	}
	if empty := ask(`{"All":false,"Answers":null}`); empty.verdict != OK {
		t.Errorf("no answers: %v", empty)
	}
}

// TestCPPQuotesAsGoDoes checks that the C++ kit escapes quoted text in the same way as Go. It tries the assigned
// characters below U+0300. Above these, it tries adjacent assigned characters for which unicode.IsPrint differs.
func TestCPPQuotesAsGoDoes(t *testing.T) {
	ask := CPP.asks(t, "reads")
	assigned := func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co)
	}
	tried := 0
	last := rune(-1)
	for r := range rune(unicode.MaxRune + 1) {
		if !assigned(r) {
			continue
		}
		if last < 0 || unicode.IsPrint(r) != unicode.IsPrint(last) || r < 0x300 {
			for _, r := range []rune{max(last, 0), r} {
				tried++
				text := "x" + string(r)
				if got, want := ask("strict", "", text, "int64 int64"), reads("strict", text, "int64 int64"); got != want {
					t.Errorf("%U: %q, want %q", r, got.message, want.message)
				}
			}
		}
		last = r
	}
	if tried < 600 {
		t.Errorf("only %d characters were tried", tried)
	}
}

// TestCPPFormats checks that messages are formatted according to the types of the values.
func TestCPPFormats(t *testing.T) {
	ask := CPP.asks(t, "formats")
	if q := ask("", "", "", ""); q.verdict != OK {
		t.Error(q.message)
	}
}
