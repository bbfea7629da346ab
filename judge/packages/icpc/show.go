package icpc

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/example"
	"assay/judge/internal/mark"
	"assay/judge/internal/pattern"
	"assay/judge/internal/pictures"
	"assay/judge/internal/tex"
	"assay/judge/problem"
)

// Markdown returns the statement in a language as Markdown. The title is the problem's name, formulas are between
// dollars, constants are filled in, and samples are inserted. An empty language stands for the first one. If there
// is only a PDF, the text says so.
func (p *Package) Markdown(language string) (string, error) {
	s, err := p.statement(language)
	if err != nil {
		return "", err
	}
	title := "# " + cmp.Or(tex.Plain(p.Names[s.Language]), p.Problem.Title, p.ID) + "\n\n"
	if what := documents[s.Kind]; what != "" {
		return title + fmt.Sprintf(
			"The statement is %s: `%s`\n\n", what, p.pathOf(s.Name),
		) + p.withSamples(s.Language, "{{remainingsamples}}", false), nil
	}
	doc, err := p.convert(s)
	if err != nil {
		return "", &judge.ProblemError{File: p.pathOf(s.Name), Text: problem.Reason(err)}
	}
	text := doc.Markdown
	first, rest, _ := strings.Cut(strings.TrimLeft(text, "\r\n"), "\n")
	if s.Kind == "tex" && (first == "#" || strings.HasPrefix(first, "# ")) || strings.TrimSpace(first) == strings.TrimSpace(title) {
		text = rest // the title, such as \problemname
	}
	return title + p.fileNames() + p.withSamples(s.Language, strings.TrimSpace(text), doc.Examples > 0), nil
}

// fileNames describes which files submissions read and write, if they do not use standard input and output.
func (p *Package) fileNames() string {
	in, out := p.Problem.InFile, p.Problem.OutFile
	if in+out == "" {
		return ""
	}
	return fmt.Sprintf("Input file: `%s`. Output file: `%s`.\n\n", cmp.Or(in, "standard input"), cmp.Or(out, "standard output"))
}

// convert converts a statement to Markdown, without title and samples.
func (p *Package) convert(s Statement) (tex.Document, error) {
	text := s.Source
	if text == "" {
		var err error
		if text, _, err = p.readText(s.Name, ""); err != nil {
			return tex.Document{}, err
		}
	}
	switch s.Kind {
	case "tex":
		folder := path.Dir(s.Name)
		pdf := ""
		if file, form := p.Document(s.Language); form == "pdf" {
			pdf = path.Base(filepath.ToSlash(file))
		}
		source := tex.Source{Text: p.texConstants(text), File: s.Name, Language: s.Language, PDF: pdf}
		source.Find = func(name string) string { return p.findPicture(s, name) }
		source.Read = func(name string) (string, error) {
			if text, ok := s.Files[name]; ok {
				return text, nil
			}
			full := path.Join(folder, name)
			if below := p.below(name); below != "" && !p.isFile(full) {
				full = below
			}
			if !filepath.IsLocal(filepath.FromSlash(full)) {
				return "", errors.New("it is outside of the package")
			}
			text, _, err := p.readText(full, declaredEncoding([]byte(text)))
			if err != nil {
				return "", errors.New(problem.Reason(err))
			}
			return p.texConstants(text), nil
		}
		return source.Convert(), nil
	case "txt":
		return tex.Document{Markdown: problem.Fenced(text)}, nil
	}
	return tex.Document{Markdown: pictures.SizeAttributes(p.Constants(text))}, nil
}

// readText reads a text of a statement, and returns the name of the encoding that it had. The argument including is the
// encoding that a file declares for the files that it includes. It may be empty.
func (p *Package) readText(name, including string) (text, encoding string, err error) {
	data, err := p.read(name)
	if err != nil {
		return "", "", err
	}
	text, encoding = mark.Decode(data, cmp.Or(declaredEncoding(data), including))
	return text, encoding, nil
}

// declaredEncoding returns the encoding that a LaTeX file declares, or an empty string.
func declaredEncoding(text []byte) string {
	if found := inputEncoding().FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return ""
}

// inputEncoding matches the declaration of a LaTeX file's encoding.
var inputEncoding = pattern.New(`\\usepackage\s*\[\s*([a-z0-9-]+)\s*\]\s*\{inputenc\}`)

// Convert returns a statement as Markdown, without its samples. It returns an empty string for a PDF or HTML file.
func (p *Package) Convert(s Statement) (string, error) {
	if documents[s.Kind] != "" {
		return "", nil
	}
	doc, err := p.convert(s)
	return doc.Markdown, err
}

// texConstants fills in the constants in a LaTeX text.
func (p *Package) texConstants(text string) string {
	return texConstant().ReplaceAllStringFunc(text, func(mark string) string {
		return p.Constants("{{" + texConstant().FindStringSubmatch(mark)[1] + "}}")
	})
}

// documents maps the kinds of statements that are shown unchanged to their descriptions.
var documents = map[string]string{"pdf": "a PDF", "html": "an HTML file"}

// texConstant matches a constant in a LaTeX statement. The value of the constant is also LaTeX.
var texConstant = pattern.New(`\\constant\s*\{\s*([a-zA-Z0-9_.]+)\s*\}`)

// statement finds the statement in a language. It prefers text to PDF.
func (p *Package) statement(language string) (Statement, error) {
	var known []string
	for _, s := range p.Statements {
		if language == "" || s.Language == language {
			return s, nil
		}
		if !slices.Contains(known, s.Language) {
			known = append(known, s.Language)
		}
	}
	if len(known) == 0 {
		return Statement{}, &judge.ProblemError{File: p.Dir, Text: "the package has no statement", Hint: "add statement/problem.en.md"}
	}
	return Statement{}, &judge.ProblemError{
		File: p.Dir, Text: fmt.Sprintf("the package has no statement in the language %q", language),
		Hint: "write one of: " + strings.Join(known, ", "),
	}
}

// withSamples inserts the samples at their marks in the statement, and the others at the end. If the statement
// contains no mark, withSamples omits samples that the statement already shows. If shown is also set, it omits all
// samples, because the statement's own commands have already shown examples.
func (p *Package) withSamples(language, text string, shown bool) string {
	samples := p.samples(language)
	if !problem.Marked(text) {
		shows := example.Shows(text)
		samples = slices.DeleteFunc(samples, func(s sampleText) bool { return shown || shows(s.in, s.out) })
	}
	var texts []string
	for _, s := range samples {
		texts = append(texts, s.markdown)
	}
	text, marked := problem.PlaceSamples(text, texts)
	if !marked && len(texts) > 0 {
		text += "\n\n" + strings.Join(texts, "")
	}
	return text
}

// ShowCases sets the samples of a package without data/sample.
func (p *Package) ShowCases(cases []judge.Case) { p.otherSamples = cases }

// A sampleText is a sample as Markdown, with its input and output, which are empty for an interaction.
type sampleText struct{ markdown, in, out string }

// samples returns the samples in order.
func (p *Package) samples(language string) (texts []sampleText) {
	for i, c := range p.otherSamples {
		texts = append(texts, p.pair(language, i+1, p.relativePath(c.In), p.relativePath(c.Ans)))
	}
	var names []string
	for _, e := range p.list("data/" + sample) {
		for _, ext := range []string{".in", ".interaction", ".in.statement"} {
			if base, ok := strings.CutSuffix(e.Name, ext); ok && !e.Dir && !slices.Contains(names, base) {
				names = append(names, base)
			}
		}
	}
	slices.Sort(names)
	for i, name := range names {
		base := path.Join("data", sample, name)
		if p.isFile(base + ".interaction") {
			text := "## %s %d\n\nLines of the judge start with <, lines of your program with >:\n\n%s"
			texts = append(texts, sampleText{markdown: fmt.Sprintf(text, tex.Word(language, "Sample"), i+1, p.quoted(base+".interaction"))})
			continue
		}
		texts = append(texts, p.pair(
			language, i+1, p.firstExisting(base+".in.statement", base+".in"),
			p.firstExisting(base+".ans.statement", base+".out", base+".ans"),
		))
	}
	return texts
}

// pair returns a sample with its input and output. An empty file name means a missing file.
func (p *Package) pair(language string, number int, in, out string) sampleText {
	s := sampleText{}
	input, _ := p.read(in) // quoted reports read errors
	quotedOut := ""
	if out != "" {
		output, _ := p.read(out)
		s.out, quotedOut = string(output), p.quoted(out)
	}
	s.in = string(input)
	s.markdown = problem.SampleText(language, number, p.quoted(in), quotedOut)
	return s
}

// relativePath returns the path of a file of the package relative to its directory.
func (p *Package) relativePath(full string) string {
	if name, err := filepath.Rel(p.Dir, full); err == nil && full != "" {
		return filepath.ToSlash(name)
	}
	return ""
}

// firstExisting returns the first file that exists. It returns the empty string if there is none.
func (p *Package) firstExisting(names ...string) string {
	for _, name := range names {
		if p.isFile(name) {
			return name
		}
	}
	return ""
}

// quoted returns the content of a file as a code block.
func (p *Package) quoted(name string) string {
	data, err := p.read(name)
	if err != nil {
		return fmt.Sprintf("(%s: %s)\n\n", name, problem.Reason(err))
	}
	return problem.Fenced(string(data))
}
