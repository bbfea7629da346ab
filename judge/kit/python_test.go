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
	"testing"

	"pgregory.net/rapid"
)

// The kit in Python must read, draw and say what this package does. Each test starts one
// of the programs of testdata/plays.py and compares answer by answer.

// inPython starts a program in stream mode and returns what asks it.
func inPython(t *testing.T, play string) func(parts ...string) quit {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3: apt-get install python3")
	}
	dir, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, filepath.Join(dir, "testdata", "plays.py"))
	cmd.Env = append(os.Environ(), "KIT_TEST_PLAY="+play, "PYTHONPATH="+dir, "PYTHONDONTWRITEBYTECODE=1")
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

// Stream starts a program in stream mode, and ends it with the test.
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

// reads reads out by the words of ans, as the play of this name does.
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

func TestPythonReadsAsGoDoes(t *testing.T) {
	python := inPython(t, "reads")
	compare := func(t interface{ Fatalf(string, ...any) }, name, out, ans string) {
		if got, want := python(name, "", out, ans), reads(name, out, ans); got != want {
			t.Fatalf("%s of %q by %s:\nPython %q\nGo     %q", name, out, ans, got, want)
		}
	}
	for _, word := range []string{"token", "word", "int64", "int", "space", "eoln", "eof", "line", "rest"} {
		for _, out := range []string{"", " ", "\n", "7", "-0", "+7", "007", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
			"1_0", "٧", "\x85", "\xa0x", "a\x00b", "\xff", "é", "\"\\'", "'", "\v\f7", "abc\r\nd", strings.Repeat("x\t", 3), strings.Repeat("é", 50), strings.Repeat("9", 5000), "\U0001F600", "\u200b", "\u2028"} {
			if word == "int" && len(out) > 18 {
				continue // Python's has bounds of any size
			}
			for _, name := range []string{"strict", "loose"} {
				compare(t, name, out, word)
				compare(t, name, out, word+" "+word)
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ans := rapid.SliceOfN(rapid.SampledFrom([]string{"token", "word", "int64", "int", "space", "eoln", "eof", "line", "rest"}), 1, 6).Draw(t, "words")
		out := rapid.SliceOfN(rapid.SampledFrom([]string{"7", "-12", "100", "ab", " ", "\n", "\t", "\xff", "é", "+", "0"}), 0, 12).Draw(t, "text")
		compare(t, rapid.SampledFrom([]string{"strict", "loose"}).Draw(t, "name"), strings.Join(out, ""), strings.Join(ans, " "))
	})
}

// draws draws in every way that both kits have, as the play of this name does.
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

func TestPythonDrawsAsGoDoes(t *testing.T) {
	python := inPython(t, "draws")
	rapid.Check(t, func(t *rapid.T) {
		seed := Seed("", rapid.String().Draw(t, "seed"))
		args := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "--max", "--min", "1e3", "x", "5e18", "-0", "1e19"}), 0, 5).Draw(t, "args")
		for _, seed := range []string{seed, "record " + seed, "replay"} {
			if got, want := python(append([]string{seed}, args...)...), generation(draws, seed, args); got != want {
				t.Fatalf("%s %q:\nPython %q\nGo     %q", seed, args, got, want)
			}
		}
		choices := rapid.SliceOfN(rapid.Uint64(), 0, 40).Draw(t, "choices")
		told := "replay " + strings.Trim(fmt.Sprint(choices), "[]")
		if got, want := python(told, "x"), generation(draws, told, []string{"x"}); got != want {
			t.Fatalf("%s:\nPython %q\nGo     %q", told, got, want)
		}
	})
	for _, seed := range []string{"", "xyz", "record", "replay -1", "replay x"} {
		if got := python(seed, "x"); got.verdict != Fail {
			t.Errorf("the seed %q is taken: %v", seed, got)
		}
	}
}

func TestPythonChecksGolf(t *testing.T) {
	python := inPython(t, "golf")
	request, err := json.Marshal(Golf{All: true, Answers: []GolfAnswer{{[]string{"1", "2"}, []byte("2\n")}, {[]string{"3", "2"}, []byte("2")}}})
	if err != nil {
		t.Fatal(err)
	}
	q := python(string(request))
	var got GolfReport
	if err := json.Unmarshal([]byte(q.message), &got); err != nil {
		t.Fatalf("%q: %v", q.message, err)
	}
	want := GolfReport{Wrong: []GolfWrong{{1, "want 3"}}, Notes: []string{"a note"}, Says: []string{"all: True"}}
	if q.verdict != WA || !reflect.DeepEqual(got, want) {
		t.Errorf("%s %+v, want %s %+v", q.verdict, got, WA, want)
	}
	if empty := python(`{"All":false,"Answers":null}`); empty.verdict != OK {
		t.Errorf("no answers: %v", empty)
	}
}
