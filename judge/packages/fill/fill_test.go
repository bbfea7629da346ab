package fill_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge"
	"assay/judge/packages/fill"
)

// TestSeed compares seeds with those computed by Python's hashlib.
func TestSeed(t *testing.T) {
	for _, row := range []struct {
		it, salt, command string
		count             int
		want              uint32
	}{
		{"hashes salt and command", "abcd", "graph {seed}", 1, 611036640},
		{"has the number before the command", "", "graph {seed:3} 2", 2, 888371741},
		{"takes numbers below zero", "x", "graph {seed:3} -3", -3, 1587367332},
		{"leaves out blanks at both ends", "abcd", " graph {seed}\n", 1, 611036640},
	} {
		if got := fill.Seed(row.salt, row.command, row.count); got != row.want {
			t.Errorf("it %s: Seed(%q, %q, %d) = %d, want %d", row.it, row.salt, row.command, row.count, got, row.want)
		}
	}
}

// runner is a sandbox whose generator prints its arguments and whose solution prints the length of the input.
type runner struct{ fails int }

func (r *runner) Run(ctx context.Context, c *judge.Command) (judge.Exec, error) {
	if c.Stdin != nil {
		in, err := io.ReadAll(c.Stdin)
		if err != nil {
			return judge.Exec{}, err
		}
		fmt.Fprintf(c.Stdout, "%d\n", len(in))
		return judge.Exec{}, nil
	}
	if r.fails > 0 {
		r.fails--
		return judge.Exec{Exit: 1}, nil
	}
	if slices.Contains(c.Argv, "--file") {
		dir := c.Mounts[len(c.Mounts)-1].Host
		return judge.Exec{}, errors.Join(os.WriteFile(filepath.Join(dir, "testcase.in"), []byte("file\n"), 0o644), os.WriteFile(
			filepath.Join(dir, "testcase.ans"), []byte("own\n"), 0o644,
		))
	}
	fmt.Fprintf(c.Stdout, "%q\n", c.Argv)
	return judge.Exec{}, nil
}

func (r *runner) Start(context.Context, *judge.Command) (judge.Process, error) {
	return nil, errors.New("nothing is started here")
}

func build(_ context.Context, p *judge.SetterProgram) (*judge.Program, error) {
	return &judge.Program{Name: p.Path, Argv: []string{filepath.Base(p.Path)}}, nil
}

// unpack extracts an archive to a directory called "p".
func unpack(t *testing.T, archive *txtar.Archive) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p")
	if err := txtar.Write(archive, dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tree reads all files below a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestGenerators(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/package.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := unpack(t, archive)
	filler := &fill.Filler{Runner: &runner{}, Builder: builder(build), Jobs: 2}
	cache := t.TempDir()
	read := func(stage string) (*fill.Recipe, judge.ProblemErrors, judge.ProblemErrors) {
		return fill.Generators(fill.PackageIn(dir, stage))
	}
	kept, err := filler.FillCached(t.Context(), dir, fill.OpenCache(cache), read)
	if err != nil {
		t.Fatal(err)
	}
	if len(kept.Faults) > 0 {
		t.Errorf("faults:\n%v", kept.Faults)
	}
	one := fmt.Sprintf("[\"pair\" \"a\" \"%d\"]\n", fill.Seed("salt", "pair a {seed}", 1))
	want := map[string]string{
		"test_group.yaml": "{\"output_validator_args\": [\"case_sensitive\", \"1\"]}\n",
		"sample/1.in":     "1 2\n", "sample/1.ans": "3\n", "sample/1.yaml": "{\"description\": \"small\", \"hint\": \"add\"}\n",
		"secret/1.in": "1 2\n", "secret/1.ans": "3\n", "secret/1.yaml": "{\"description\": \"small\", \"hint\": \"add\"}\n",
		"secret/1-written.in": "10\n20\n", "secret/1-written.ans": "6\n",
		"secret/2-seeded.in": one, "secret/2-seeded.ans": fmt.Sprintf("%d\n", len(one)),
		"secret/3-counted-1.in": fmt.Sprintf(
			"[\"pair\" \"a b\" \"%d\" \"1\"]\n", fill.Seed("salt", "pair 'a b' {seed} 1", 1),
		), "secret/3-counted-1.ans": "33\n",
		"secret/4-counted-2.in": fmt.Sprintf(
			"[\"pair\" \"a b\" \"%d\" \"2\"]\n", fill.Seed("salt", "pair 'a b' {seed} 2", 2),
		), "secret/4-counted-2.ans": "33\n",
		"secret/5.in": "7\n", "secret/5.ans": "8\n", "secret/5.desc": "by hand\n",
		"secret/1-other/test_group.yaml": "{\"max_score\": 10}\n",
		"secret/1-other/6-named.in": fmt.Sprintf(
			"[\"pair\" \"a\" \"%d\"]\n", fill.Seed("other", "pair a {seed}", 1),
		), "secret/1-other/6-named.ans": "26\n",
		"secret/1-other/7-unanswered.in": "x\n",
		"invalid_input/bad.in":           "junk\n",
	}
	got := tree(t, filepath.Join(kept.Dir, "data"))
	for name := range got { // file lengths depend on the seeds
		if strings.HasSuffix(name, ".ans") && strings.Contains(name, "-") {
			got[name], want[name] = "", ""
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("data (-want +got):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "data")); err == nil {
		t.Error("the package itself was changed")
	}
	again, err := (&fill.Filler{}).FillCached(t.Context(), dir, fill.OpenCache(cache), nil)
	if err != nil || again.Dir != kept.Dir {
		t.Errorf("Keep again = %v, %v, want what is kept", again, err)
	}
}

// TestKeepTriesAgain checks that a later command makes cases that could not be made before, once the missing tool
// exists.
func TestKeepTriesAgain(t *testing.T) {
	dir := unpack(t, txtar.Parse([]byte(`
-- generators/generators.yaml --
data:
  secret:
    data:
      one: {in: "1"}
      two: gen.sh 2
-- generators/gen.sh --
`)))
	cache := t.TempDir()
	read := func(stage string) (*fill.Recipe, judge.ProblemErrors, judge.ProblemErrors) {
		return fill.Generators(fill.PackageIn(dir, stage))
	}
	broken := func(context.Context, *judge.SetterProgram) (*judge.Program, error) {
		return nil, &judge.ProblemError{Text: "no such tool"}
	}
	for _, row := range []struct {
		it     string
		filler *fill.Filler
		read   func(string) (*fill.Recipe, judge.ProblemErrors, judge.ProblemErrors)
		faults int
		want   []string
	}{
		{"tells what cannot be made", &fill.Filler{Runner: &runner{}, Builder: builder(broken)}, read, 1, []string{"secret/one.in"}},
		{"tells it again", &fill.Filler{Runner: &runner{}, Builder: builder(broken)}, read, 1, []string{"secret/one.in"}},
		{"makes the rest", &fill.Filler{Runner: &runner{}, Builder: builder(build)}, read, 0, []string{"secret/one.in", "secret/two.in"}},
		{"is done", &fill.Filler{}, nil, 0, []string{"secret/one.in", "secret/two.in"}},
	} {
		kept, err := row.filler.FillCached(t.Context(), dir, fill.OpenCache(cache), row.read)
		if err != nil {
			t.Fatalf("it %s: %v", row.it, err)
		}
		if got := slices.Sorted(maps.Keys(tree(t, filepath.Join(kept.Dir, "data")))); len(kept.Faults) != row.faults ||
			!slices.Equal(got, row.want) {
			t.Errorf("it %s: Keep made %q with the faults %v, want %q and %d faults", row.it, got, kept.Faults, row.want, row.faults)
		}
		if got, _ := filepath.Glob(filepath.Join(filepath.Dir(kept.Dir), "[^.]*")); len(got) > 2 {
			t.Errorf("it %s: there is more than the package beside it: %v", row.it, got)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "filled", "[^.]*")); len(left) != 1 {
		t.Errorf("Keep left %q, want one directory", left)
	}
}

func TestGeneratorFlaws(t *testing.T) {
	for _, row := range []struct{ it, yaml, want string }{
		{"misses a program", "data: {secret: {data: {a: absent 1}}}", `g:1:27: there is no program generators/absent`},
		{
			"wants one seed", "data:\n  secret:\n    data:\n      a: gen.sh {seed} {seed:1}\n",
			"g:4:10: the seed stands more than once in \"gen.sh {seed} {seed:1}\"\n    pass it once, and let the generator draw more from it",
		},
		{
			"wants a solution from the root", "solution: sol.sh\ndata: {}",
			"g:1:11: the path of a solution starts with a slash, which stands for the package's directory\n    write /sol.sh",
		},
		{
			"knows the directories of data", "data: {secrets: {data: {}}}",
			"g:1:8: data has no directory \"secrets\"\n    did you mean \"secret\"?",
		},
		{
			"knows the keys of a directory", "data: {secret: {solutoin: /sol.sh, data: {}}}",
			"g:1:17: unknown key \"solutoin\" in data.secret\n    did you mean \"solution\"?",
		},
		{
			"knows the keys of a case", "data: {secret: {data: {a: {in: x, retires: 3}}}}",
			"g:1:35: unknown key \"retires\" in data.secret.data.a\n    did you mean \"retries\"?",
		},
		{
			"knows a case with a slip", "data: {secret: {data: {a: {generte: x}}}}",
			"g:1:28: unknown key \"generte\" in data.secret.data.a\n    did you mean \"generate\"?",
		},
		{"knows the keys of the file", "random_sault: x\ndata: {}", "g:1:1: unknown key \"random_sault\"\n    did you mean \"random_salt\"?"},
		{
			"wants more than a name", "data:\n  secret:\n    data:\n      a:\n",
			"g:4:7: the case \"a\" is only named\n    say how it is made: in, copy or generate",
		},
		{
			"wants a count", "data:\n  secret:\n    data:\n      a: {in: x, count: many}\n",
			"g:4:25: \"many\" is not a count\n    3, [1, 5, 7] or 1..=3",
		},
		{"stays inside", "data: {secret: {data: {a: {copy: ../../x}}}}", "g:1:27: \"../../x\" is not in generators/"},
		{
			"knows what is included", "data: {secret: {include: [sampel]}, sample: {data: {}}}",
			"g:1:27: no case or directory before this one is called \"sampel\"\n    did you mean \"sample\"?",
		},
	} {
		dir := unpack(t, txtar.Parse([]byte("-- generators/generators.yaml --\n"+row.yaml+"\n-- generators/gen.sh --\n-- sol.sh --\n")))
		_, flaws, faults := fill.Generators(fill.Package{Dir: dir})
		got := strings.ReplaceAll(slices.Concat(faults, flaws).Error(), filepath.Join(dir, "generators", "generators.yaml"), "g")
		if !strings.HasPrefix(got, row.want) {
			t.Errorf("it %s:\n got %s\nwant %s", row.it, got, row.want)
		}
	}
}

func TestFill(t *testing.T) {
	program := &judge.SetterProgram{Path: "gen"}
	args := func(words ...string) func(uint32) []string {
		return func(seed uint32) []string { return append(words, fmt.Sprint(seed)) }
	}
	for _, row := range []struct {
		it    string
		fails int
		c     fill.Case
		want  map[string]string
		fault string
	}{
		{"takes what the generator writes to a file", 0, fill.Case{
			Generate: &fill.Command{Program: program, Args: args("--file")},
		}, map[string]string{"secret/a.in": "file\n", "secret/a.ans": "own\n"}, ""},
		{"tries again with the next seed", 2, fill.Case{
			Generate: &fill.Command{Program: program, Args: args(), Seed: 5, Retries: 3},
		}, map[string]string{"secret/a.in": "[\"gen\" \"7\"]\n"}, ""},
		{"gives up", 3, fill.Case{
			Generate: &fill.Command{Program: program, Args: args(), Seed: 5, Retries: 3},
		}, map[string]string{}, "r:3: case secret/a: the generator ended badly (run-time error, exit code 1)"},
		{"answers with nothing in a dialogue", 0, fill.Case{
			Files: map[string][]byte{".in": []byte("1\n")}, Answer: fill.AnswerSource{Empty: true},
		}, map[string]string{"secret/a.in": "1\n", "secret/a.ans": ""}, ""},
		{"needs an input", 0, fill.Case{
			Files: map[string][]byte{".ans": []byte("1\n")},
		}, map[string]string{}, "r:3: case secret/a: the case has no input\n    it needs one of: in, copy, generate"},
	} {
		dir := t.TempDir()
		row.c.Path, row.c.File, row.c.Line = "secret/a", "r", 3
		faults, err := (&fill.Filler{Runner: &runner{fails: row.fails}, Builder: builder(build)}).Fill(
			t.Context(), &fill.Recipe{Cases: []*fill.Case{&row.c}}, dir,
		)
		if err != nil {
			t.Fatal(err)
		}
		if faults.Error() != row.fault {
			t.Errorf("it %s: faults %q, want %q", row.it, faults.Error(), row.fault)
		}
		if diff := cmp.Diff(row.want, tree(t, dir)); diff != "" {
			t.Errorf("it %s (-want +got):\n%s", row.it, diff)
		}
	}
}

// TestFillStaysInside checks that a link in the data directory cannot redirect writes outside it.
func TestFillStaysInside(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "secret")); err != nil {
		t.Fatal(err)
	}
	c := &fill.Case{Path: "secret/a", Files: map[string][]byte{".in": []byte("x\n"), ".ans": nil}}
	if _, err := (&fill.Filler{Runner: &runner{}, Builder: builder(build)}).Fill(
		t.Context(), &fill.Recipe{Cases: []*fill.Case{c}}, dir,
	); err == nil {
		t.Error("Fill through a link gave no error")
	}
	if got := tree(t, outside); len(got) > 0 {
		t.Errorf("written outside: %v", got)
	}
}

func TestLacks(t *testing.T) {
	recipe := &fill.Recipe{Cases: []*fill.Case{{Path: "sample/1"}, {Path: "secret/1", ExtraPaths: []string{"secret/2"}},
		{Path: "invalid_input/1"}}}
	for _, row := range []struct {
		it, files string
		want      bool
	}{
		{"lacks all without data", "-- problem.yaml --\n", true},
		{"lacks secret cases", "-- data/sample/1.in --\n-- data/secret/1.in --\n", true},
		{"is whole with as many secret cases, whatever they are called", "-- data/secret/x.in --\n-- data/secret/y/z.in --\n", false},
	} {
		if got := fill.NeedsFilling(unpack(t, txtar.Parse([]byte(row.files))), recipe); got != row.want {
			t.Errorf("it %s: Lacks = %v, want %v", row.it, got, row.want)
		}
	}
}

func TestScriptIn(t *testing.T) {
	for _, row := range []struct{ it, files, want string }{
		{"finds none where there is none", "-- p/data/sample/1.in --\n-- p/data/gen.py --\n", ""},
		{"finds one beside the data", "-- p/data/gen.sh --\necho\n", "data/gen.sh"},
		{"finds one beside problem.yaml", "-- p/generate.sh --\necho\n", "generate.sh"},
		{"finds one with words of its own", "-- p/data/gen.sh --\n. ../testdata_tools/gen.sh\n", "data/gen.sh"},
		{
			"finds one whose words stand beside the package",
			"-- p/data/gen.sh --\n. ../../testdata_tools/gen.sh\n-- testdata_tools/gen.sh --\n", "data/gen.sh",
		},
		{
			"reads where the script itself stands",
			"-- p/generators/generator.sh --\nsource \"$(dirname $0)/../../tools/gen.sh\"\n-- tools/gen.sh --\n",
			"generators/generator.sh",
		},
		{
			"finds one whose words have come into the package",
			"-- p/data/gen.sh --\n. ../../_testdata_tools/gen.sh\n-- p/_testdata_tools/gen.sh --\n",
			"data/gen.sh",
		},
		{"leaves one alone whose words are nowhere", "-- p/data/gen.sh --\n. ../../testdata_tools/gen.sh\n", ""},
		{
			"lets one run that wants another directory, and shows it none",
			"-- p/data/gen.sh --\n. ../../secrets/gen.sh\n-- secrets/gen.sh --\n", "data/gen.sh",
		},
		{"takes a file above the package", "-- p/data/gen.sh --\n. ../../gen.sh\n-- gen.sh --\n", "data/gen.sh"},
	} {
		got := ""
		if s := fill.ScriptIn(filepath.Join(unpack(t, txtar.Parse([]byte(row.files))), "p")); s != nil {
			got = s.Path
		}
		if got != row.want {
			t.Errorf("it %s: ScriptIn found %q, want %q", row.it, got, row.want)
		}
	}
}

func FuzzGenerators(f *testing.F) {
	f.Add("data: {secret: {data: [{a: gen.sh {seed}}]}}")
	f.Add("data:\n  sample:\n    data:\n      - '': {in: x, count: 1..=3}\n  secret: {include: [sample]}")
	dir := f.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "generators"), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(filepath.Join(dir, "generators", "generators.yaml"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r, _, faults := fill.Generators(fill.Package{Dir: dir})
		if r == nil && len(faults) == 0 {
			t.Fatalf("neither a recipe nor a fault: %q", text)
		}
		if r == nil {
			return
		}
		seen := map[string]bool{}
		for _, c := range r.Cases {
			for _, p := range append([]string{c.Path}, c.ExtraPaths...) {
				if seen[p] || !filepath.IsLocal(p) {
					t.Fatalf("path %q twice, or outside: %q", p, text)
				}
				seen[p] = true
			}
		}
	})
}

// The seed depends on the salt and the command, so it stays the same when cases are added or removed.
func ExampleSeed() {
	fmt.Println(fill.Seed("abcd", "graph {seed}", 1))
	// Output: 611036640
}

// builder is a function that implements judge.Builder.
type builder func(ctx context.Context, p *judge.SetterProgram) (*judge.Program, error)

func (b builder) BuildProgram(ctx context.Context, p *judge.SetterProgram) (*judge.Program, error) {
	return b(ctx, p)
}
