package polygon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"golang.org/x/text/encoding/htmlindex"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/packages/polygon"
	"assay/judge/problem"
)

// unpack extracts an archive to a directory called "p".
func unpack(t testing.TB, text string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "p")
	if err := txtar.Write(txtar.Parse([]byte(text)), dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

const whole = `
-- problem.xml --
<?xml version="1.0" encoding="utf-8" standalone="no"?>
<problem revision="7" short-name="p" url="https://polygon.example/p">
  <names><name language="russian" value="Суммы"/><name language="english" value="Sums"/></names>
  <statements><statement charset="UTF-8" language="english" path="statements/english/problem.tex" type="application/x-tex"/></statements>
  <judging input-file="" output-file="" run-count="1">
    <testset name="pretests"><tests><test method="manual"/></tests></testset>
    <testset name="tests">
      <time-limit>1500</time-limit>
      <memory-limit>268435456</memory-limit>
      <input-path-pattern>tests/%02d</input-path-pattern>
      <answer-path-pattern>tests/%02d.a</answer-path-pattern>
      <tests>
        <test method="manual" sample="true" group="0" points="0"/>
        <test method="generated" cmd="gen 1" group="1" points="3"/>
        <test method="generated" cmd="gen 2" group="1" points="4"/>
        <test method="generated" cmd="gen 3" group="2" points="93"/>
      </tests>
      <groups>
        <group name="0" points="0" points-policy="complete-group"/>
        <group name="1" points="7" points-policy="each-test"><dependencies><dependency group="0"/></dependencies></group>
        <group name="2" points="93" points-policy="complete-group"><dependencies><dependency group="0"/><dependency group="1"/></dependencies></group>
      </groups>
    </testset>
  </judging>
  <assets>
    <checker name="mine" type="testlib"><source path="files\check.cpp" type="cpp.g++17"/>
      <testset>
        <input-path-pattern>files/tests/checker-tests/%02d</input-path-pattern>
        <output-path-pattern>files/tests/checker-tests/%02d.o</output-path-pattern>
        <answer-path-pattern>files/tests/checker-tests/%02d.a</answer-path-pattern>
        <tests><test verdict="wrong-answer"/></tests>
      </testset>
    </checker>
    <interactor><source path="files/inter.cpp" type="cpp.g++17"/></interactor>
    <validators><validator><source path="files/val.cpp" type="cpp.g++17"/></validator></validators>
    <solutions>
      <solution tag="main"><source path="solutions/main.cpp" type="cpp.g++17"/></solution>
      <solution tag="rejected"><source path="solutions/old.py" type="python.2"/></solution>
      <solution tag="unheard-of"><source path="solutions/old.py" type="python.2"/></solution>
      <solution tag="do-not-run"><source path="solutions/main.cpp" type="cpp.g++17"/></solution>
      <solution tag="accepted"><source path="../outside.cpp" type="cpp.g++17"/></solution>
    </solutions>
  </assets>
</problem>
-- files/check.cpp --
-- files/inter.cpp --
-- files/val.cpp --
-- files/tests/checker-tests/01 --
-- files/tests/checker-tests/01.o --
-- files/tests/checker-tests/01.a --
-- solutions/main.cpp --
-- solutions/old.py --
-- statements/english/problem.tex --
-- tests/01 --
1
-- tests/02 --
2
-- tests/03 --
3
-- tests/04 --
4
`

func TestOpen(t *testing.T) {
	dir := unpack(t, whole)
	p, faults := polygon.Open(dir, judge.Limits{Output: 1 << 20})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	type seen struct {
		Title, Time, Checker, Interactor string
		Memory                           int64
		Groups, Nodes, Submissions       []string
		Extra                            []problem.ProofKind
		Told                             []string
	}
	got := seen{
		Title: p.Title, Time: p.Limits.CPU.String(), Memory: p.Limits.Memory,
		Checker: p.Checker.Program.Protocol + " " + filepath.Base(p.Checker.Program.Path), Interactor: p.Interactor.Protocol,
	}
	for _, g := range p.Groups {
		got.Groups = append(got.Groups, fmt.Sprintf("%s: %d", g.Name, len(g.Cases)))
	}
	for _, n := range p.Grading.Root.Children[0].Children {
		got.Nodes = append(got.Nodes, fmt.Sprintf("%s %s %v %v", n.Name, n.Aggregate, n.MaxScore, n.RequirePass))
	}
	for _, s := range p.Submissions {
		_, words := s.Promised()
		got.Submissions = append(got.Submissions, strings.Join(strings.Fields(s.Name+" "+s.Language+" "+words), " "))
	}
	for _, e := range p.Extra {
		got.Extra = append(got.Extra, e.Kind)
	}
	got.Told = p.InputArgs(p.Inputs[0], &p.Groups[1].Cases[0])
	want := seen{
		Title: "Sums", Time: "1.5s", Memory: 256 << 20, Checker: "testlib check.cpp", Interactor: "testlib",
		Groups:      []string{"0: 1", "1/02: 1", "1/03: 1", "2: 1"},
		Nodes:       []string{"0 pass-fail 0 []", "1/02 pass-fail 3 [0]", "1/03 pass-fail 4 [0]", "2 pass-fail 93 [0 1/02 1/03]"},
		Submissions: []string{"main/main.cpp AC", "rejected/old.py python2 WA or TLE or RTE or MLE", "unheard-of/old.py python2"},
		Told:        []string{"--testset", "tests", "--group", "1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, want := range []string{
		`the tag "unheard-of" of solution solutions/old.py is unknown`,
		"there is no solution ../outside.cpp",
	} {
		if !slices.ContainsFunc(p.Warnings, func(f *judge.ProblemError) bool { return f.Text == want }) {
			t.Errorf("no flaw says %q; there are:\n%v", want, p.Warnings)
		}
	}
}

func TestFaults(t *testing.T) {
	const set = `<testset name="tests"><tests><test method="manual"/></tests><input-path-pattern>tests/%02d</input-path-pattern>` +
		`<answer-path-pattern>tests/%02d.a</answer-path-pattern></testset>`
	for _, row := range []struct{ it, xml, want string }{
		{"wants XML", "<problem>\n<judging>", "p/problem.xml:3: unexpected EOF"},
		{
			"wants an encoding that is known", `<?xml version="1.0" encoding="windows-1521"?><problem/>`,
			"p/problem.xml:1: unknown encoding \"windows-1521\"\n    save the file as UTF-8",
		},
		{"wants a problem", "<package/>", "p/problem.xml: expected element type <problem> but have <package>"},
		{"wants tests", "<problem/>", "p/problem.xml: the package has no tests\n    it needs a testset"},
		{"misses a test", "<problem><judging>" + set + "</judging></problem>", "p/problem.xml: there is no test tests/01\n"},
		{
			"wants files to be in the working directory",
			`<problem><judging input-file="../in.txt">` + set + "</judging></problem>",
			"p/problem.xml: \"../in.txt\" cannot be the name of a file of a submission\n",
		},
		{
			"does not say what makes the input of a second run",
			`<problem><judging run-count="2">` + set + `</judging><assets><checker name="std::wcmp.cpp"/></assets></problem>`,
			"p/problem.xml: submissions run several times on each test, and nothing makes the input of the later runs\n",
		},
		{
			"bounds the runs", `<problem><judging run-count="1000">` + set + "</judging></problem>",
			"p/problem.xml: submissions run 1000 times on each test\n",
		},
		{
			"misses the checker",
			"<problem><judging>" + set + `</judging><assets><checker name="x"><source path="x.cpp"/></checker></assets></problem>`,
			"p/problem.xml: there is no checker x.cpp\n",
		},
		{
			"misses the interactor",
			"<problem><judging>" + set + `</judging><assets><interactor><source path="x.cpp"/></interactor></assets></problem>`,
			"p/problem.xml: there is no interactor x.cpp",
		},
	} {
		dir := unpack(t, "-- problem.xml --\n"+row.xml+"\n")
		_, faults := polygon.Open(dir, judge.Limits{})
		got := strings.ReplaceAll(faults.Error(), filepath.Dir(dir)+"/", "")
		if !strings.HasPrefix(got, row.want) {
			t.Errorf("it %s:\n got %s\nwant %s", row.it, got, row.want)
		}
	}
}

func TestRecipe(t *testing.T) {
	const xml = `
-- problem.xml --
<problem>
  <judging><testset name="tests">
    <input-path-pattern>tests/%02d</input-path-pattern>
    <answer-path-pattern>tests/%02d.a</answer-path-pattern>
    <tests>
      <test method="manual"/>
      <test method="generated" cmd="gen.exe 1 2"/>
      <test method="generated" cmd="absent 1"/>
      <test method="generated" cmd="files\gen 3" from-file="second"/>
    </tests>
  </testset></judging>
  <files><executables><executable><source path="files/gen.cpp" type="cpp.g++17"/></executable></executables></files>
  <assets><solutions><solution tag="main"><source path="main.cpp"/></solution></solutions></assets>
</problem>
-- files/gen.cpp --
-- main.cpp --
-- tests/01 --
1
-- tests/01.a --
2
`
	dir := unpack(t, xml)
	if !polygon.NeedsFilling(dir) {
		t.Error("Lacks = false for a package without tests")
	}
	r, flaws, faults := polygon.Recipe(dir)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var got []string
	for _, c := range r.Cases {
		line := c.Path
		if c.Generate != nil {
			line += fmt.Sprintf(" %s %q %s", filepath.Base(c.Generate.Program.Path), c.Generate.Args(0), c.Generate.Output)
		}
		got = append(got, fmt.Sprintf("%s from %d files, %d solutions", strings.TrimSpace(line), len(c.From), len(c.Answer.Solutions)))
	}
	want := []string{
		"01 from 2 files, 1 solutions",
		`02 gen.cpp ["1" "2"] from 0 files, 1 solutions`,
		`04 gen.cpp ["3"] second from 0 files, 1 solutions`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(flaws) != 1 || flaws[0].Text != `test 03: there is no generator "absent"` {
		t.Errorf("flaws = %v", flaws)
	}
	for name, want := range map[string]string{"02.in": "tests/02", "04.ans": "tests/04.a"} {
		if got := r.Place(name); got != want {
			t.Errorf("Place(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestLacks(t *testing.T) {
	const xml = `
-- problem.xml --
<problem><judging><testset name="tests"><input-path-pattern>t/%d</input-path-pattern><answer-path-pattern>t/%d.a</answer-path-pattern><tests><test/></tests></testset></judging></problem>
`
	for _, row := range []struct {
		it, files string
		want      bool
	}{
		{"is whole with test and answer", "-- t/1 --\n1\n-- t/1.a --\n1\n", false},
		{"misses an answer", "-- t/1 --\n1\n", true},
		{"takes the line ends of Windows away", "-- t/1 --\n1\r\n-- t/1.a --\n1\n", true},
	} {
		if got := polygon.NeedsFilling(unpack(t, xml+row.files)); got != row.want {
			t.Errorf("it %s: Lacks = %v, want %v", row.it, got, row.want)
		}
	}
}

// TestEncodings checks that problem.xml is read in the encoding that its declaration specifies, and as UTF-16 if it is
// UTF-16, whatever its declaration specifies.
func TestEncodings(t *testing.T) {
	for _, tt := range []struct{ encoding, declared, mark string }{
		{"windows-1251", "windows-1251", ""}, {"koi8-r", "koi8-r", ""}, {"iso-8859-5", "ISO-8859-5", ""}, {"utf-8", "UTF8", ""},
		{"utf-8", "UTF-8", "\ufeff"}, {"utf-16le", "utf-16le", "\ufeff"}, {"utf-16be", "utf-16be", "\ufeff"},
		{"utf-16le", "UTF-16", "\ufeff"}, {"utf-16be", "UTF-16", "\ufeff"}, {"utf-16be", "windows-1251", "\ufeff"},
	} {
		encoding, err := htmlindex.Get(tt.encoding)
		if err != nil {
			t.Fatal(err)
		}
		dir := unpack(t, strings.Replace(whole, `<name language="english" value="Sums"/>`, "", 1))
		xml, err := os.ReadFile(filepath.Join(dir, polygon.File))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(xml), `encoding="utf-8"`, `encoding="`+tt.declared+`"`, 1)
		data, err := encoding.NewEncoder().String(tt.mark + text)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, polygon.File), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
		if p, faults := polygon.Open(dir, judge.Limits{}); p == nil || p.Title != "Суммы" {
			t.Errorf("%v: %v, %v, want the name of the problem", tt, p, faults)
		}
	}
}

// FuzzOpen checks that any problem.xml gives a package or a fault. The content is short, because the fuzzer takes
// long to minimize long texts.
func FuzzOpen(f *testing.F) {
	seeds := []string{
		whole[strings.Index(whole, "<?xml"):strings.Index(whole, "-- files/check.cpp")],
		`<problem><judging><testset><tests><test/></tests><input-path-pattern>%99d</input-path-pattern></testset></judging></problem>`,
	}
	for i, s := range seeds {
		for at := 0; at < len(s); at += 100 {
			f.Add(i, at, 20, "<")
		}
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, which, at, without int, put string) {
		if len(put) > 24 {
			return
		}
		xml := golden.Splice(seeds[uint(which)%uint(len(seeds))], at, without, put)
		if err := os.WriteFile(filepath.Join(dir, polygon.File), []byte(xml), 0o644); err != nil {
			t.Fatal(err)
		}
		if p, faults := polygon.Open(dir, judge.Limits{}); p == nil && len(faults) == 0 {
			t.Fatalf("neither a package nor a fault: %q", xml)
		}
		if r, _, faults := polygon.Recipe(dir); r == nil && len(faults) == 0 {
			t.Fatalf("neither a recipe nor a fault: %q", xml)
		}
	})
}

func TestScoredByChecker(t *testing.T) {
	const text = `-- problem.xml --
<problem short-name="p"><judging><testset name="tests">
  <input-path-pattern>tests/%02d</input-path-pattern><answer-path-pattern>tests/%02d.a</answer-path-pattern>
  <tests><test method="manual" points="0.0"/><test method="manual" points="0.0"/></tests></testset></judging>
  <assets><checker type="testlib"><source path="check.cpp" type="cpp.g++17"/></checker></assets></problem>
-- tests/01 --
1
-- tests/01.a --
1
-- tests/02 --
2
-- tests/02.a --
2
-- check.cpp --
int main() {}
`
	p, faults := polygon.Open(unpack(t, text), judge.Limits{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if g := p.Grading; g == nil || !g.Scored || !g.Custom || g.Form != judge.FormatLegacy || !g.Root.Children[0].Legacy.ContinueOnReject {
		t.Errorf("points of 0 everywhere: the grading is %+v, want one by the checker's points", g)
	}
	p, _ = polygon.Open(unpack(t, strings.ReplaceAll(text, ` points="0.0"`, "")), judge.Limits{})
	if p.Grading != nil {
		t.Errorf("no points: the grading is %+v, want none", p.Grading)
	}
}

func TestLanguageName(t *testing.T) {
	for code, want := range map[string]string{
		"en": "english", "de": "german", "az": "azerbaijani", "fa": "persian", "ro": "romanian", "sl": "slovenian", "tlh": "tlh",
	} {
		for range 20 { // a map has no order
			if got := polygon.LanguageName(code); got != want {
				t.Fatalf("LanguageName(%q) = %q, want %q", code, got, want)
			}
		}
	}
}
