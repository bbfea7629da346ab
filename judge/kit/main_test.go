package kit_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/kit"
)

// TestMain also serves as the kit programs that the tests start.
func TestMain(m *testing.M) {
	switch os.Getenv("KIT_TEST_PLAY") {
	case "checker":
		if os.Getenv(kit.StreamEnv) == "" {
			fmt.Println("a setter's print")
		}
		kit.Check(func(t *kit.Test) {
			fmt.Println("another one")
			switch want, got := t.Ans.Int64(), t.Out.Int64(); {
			case got < 0:
				return
			case got > 100:
				panic("too large")
			case got != want:
				t.Quit(kit.WA, "want %d, got %d", want, got)
			}
			if t.In.Rest() == "rest" {
				t.Out.Rest()
			}
			t.Quit(kit.OK, "")
		})
	case "validator":
		kit.Validate(func(in *kit.Reader) { in.Int(1, 9, "n"); in.EOLN() })
	case "generator":
		kit.Generate(func(g *kit.Gen) { g.Println(g.Kind, g.Rand.Between(1, 1e9)) })
	case "interactor":
		kit.Interact(interactor)
	case "":
		os.Exit(tests(m))
	}
}

// tests runs the tests with a shared directory for the files that they build.
func tests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "kit-test-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	kit.Built = dir
	return m.Run()
}

// TestByHand runs kit programs manually, without the judge.
func TestByHand(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"7": "7\n", "8": "8\n", "500": "500", "minus": "-1", "x": "x", "rest": "rest",
		"junk": "7 \nor maybe -1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		name, play, args, stdin string
		exit                    int
		stdout, stderr          string // stderr is the expected end of standard error
	}{
		{"a checker exits with 0 for right", "checker", "7 7 7", "", 0, "a setter's print\nanother one\n", ""},
		{"a checker exits with 1 for wrong", "checker", "7 8 7", "", 1, "a setter's print\nanother one\n", "want 7, got 8\n"},
		{
			"a checker exits with 1 for what it cannot read", "checker", "7 x 7", "", 1,
			"a setter's print\nanother one\n", "output, line 1, column 1: want an integer, got \"x\"\n",
		},
		{
			"a checker exits with 1 for what it leaves unread", "checker", "7 junk 7", "", 1,
			"a setter's print\nanother one\n",
			"output, line 2, column 1: extra output: want the end of the file, got 'o'\n",
		},
		{"a checker that reads the rest leaves nothing", "checker", "rest junk 7", "", 0, "a setter's print\nanother one\n", ""},
		{
			"a checker exits with 3 for a bad answer", "checker", "7 7 x", "", 3,
			"a setter's print\nanother one\n", "answer, line 1, column 1: want an integer, got \"x\"\n",
		},
		{"a checker exits with 3 when it panics", "checker", "7 500 7", "", 3, "a setter's print\nanother one\n", "panic: too large\n"},
		{
			"a checker exits with 3 without a verdict", "checker", "7 minus 7", "", 3,
			"a setter's print\nanother one\n", "the checker returned without calling Quit\n",
		},
		{"a checker exits with 3 without its files", "checker", "7 8 9", "", 3, "a setter's print\n", "no such file or directory\n"},
		{"a checker says how it is used", "checker", "", "", 3, "a setter's print\n", "<input file> <output file> <answer file>\n"},
		{"a validator exits with 0 for a valid input", "validator", "", "7\n", 0, "", ""},
		{
			"a validator exits with 3 for any other", "validator", "", "7", 3, "",
			"input, line 1, column 2: want the end of the line, got the end of the file\n",
		},
		{
			"a validator reads to the end", "validator", "", "7\n\n", 3, "",
			"input, line 2, column 1: want the end of the file, got the end of the line\n",
		},
		{"a generator prints a case", "generator", "random", "", 0, "random RANDOM\n", ""},
		{"a generator exits with 3 for a bad line", "generator", "random --x 1", "", 3, "", "kind \"random\" does not use the option --x\n"},
	} {
		kit.InEach(t, row.name, func(t *testing.T, l kit.Language) {
			cmd := l.Start(t, row.play, strings.Fields(row.args)...)
			cmd.Dir = dir
			cmd.Stdin = strings.NewReader(row.stdin)
			stdout, stderr, exit := run(t, cmd)
			if row.play == "generator" && exit == 0 {
				stdout = strings.Replace(stdout, strings.Fields(stdout)[1], "RANDOM", 1)
			}
			if exit != row.exit || stdout != row.stdout || !strings.HasSuffix(stderr, word(l, row.stderr)) || row.stderr == "" && stderr != "" {
				t.Errorf("exit code %d, output %q, errors %q\nwant %d, %q, %q", exit, stdout, stderr, row.exit, row.stdout, row.stderr)
			}
		})
	}
}

func TestTheSeedComesFromTheEnvironment(t *testing.T) {
	kit.InEach(t, "seeds", seedsFromTheEnvironment)
}

func seedsFromTheEnvironment(t *testing.T, l kit.Language) {
	generate := func(seed string) string {
		cmd := l.Start(t, "generator", "random")
		if seed != "" {
			cmd.Env = append(cmd.Env, kit.SeedEnv+"="+seed)
		}
		stdout, _, _ := run(t, cmd)
		return stdout
	}
	a, b := generate(kit.Seed("a", "random")), generate(kit.Seed("b", "random"))
	if a == b || a != generate(kit.Seed("a", "random")) {
		t.Errorf("seed a makes %q, seed b %q", a, b)
	}
	if generate("") != generate(kit.Seed("", "random")) {
		t.Error("without a seed, the line is not the seed")
	}
	if five := generate("5"); five == "" || five == generate("6") || five != generate(kit.Seed("", "5")) {
		t.Errorf("the seed 5 makes %q", five)
	}
}

// TestStream runs kit programs in stream mode, as the judge does.
func TestStream(t *testing.T) {
	seed := kit.Seed("", "random")
	for _, row := range []struct {
		play    string
		request [][]string // parts
		want    string     // expected output, including the greeting
	}{
		{"checker", [][]string{{"a/b", "", "7", "7"}, {"a/c", "", "8", "7"}, {"a/e", "", "7 8", "7"}, {"a/d", "", "7", "x"}, {"too", "few"}},
			"assay-kit 1 checker\nok 0\nwrong 13\nwant 7, got 8wrong 73\noutput, line 1, column 3: extra output: want the end of the file, got " +
				"'8'fail 50\nanswer, line 1, column 1: want an integer, got \"x\"fail 26\na check has 4 parts, got 2"},
		{"validator", [][]string{{"a/b", "7\n"}, {"a/b", "0\n"}, {}},
			"assay-kit 1 validator\nok 0\nwrong 45\ninput, line 1, column 1: n = 0 is not in 1..9fail 31\na validation has 2 parts, got 0"},
		{"generator", [][]string{{seed, "random"}, {seed, "random"}, {seed, "x", "y"}, {}},
			"assay-kit 1 generator\nok 17\nrandom 742539885\nok 17\nrandom 742539885\nfail 38\nkind \"x\" does not use the argument \"y\"fail 37\n" +
				"a generation has a seed, got no parts"},
	} {
		kit.InEach(t, row.play, func(t *testing.T, l kit.Language) {
			var requests bytes.Buffer
			for _, parts := range row.request {
				raw := make([][]byte, len(parts))
				for i, p := range parts {
					raw[i] = []byte(p)
				}
				if err := kit.WriteFrame(&requests, "go", raw...); err != nil {
					t.Fatal(err)
				}
			}
			cmd := l.Start(t, row.play)
			cmd.Env = append(cmd.Env, kit.StreamEnv+"=1")
			cmd.Stdin = &requests
			stdout, stderr, exit := run(t, cmd)
			if exit != 0 || stdout != row.want {
				t.Errorf("exit code %d, output %q\nwant %q\nerrors %q", exit, stdout, row.want, stderr)
			}
		})
	}
}

// word converts a message of the Go kit to the message that is expected from the kit in language l.
func word(l kit.Language, text string) string {
	return strings.ReplaceAll(text, "panic: too large", map[kit.Language]string{
		kit.Go: "panic: too large", kit.Python: "exception: ValueError: too large", kit.CPP: "exception: too large",
	}[l])
}

func run(t *testing.T, cmd *exec.Cmd) (stdout, stderr string, exit int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
