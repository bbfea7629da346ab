package icpc_test

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/packages/icpc"
)

// usual contains the limits of a judge.toml.
var usual = judge.Limits{CPU: time.Second, Memory: 256 << 20, Output: 8 << 20, Processes: 128, Files: 256, Scratch: 64 << 20}

// unpack writes a package from testdata, or files made up by the test, to a new directory.
func unpack(t testing.TB, files []txtar.File) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pkg")
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// parse reads a txtar archive from text.
func parse(text string) []txtar.File { return txtar.Parse([]byte(text)).Files }

// open opens a package. The test fails if the package cannot be used to judge submissions.
func open(t testing.TB, dir string) *icpc.Package {
	t.Helper()
	p, faults := icpc.Open(dir, usual)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// TestPackages reads every package in testdata and records the result: the faults that prevent judging, the
// warnings, and a description of the package as it was read.
func TestPackages(t *testing.T) {
	for _, file := range golden.Files(t, "testdata/packages/*.txtar") {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := unpack(t, archive.Files)
			p, faults := icpc.Open(dir, usual)
			var b strings.Builder
			b.WriteString("# " + strings.Join(strings.Fields(string(archive.Comment)), " ") + "\n")
			tell := func(what string, all judge.ProblemErrors) {
				for _, f := range all {
					if strings.HasPrefix(name, "bad_") && f.Hint == "" && f.Line == 0 {
						t.Errorf("a fault that says neither where nor what to do: %v", f)
					}
					fmt.Fprintf(&b, "%s %s\n", what, strings.ReplaceAll(f.Error(), "\n    ", "\n   -> "))
				}
			}
			tell("fault:", faults)
			if p != nil {
				defer p.Close()
				tell("flaw: ", p.Warnings)
				if len(faults) == 0 {
					describe(&b, p)
				}
			}
			if strings.HasPrefix(name, "bad_") && len(faults) == 0 && len(p.Warnings) == 0 {
				t.Error("nothing is wrong with a package that is bad")
			}
			golden.Check(t, strings.TrimSuffix(file, ".txtar")+".want", []byte(strings.NewReplacer(
				dir+string(filepath.Separator), "", dir, "PKG",
			).Replace(b.String())))
		})
	}
}

// describe writes a description of a package.
func describe(b *strings.Builder, p *icpc.Package) {
	line := func(format string, args ...any) {
		fmt.Fprintf(b, strings.ReplaceAll(format, "PKG", p.Dir)+"\n", args...)
	}
	line("%s %q, kind %+v, names %v", p.Format, p.Problem.Title, p.Kind, p.Names)
	line("source %q, license %q, credits %v, keywords %v, languages %v", p.Problem.Source, p.License, p.Credits, p.Keywords, p.About.Languages)
	t := p.Timing
	line("time %v, strict %v (x %v, / %v, steps of %v)", t.Limit, t.Strict, t.Multiplier, t.Margin, t.Resolution)
	line(
		"limits %d MiB, output %d MiB, code %d bytes, passes %d, no files %v; validation %v, %d MiB",
		p.Limits.Memory>>20, p.Limits.Output>>20, p.CodeLimit, p.Passes, p.NoFiles, p.Validation.CPU,
		p.Validation.Memory>>20,
	)
	part := func(what string, q *judge.SetterProgram) {
		if q != nil {
			line("%s %s %q speaks %s", what, relative(p, q.Path), q.Args, q.Protocol)
		}
	}
	if p.Checker.Name != "" {
		line("checker %s %q", p.Checker.Name, p.Checker.Args)
	}
	part("checker", p.Checker.Program)
	part("interactor", p.Interactor)
	part("static", p.Static)
	for _, v := range p.Inputs {
		part("input validator "+v.Name, &v.SetterProgram)
	}
	if n := p.ConstantNames(); len(n) > 0 {
		line("constants %v", n)
	}
	told := func(c *judge.Case) (words string) {
		for _, v := range p.Inputs {
			if args := p.InputArgs(v, c); len(args) > 0 {
				words += fmt.Sprintf(", %s gets %q", v.Name, args)
			}
		}
		return words
	}
	for _, g := range p.Groups {
		for _, c := range g.Cases {
			words := told(&c)
			for _, f := range c.Files {
				words += fmt.Sprintf(", file %s %q", f.Name, f.Data)
			}
			line("case %s: args %q, checker %q%s", c.ID(), c.Args, c.CheckerArgs, words)
		}
	}
	for _, e := range p.Extra {
		line("proof %s %s: checker %q%s", e.Kind, e.ID(), e.CheckerArgs, told(&e.Case))
	}
	if p.Grading != nil {
		line("graded as in %s, scored %v, custom %v", p.Grading.Form, p.Grading.Scored, p.Grading.Custom)
		node(b, p.Grading.Root, "  ", p.Grading.Form)
	}
	for _, s := range p.Submissions {
		promised, words := s.Promised()
		line("submission %s: %s %q", s.Name, cmp.Or(string(promised), "-"), words)
		for _, r := range s.Rules {
			rule := fmt.Sprintf("    %s", r.From)
			for _, v := range []struct {
				what string
				set  []judge.Verdict
			}{{"final", r.Final}, {"permitted", r.Permitted}, {"required", r.Required}} {
				if v.set != nil {
					rule += fmt.Sprintf(", %s %v", v.what, v.set)
				}
			}
			if r.Cases != "" {
				rule += ", of " + r.Cases
			}
			if r.Score != nil {
				rule += fmt.Sprintf(", score %v", *r.Score)
			}
			if r.Message != "" {
				rule += fmt.Sprintf(", says %q", r.Message)
			}
			if r.Bound != "" {
				rule += fmt.Sprintf(", bounds the time limit: %s", r.Bound)
			}
			line("%s", rule)
		}
		if s.Language != "" || s.Entry != "" || s.Model {
			line("    language %q, entry %q, model %v", s.Language, s.Entry, s.Model)
		}
	}
}

func relative(p *icpc.Package, path string) string {
	rel, err := filepath.Rel(p.Dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

// node writes a description of a grading node.
func node(b *strings.Builder, n *judge.Node, indent string, form judge.GradingForm) {
	if form == judge.FormatLegacy {
		l := n.Legacy
		fmt.Fprintf(
			b, "%s%q %s %s, accept %v, reject %v, range %v %v, go on %v, ignore sample %v\n", indent, n.Name,
			n.Aggregate, l.Verdict, l.AcceptScore, l.RejectScore, l.Low, l.High, l.ContinueOnReject, l.IgnoreSample,
		)
	} else {
		fmt.Fprintf(b, "%s%q %s, most %v, unbounded %v, needs %q", indent, n.Name, n.Aggregate, n.MaxScore, n.Unbounded, n.RequirePass)
		if n.Static != nil {
			fmt.Fprintf(b, ", static %+v", *n.Static)
		}
		b.WriteString("\n")
	}
	for _, child := range n.Children {
		node(b, child, indent+"  ", form)
	}
}

func TestLinks(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte("not yours\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	dir := unpack(
		t,
		parse("-- problem.yaml --\n-- data/secret/1.in --\n1\n-- data/secret/1.ans --\n1\n-- submissions/accepted/a.py --\nprint(1)\n"),
	)
	for link, to := range map[string]string{
		"data/secret/2.in":  outside,
		"data/secret/2.ans": "1.ans",
		"data/secret/3.in":  "1.in",
		"data/secret/3.ans": filepath.Join("..", "secret", "1.ans"),
		"data/secret/4.in":  "nowhere",
		"data/secret/up":    filepath.Join("..", "..", ".."),
		"data/secret/loop":  ".",
		"submissions/back":  filepath.Join("..", "submissions"),
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, dir)
	var ids []string
	for _, g := range p.Groups {
		for _, c := range g.Cases {
			ids = append(ids, c.ID())
		}
	}
	if want := []string{"secret/1", "secret/3"}; !slices.Equal(ids, want) {
		t.Errorf("cases %q, want %q: links inside the package count, others do not", ids, want)
	}
	for _, link := range []string{"2.in", "4.in", "up"} {
		path := filepath.Join(dir, "data", "secret", link)
		if !slices.ContainsFunc(p.Warnings, func(f *judge.ProblemError) bool {
			return f.File == path && strings.Contains(
				f.Text, "the target of this link is not",
			)
		}) {
			t.Errorf("no flaw tells of the link %s; got\n%v", link, p.Warnings)
		}
	}
	for _, link := range []string{"data/secret/loop", "submissions/back"} {
		path := filepath.Join(dir, link)
		if !slices.ContainsFunc(p.Warnings, func(f *judge.ProblemError) bool {
			return f.File == path && f.Text == "this link leads to a directory that contains it"
		}) {
			t.Errorf("no flaw tells of the loop %s; got\n%v", link, p.Warnings)
		}
	}
}

// TestRepository checks that links may lead anywhere within the repository, and that each one causes a warning.
func TestRepository(t *testing.T) {
	dir := unpack(
		t,
		parse("-- problem.yaml --\n-- data/secret/1.in --\n1\n-- data/secret/1.ans --\n1\n-- submissions/accepted/a.py --\nprint(1)\n"),
	)
	repo := filepath.Dir(dir)
	for name, text := range map[string]string{
		"other/problem.yaml": "", "other/deep/2.in": "2\n", "shared/v/v.py": "exit(42)\n",
		".hidden": "not yours\n", "../outside": "not yours\n",
	} {
		full := filepath.Join(repo, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Remove(filepath.Join(repo, "../outside")) })
	for link, to := range map[string]string{
		"data/secret/2.in":  "../../../other/deep/2.in",
		"data/secret/2.ans": "1.ans",
		"data/secret/3.in":  "../../../.hidden",
		"data/secret/4.in":  "../../../../outside",
		"data/secret/5.in":  filepath.Join(repo, "other/deep/2.in"),
		"data/secret/up":    "../../..",
		"input_validators":  "../shared",
	} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := open(t, dir)
	if n := p.CaseCount(); n != 2 || len(p.Inputs) != 1 {
		t.Errorf("%d cases, %d validators; want those to which links of the repository lead, too", n, len(p.Inputs))
	}
	staged, err := p.Stage(p.Inputs[0].Path, t.TempDir(), nil, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(staged.Path, "v.py")); err != nil {
		t.Error(err)
	}
	said := p.Warnings.Error()
	for _, want := range []string{
		"2.in: this link leads out of the package; it is followed", "3.in: the target of this link is not in the package",
		"4.in: the target of this link is not in the package", "5.in: the target of this link is not in the package",
		"up: the target of this link is not in the package",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("no flaw says %q:\n%s", want, said)
		}
	}
}

// TestNothingIsWritten checks that reading a package does not change it.
func TestNothingIsWritten(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/packages/constants.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := unpack(t, archive.Files)
	before := tree(t, dir)
	p := open(t, dir)
	if _, err := p.Stage(
		filepath.Join(dir, "submissions", "accepted", "a.py"), t.TempDir(),
		p.Includes(func(code string) bool { return code == "python3" }), "",
	); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Markdown(""); err != nil {
		t.Fatal(err)
	}
	if after := tree(t, dir); after != before {
		t.Errorf("the package was\n%sand is\n%s", before, after)
	}
}

// tree lists the content of a directory.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// FuzzOpen checks that Open returns without a panic for any content of a package file. The content is short,
// because the fuzzer takes long to minimize long texts.
func FuzzOpen(f *testing.F) {
	names := []string{
		"problem.yaml", "data/testdata.yaml", "data/secret/test_group.yaml", "data/secret/1.yaml",
		"submissions/submissions.yaml", "statement/problem.en.tex", "submissions/accepted/a.py",
	}
	type seed struct {
		dir, file, text string
	}
	var seeds []seed
	for _, file := range golden.Files(f, "testdata/packages/*.txtar") {
		if strings.Contains(file, "bomb") { // takes long by design
			continue
		}
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		dir := unpack(f, archive.Files)
		for _, a := range archive.Files {
			if slices.Contains(names, a.Name) {
				f.Add(len(seeds), 0, 0, "")
				seeds = append(seeds, seed{dir, filepath.Join(dir, filepath.FromSlash(a.Name)), string(a.Data)})
			}
		}
	}
	f.Fuzz(func(t *testing.T, which, at, without int, put string) {
		if len(put) > 8 {
			return
		}
		s := seeds[uint(which)%uint(len(seeds))]
		write := func(text string) {
			if err := os.WriteFile(s.file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		write(golden.Splice(s.text, at, without, put))
		defer write(s.text)
		if p, _ := icpc.Open(s.dir, usual); p != nil {
			p.Markdown("")
			p.Close()
		}
	})
}

// TestStatementForms checks languages, documents, and attachments as a page shows them.
func TestStatementForms(t *testing.T) {
	dir := unpack(t, parse(`
-- problem.yaml --
name: One
-- problem.pdf --
%PDF
-- problem.html --
<p>One</p>
-- problem_statement/problem.sv.tex --
\problemname{Ett}
-- problem_statement/problem.sv.pdf --
%PDF
-- problem_statement/problem.de.txt --
One
two `+"``` three"+`
-- problem_statement/problem.fi.html --
<p>Yksi</p>
-- attachments/b.py --
-- attachments/a.zip --
-- attachments/.hidden --
-- attachments/directory/c.py --
-- data/secret/1.in --
1
-- data/secret/1.ans --
1
`))
	p := open(t, dir)
	if got, want := strings.Join(p.Languages(), " "), "de fi sv"; got != want {
		t.Errorf("languages %s, want %s", got, want)
	}
	for _, row := range []struct{ language, file, kind string }{
		{"", "problem.pdf", "pdf"}, // with no language: that of the first statement
		{"de", "problem.pdf", "pdf"},
		{"sv", "problem_statement/problem.sv.pdf", "pdf"},
		{"fi", "problem_statement/problem.fi.html", "html"},
		{"en", "", ""},
	} {
		want := ""
		if row.file != "" {
			want = filepath.Join(dir, filepath.FromSlash(row.file))
		}
		if path, kind := p.Document(row.language); path != want || kind != row.kind {
			t.Errorf("Document(%q) = %q, %q, want %q, %q", row.language, path, kind, want, row.kind)
		}
	}
	var files []string
	for _, file := range p.StatementFiles() {
		files = append(files, filepath.Base(file))
	}
	if got, want := strings.Join(files, " "), "problem.de.txt problem.pdf problem.fi.html problem.sv.tex problem.sv.pdf"; got != want {
		t.Errorf("files %s, want %s", got, want)
	}
	if got, want := p.Attachments(), []string{
		filepath.Join(dir, "attachments", "a.zip"), filepath.Join(dir, "attachments", "b.py"),
		filepath.Join(dir, "attachments", "directory", "c.py"),
	}; !slices.Equal(got, want) {
		t.Errorf("attachments %v, want %v", got, want)
	}
	for language, want := range map[string]string{
		"de": "````\nOne\ntwo ``` three\n````",
		"fi": "The statement is an HTML file: `" + filepath.Join(dir, "problem_statement", "problem.fi.html") + "`",
	} {
		if got, err := p.Markdown(language); err != nil || !strings.Contains(got, want) {
			t.Errorf("Markdown(%q) = %v\n%s\nwant\n%s", language, err, got, want)
		}
	}
	for _, f := range p.Warnings {
		if strings.Contains(f.Text, "statement") {
			t.Errorf("flaw: %v", f)
		}
	}
}

// TestIncludes checks that a statement may include files of the package, and no other files.
func TestIncludes(t *testing.T) {
	dir := unpack(t, parse(`
-- problem.yaml --
problem_format_version: 2025-09
name: One
uuid: 117b564d-429b-44d4-bf8c-c264a3703e07
constants: {n: 10}
-- statement/problem.en.tex --
\input{parts/body} \input{../shared} \input{../../outside} \input{/etc/passwd}
\lstinputlisting{code.py}
\input{problems/pkg/shared} \input{pkg/../../outside}
-- statement/parts/body.tex --
At most \constant{n}. \includegraphics{parts/a}
\includegraphics{b}
-- statement/parts/a.svg --
<svg xmlns="http://www.w3.org/2000/svg"/>
-- statement/code.py --
n = 10
-- shared.tex --
Shared.
-- statement/problem.sv.md --
![a](parts/a.svg) ![c](c.png)

<img src="../shared.tex">
-- statement/problem.sv.tex --
\includegraphics{not-shown}
-- statement/problem.de.html --
<p>
<img src="d.png">
-- data/secret/1.in --
1
-- data/secret/1.ans --
1
`))
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "outside.tex"), []byte("secret"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := open(t, dir)
	got, err := p.Markdown("en")
	const want = "# One\n\nAt most 10. ![](parts/a) ![](b) Shared. \\[../../outside: not found\\] \\[/etc/passwd: not found\\]\n\n```\n" +
		"n = 10\n```\n\nShared. \\[pkg/../../outside: not found\\]"
	if err != nil || strings.TrimSpace(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	n, missing, warnings := p.CheckPictures()
	var told []string
	for _, f := range append(missing, warnings...) {
		file, _ := filepath.Rel(dir, f.File)
		told = append(told, fmt.Sprintf("%s:%d: %s", filepath.ToSlash(file), f.Line, f.Text))
	}
	const gone = "the statement shows the picture %s, which does not exist"
	wantTold := []string{
		"statement/parts/body.tex:2: " + fmt.Sprintf(gone, "b"),
		"statement/problem.de.html:2: " + fmt.Sprintf(gone, "d.png"),
		"statement/problem.sv.md:1: " + fmt.Sprintf(gone, "c.png"),
		"statement/problem.sv.md:3: the statement shows the picture ../shared.tex, which is not a PNG, JPEG, GIF, SVG, PDF or EPS file",
		"statement/problem.en.tex:1: the statement includes ../../outside: it is outside of the package",
		"statement/problem.en.tex:1: the statement includes /etc/passwd: no such file or directory",
		"statement/problem.en.tex:3: the statement includes pkg/../../outside: it is outside of the package",
	}
	if n != 6 || !slices.Equal(told, wantTold) {
		t.Errorf("%d pictures\n%q, want\n%q", n, told, wantTold)
	}
}
