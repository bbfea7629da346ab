package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/tex"
	"assay/judge/packages/polygon"
	"assay/judge/problem"
)

// polygonSections lists the sections of a statement in Polygon's order: the file's name, the words of the headings
// above it, and the command for the heading. The examples come before the notes.
var polygonSections = []struct {
	file, command string
	words         []string
}{
	{"legend", "", nil}, {"input", `\InputFile`, []string{"Input"}}, {"output", `\OutputFile`, []string{"Output"}},
	{"interaction", `\Interaction`, []string{"Interaction"}}, {"scoring", `\Scoring`, []string{"Scoring"}},
	{"notes", `\Note`, []string{"Note", "Notes"}},
}

// A polygonText is a statement in one language, as LaTeX.
type polygonText struct {
	language string // Polygon's name
	title    string
	sections map[string]string // by file name
	samples  []polygonSample
}

// polygonSample is a sample in problem-properties.json.
type polygonSample struct {
	Input      string `json:"input"`
	Output     string `json:"output"`
	InputFile  string `json:"inputFile"`
	OutputFile string `json:"outputFile"`
}

// statements writes the statements of all languages as sections, as properties, and as problem.tex.
func (p *polygonExporter) statements() error {
	all := p.from.Statements()
	for language := range p.from.About.Names {
		if all[language] == "" && language != p.language() {
			p.notes.add("the name in the language %s is left out: there is no statement.%[1]s.md", language)
		}
	}
	all[p.language()] = p.from.Statement()
	found := false
	for _, language := range slices.Sorted(maps.Keys(all)) {
		name := polygon.LanguageName(language)
		if !problem.GoodName(name) {
			return p.fault("package.language", fmt.Sprintf("%q cannot be the name of a language", language), "write a code such as de")
		}
		data, err := os.ReadFile(all[language])
		if err == nil {
			found = true
			if err := p.statement(language, name, all[language], data); err != nil {
				return err
			}
		}
		if err == nil || language == p.language() {
			p.doc.Names = append(p.doc.Names, polygonName{name, p.name(language)})
		}
	}
	if !found {
		p.notes.add("there is no statement")
	}
	return nil
}

// statement writes a statement with its pictures.
func (p *polygonExporter) statement(language, name, file string, data []byte) error {
	data = p.exported(data)
	sections := filepath.Join(p.dir, "statement-sections", name)
	whole := filepath.Join(p.dir, "statements", name)
	if err := p.pictures(data, file, sections); err != nil {
		return err
	}
	if _, err := os.Stat(sections); err == nil {
		if err := copyTree(sections, whole); err != nil {
			return err
		}
	}
	title := strings.Join(strings.Fields(p.name(language)), " ")
	t := polygonText{language: name, title: title, sections: map[string]string{}, samples: p.samples()}
	texts := splitStatement(strings.ReplaceAll(string(data), "\r\n", "\n"), language)
	for _, s := range polygonSections {
		head, text, err := p.latex(title, texts[s.file])
		if err != nil {
			return err
		}
		t.title = head
		if text != "" {
			t.sections[s.file] = text
		}
	}
	p.doc.Statements = append(p.doc.Statements, polygonStatement{
		Charset: "UTF-8", Language: name, MathJax: true, Path: "statements/" + name + "/problem.tex", Type: "application/x-tex",
	})
	files := map[string]string{filepath.Join(sections, "name.tex"): t.title + "\n", filepath.Join(whole, "problem.tex"): p.problemTeX(&t)}
	for file, text := range t.sections {
		files[filepath.Join(sections, file+".tex")] = text
	}
	for _, s := range t.samples {
		for _, dir := range []string{sections, whole} {
			files[filepath.Join(dir, s.InputFile)], files[filepath.Join(dir, s.OutputFile)] = s.Input, s.Output
		}
	}
	properties, err := p.properties(&t)
	if err != nil {
		return err
	}
	files[filepath.Join(whole, "problem-properties.json")] = properties
	for file, text := range files {
		if err := write(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// splitStatement splits a Markdown statement at the headings of sections. A text whose heading is no section's, or
// would change the order, stays below the text before it. Each section gets the definitions of links.
func splitStatement(markdown, language string) map[string]string {
	texts := map[string]*strings.Builder{}
	for _, s := range polygonSections {
		texts[s.file] = &strings.Builder{}
	}
	at, fence := 0, ""
	var definitions strings.Builder
	for line := range strings.Lines(markdown) {
		start := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(start, fence) && strings.Trim(start, fence[:1]) == "" {
				fence = ""
			}
		case strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~"):
			fence = start[:len(start)-len(strings.TrimLeft(start, start[:1]))]
		case linkDefinition().MatchString(line):
			definitions.WriteString(line)
		default:
			if next := sectionOf(line, language); next > at {
				at = next
				continue
			}
		}
		texts[polygonSections[at].file].WriteString(line)
	}
	split := map[string]string{}
	for name, text := range texts {
		if strings.TrimSpace(text.String()) != "" {
			split[name] = text.String() + "\n" + definitions.String()
		}
	}
	return split
}

var (
	linkDefinition = pattern.New(`^ {0,3}\[[^\]^][^\]]*\]:[ \t]*\S+([ \t]+["'(].*)?\s*$`)
	sectionHeading = pattern.New(`^ {0,3}##?[ \t]+(.*?)[ \t#]*\r?\n?$`)
)

// sectionOf returns the index of the section that begins with a line, or 0 if no section does.
func sectionOf(line, language string) int {
	found := sectionHeading().FindStringSubmatch(line)
	if found == nil {
		return 0
	}
	for i, s := range polygonSections {
		for _, word := range s.words {
			if strings.EqualFold(found[1], word) || strings.EqualFold(found[1], tex.Word(language, word)) {
				return i
			}
		}
	}
	return 0
}

// picturePath matches the directory of a picture in LaTeX.
var picturePath = pattern.New(`(\\includegraphics(?:\[[^\]]*\])?\{)[^{}]*/`)

// latex converts a part of a statement. The head is the title as LaTeX.
func (p *polygonExporter) latex(title, markdown string) (head, text string, err error) {
	if p.options.TeX == nil {
		return title, markdown, nil
	}
	var b bytes.Buffer
	if err := p.options.TeX(&b, title, []byte(markdown)); err != nil {
		return "", "", err
	}
	head, text, _ = strings.Cut(b.String(), "\n\n")
	head = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(head), `\problemname{`), "}")
	return head, picturePath().ReplaceAllString(text, "${1}"), nil
}

// pictures copies the pictures of a statement to a directory, without directories of their own, which Polygon does
// not have.
func (p *polygonExporter) pictures(markdown []byte, file, to string) error {
	if err := copyPictures(&p.notes, markdown, p.from.Dir, filepath.Dir(file), to); err != nil {
		return err
	}
	if err := p.redraw(markdown, file, to); err != nil {
		return err
	}
	entries, _ := os.ReadDir(to) // without pictures, there is no directory
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		below := filepath.Join(to, e.Name())
		err := filepath.WalkDir(below, func(from string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(from)
			if err != nil {
				return err
			}
			name := filepath.Join(to, d.Name())
			if old, err := os.ReadFile(name); err == nil && !bytes.Equal(old, data) {
				return &judge.ProblemError{
					File: file, Text: fmt.Sprintf("cannot be exported: two pictures are called %s, and Polygon has no directories of pictures", d.Name()),
					Hint: "rename one of them",
				}
			}
			return write(name, data, 0o644)
		})
		if err != nil {
			return err
		}
		if err := os.RemoveAll(below); err != nil {
			return err
		}
	}
	return nil
}

// samples returns the samples that a statement shows. The dialogues of interactive problems are not shown.
func (p *polygonExporter) samples() (all []polygonSample) {
	if p.from.Kind.Interactive {
		return nil
	}
	for i, s := range p.from.SampleCases() {
		name := fmt.Sprintf("example.%02d", i+1)
		all = append(all, polygonSample{s.In, s.Out, name, name + ".a"})
	}
	return all
}

// problemTeX returns a statement as a document for olymp.sty.
func (p *polygonExporter) problemTeX(t *polygonText) string {
	var b strings.Builder
	l := p.from.Limits
	fmt.Fprintf(&b, "\\begin{problem}{%s}{standard input}{standard output}{%s seconds}{%s megabytes}\n\n",
		t.title, number(l.CPU.Seconds()), number(float64(l.Memory)/(1<<20)))
	for _, s := range polygonSections {
		if s.file == "notes" && len(t.samples) > 0 {
			b.WriteString("\\Examples\n\n\\begin{example}\n")
			for _, sample := range t.samples {
				fmt.Fprintf(&b, "\\exmpfile{%s}{%s}%%\n", sample.InputFile, sample.OutputFile)
			}
			b.WriteString("\\end{example}\n\n")
		}
		if text := t.sections[s.file]; text != "" {
			b.WriteString(strings.TrimLeft(s.command+"\n\n", "\n") + strings.TrimSpace(text) + "\n\n")
		}
	}
	b.WriteString("\\end{problem}\n")
	return b.String()
}

// properties returns a statement as problem-properties.json. Sections that the statement lacks are null.
func (p *polygonExporter) properties(t *polygonText) (string, error) {
	all := map[string]any{
		"name": t.title, "language": t.language, "inputFile": "stdin", "outputFile": "stdout",
		"timeLimit": p.doc.Judging.Testset.TimeMS, "memoryLimit": p.doc.Judging.Testset.MemoryBytes, "sampleTests": t.samples,
	}
	for _, s := range polygonSections {
		all[s.file] = nil
		if text := t.sections[s.file]; text != "" {
			all[s.file] = text
		}
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(all); err != nil {
		return "", fmt.Errorf("write problem-properties.json: %w", err)
	}
	return b.String(), nil
}
