package polygon_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/judge"
	"assay/judge/packages/icpc"
	"assay/judge/packages/polygon"
)

// stated is a package with statements and two tests. The first test is a sample.
const stated = `
-- problem.xml --
<problem>
  <names><name language="german" value="Summe"/><name language="english" value="Sum"/></names>
  <statements>
    <statement language="german" path="statements/german/problem.tex" type="application/x-tex"/>
    <statement language="german" path="statements/.pdf/german/problem.pdf" type="application/pdf"/>
    <statement language="english" path="statements/english/problem.tex" type="application/x-tex"/>
    <statement language="english" path="statements/.html/english/problem.html" type="text/html"/>
    <statement language="klingon" path="statements/klingon/problem.tex" type="application/x-tex"/>
  </statements>
  <judging input-file="sum.in" output-file=""><testset name="tests">
    <input-path-pattern>tests/%02d</input-path-pattern><answer-path-pattern>tests/%02d.a</answer-path-pattern>
    <tests><test method="manual" sample="true" points="0"/><test method="manual" points="10"/></tests></testset></judging>
  <assets><checker name="std::wcmp.cpp"/></assets>
</problem>
-- tests/01 --
1 2
-- tests/01.a --
3
-- tests/02 --
3 4
-- tests/02.a --
7
-- statements/german/problem.tex --
\begin{problem}{Summe}{sum.in}{Standardausgabe}{1 Sekunde}{256 MB}
Addiere.
\InputFile
Zwei.
\Examples
\begin{example}
\end{example}
\end{problem}
-- statements/.pdf/german/problem.pdf --
%PDF
-- statements/english/problem.tex --
\begin{problem}{Sum}{sum.in}{standard output}{1 second}{256 megabytes}
Add \emph{them}.
\end{problem}
-- statements/.html/english/problem.html --
<p>Add</p>
-- statements/klingon/problem.tex --
\begin{problem}{yI}{a}{b}{c}{d}yI\end{problem}
`

// sections contains the same statement, with each section in a file.
const sections = `
-- statement-sections/english/name.tex --
Sum
-- statement-sections/english/legend.tex --
\newcommand{\two}{two}
Add \two\ numbers.
\includegraphics[width=3cm]{pic}
-- statement-sections/english/input.tex --
The \two.
\begin{tikzpicture}\end{tikzpicture}
-- statement-sections/english/output.tex --
-- statement-sections/english/scoring.tex --
All.
-- statement-sections/english/notes.tex --
Easy.
-- statement-sections/english/tutorial.tex --
Secret.
`

const properties = `
-- statements/english/problem-properties.json --
{"name": "Sum", "legend": "Add \\emph{both}.", "input": "Two.\r\n", "output": null, "scoring": "", "tutorial": "Secret.",
 "notes": "Easy.\\includegraphics{none.png}", "sampleTests": [{"input": "1 1\r\n", "output": "2\r\n", "inputFile": "example.01", "outputFile": "example.01.a"}]}
`

func opened(t *testing.T, dir string) *icpc.Package {
	t.Helper()
	p, faults := polygon.Open(dir, judge.Limits{})
	if p == nil {
		t.Fatal(faults)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

func TestStatements(t *testing.T) {
	const files = "Input file: `sum.in`. Output file: `standard output`.\n\n"
	sample := func(in, out string) string {
		return "## Sample 1\n\nInput:\n\n```\n" + in + "\n```\n\nOutput:\n\n```\n" + out + "\n```"
	}
	const examples = "-- statement-sections/english/example.01 --\n5 6\n-- statement-sections/english/example.01.a --\n11\n" +
		"-- statement-sections/english/example.02 --\nalone\n"
	for _, row := range []struct{ it, archive, language, want string }{
		{"reads problem.tex", stated, "en", "# Sum\n\n" + files + "Add *them*.\n\n" + sample("1 2", "3")},
		{
			"puts the samples where the examples stand", stated, "de",
			"# Summe\n\n" + files + "Addiere.\n\n## Eingabe\n\nZwei.\n\n## Beispiel 1\n\nEingabe:\n\n```\n1 2\n```\n\nAusgabe:\n\n```\n3\n```",
		},
		{"prefers the sections", stated + properties + sections, "",
			"# Sum\n\n" + files + "Add two numbers. ![](pic#width=113px)\n\n## Input\n\nThe two.\n\n\\[drawing in TikZ: not shown\\]\n\n" +
				"## Scoring\n\nAll.\n\n" + sample("1 2", "3") + "\n\n\n\n## Note\n\nEasy."},
		{"shows the examples of the sections", stated + sections + examples, "", "All.\n\n" + sample("5 6", "11") + "\n\n## Note"},
		{
			"prefers the properties to problem.tex", stated + properties, "en",
			"# Sum\n\n" + files + "Add *both*.\n\n## Input\n\nTwo.\n\n" + sample("1 1", "2") + "\n\n## Note\n\nEasy.![](none.png)",
		},
		{
			"passes over properties without a legend",
			stated + "-- statements/english/problem-properties.json --\n{\"legend\": null}\n", "en",
			"Add *them*.",
		},
		{"passes over names that no file has", stated + strings.Replace(
			properties, `"example.01"`, `"a}b"`, 1,
		), "en", "Two.\n\n" + sample("1 2", "3") + "\n\n\n\n## Note"},
		{"passes over broken properties", stated + "-- statements/english/problem-properties.json --\n{\n", "en", "Add *them*."},
		{"keeps a language that it does not know", stated, "klingon", "yI"},
	} {
		got, err := opened(t, unpack(t, row.archive)).Markdown(row.language)
		if err != nil || !strings.Contains(got, row.want) {
			t.Errorf("it %s: %v\n%s\nwant\n%s", row.it, err, got, row.want)
		}
		if strings.Count(got, "## Sample") > 1 {
			t.Errorf("it %s: a sample is shown twice:\n%s", row.it, got)
		}
		if strings.Contains(got, "Secret") || strings.Contains(got, "7") {
			t.Errorf("it %s: a statement shows what is secret:\n%s", row.it, got)
		}
	}
	outside := strings.Replace(stated, `<names>`, `<names><name language="../extra" value="x"/>`, 1) + "-- extra/legend.tex --\nSecret.\n"
	if diff := cmp.Diff([]string{"en", "de", "klingon"}, opened(t, unpack(t, outside)).Languages()); diff != "" {
		t.Errorf("languages of problem.tex (-want +got):\n%s", diff)
	}
	p := opened(t, unpack(t, stated+properties+sections))
	if diff := cmp.Diff([]string{"en", "de", "klingon"}, p.Languages()); diff != "" {
		t.Errorf("languages (-want +got):\n%s", diff)
	}
	for language, want := range map[string]string{"en": "problem.html html", "de": "problem.pdf pdf", "klingon": " "} {
		path, kind := p.Document(language)
		if got := strings.TrimPrefix(filepath.Base(path), ".") + " " + kind; got != want {
			t.Errorf("Document(%q) = %q, want %q", language, got, want)
		}
	}
}

// TestUnshown checks that a missing picture is reported with the section that shows it.
func TestUnshown(t *testing.T) {
	dir := unpack(t, stated+sections)
	told := func() (all []string) {
		n, missing, warnings := opened(t, dir).CheckPictures()
		if n != 1 {
			t.Errorf("%d pictures, want 1", n)
		}
		for _, f := range append(missing, warnings...) {
			f.File, _ = filepath.Rel(dir, f.File)
			all = append(all, f.Error())
		}
		return all
	}
	const drawing = "statement-sections/english/input.tex:2: the statement has a tikzpicture, which is not shown"
	got := told()
	if len(got) != 2 || !strings.HasPrefix(
		got[0],
		"statement-sections/english/legend.tex:3: the statement shows the picture pic, which does not exist",
	) || !strings.HasPrefix(got[1], drawing) {
		t.Errorf("%q", got)
	}
	section := "statement-sections/english/"
	for content, want := range map[string]string{
		"": section + "legend.tex:3: the statement shows the picture pic, which is empty",
		`<svg xmlns="http://www.w3.org/2000/svg"/>`: section + "legend.tex:3: the name of the picture pic does not fit its type, SVG",
	} {
		if err := os.WriteFile(filepath.Join(dir, section, "pic.jpg"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if got := told(); len(got) != 2 || !strings.HasPrefix(got[0], want) || !strings.HasPrefix(got[1], drawing) {
			t.Errorf("with the picture %q: %q", content, got)
		}
	}
	dir = unpack(t, stated+properties)
	if got := told(); len(got) != 1 ||
		!strings.HasPrefix(got[0], "statements/english/problem-properties.json: the statement shows the picture none.png") {
		t.Errorf("of the properties: %q", got)
	}
}

// FuzzStatement checks that any statement can be shown.
func FuzzStatement(f *testing.F) {
	dir := unpack(f, stated)
	p, faults := polygon.Open(dir, judge.Limits{})
	if p == nil {
		f.Fatal(faults)
	}
	p.Close()
	for _, seed := range []string{
		`{"legend": "a", "sampleTests": [{"inputFile": "..", "outputFile": "{"}]}`, `{"legend": 1}`,
		`{"legend":"\\exmpfile{a}{b}","input":"\\input{legend}"}`, `[]`,
	} {
		f.Add(seed)
	}
	name := filepath.Join(dir, "statements", "english", "problem-properties.json")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		p, _ := polygon.Open(dir, judge.Limits{})
		defer p.Close()
		if _, err := p.Markdown("en"); err != nil {
			t.Error(err)
		}
		p.CheckPictures()
	})
}
