package icpc

import (
	"cmp"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/judge/internal/pattern"
)

// Statement is a statement in one language.
type Statement struct {
	Language string // "en"
	Name     string // path relative to the package's directory
	Kind     string // one of the file types in kinds
	// Source is LaTeX that replaces the file's text. It may include Files by their names, and files beside Name.
	Source string
	Files  map[string]string
}

// kinds lists the file types of statements in the order that Markdown prefers.
var kinds = []string{"md", "tex", "txt", "pdf", "html"}

var (
	statementForm = pattern.New(`^(?i:problem)(?:\.([a-zA-Z]{2,3}(?:-[a-zA-Z]{2})?))?\.(?i:(tex|md|txt|html|pdf))$`)
	besideForm    = pattern.New(`^(?i:problem)(?:\.([a-zA-Z]{2,3}(?:-[a-zA-Z]{2})?))?\.(?i:(txt|html|pdf))$`)
)

// texName lists patterns for the problem's name in a statement of the legacy format.
var texName = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\s*%%\s*plainproblemname:\s*(.*?)\s*$`),
	regexp.MustCompile(`\\problemname\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}`),
}

// readStatements finds the statements. In the legacy formats, it also reads the problem's names from them.
func (p *Package) readStatements() {
	for _, dir := range []string{"statement", "problem_statement"} {
		for _, e := range p.list(dir) {
			found := statementForm().FindStringSubmatch(e.Name)
			if found == nil || e.Dir {
				continue
			}
			s := Statement{Language: cmp.Or(languageCode(found[1]), "en"), Name: path.Join(dir, e.Name), Kind: strings.ToLower(found[2])}
			p.Statements = append(p.Statements, s)
			p.checkStatementFile(s)
			if found[1] == "" && p.Format == Format2025 {
				p.warn(s.Name, "the file name contains no language", "rename it to problem.en."+s.Kind)
			}
		}
	}
	p.SortStatements()
	p.readDocuments()
	if len(p.Statements) == 0 {
		dir := "statement"
		if p.Format.isLegacy() {
			dir = "problem_statement"
		}
		p.warn(dir, "there is no statement", "add "+dir+"/problem.en.tex")
	}
	p.namesFromStatements()
	p.checkNames()
}

// languageCode returns the language in a file name, such as pt-BR, with the language itself in lower case.
func languageCode(code string) string {
	language, region, found := strings.Cut(code, "-")
	if language = strings.ToLower(language); found {
		return language + "-" + region
	}
	return language
}

// checkStatementFile warns about a statement that other tools do not find or read.
func (p *Package) checkStatementFile(s Statement) {
	if base := path.Base(s.Name); base[:len("problem")] != "problem" || path.Ext(base) != "."+s.Kind {
		p.warn(s.Name, "the file name has capital letters, so other tools do not find the statement",
			"rename it to problem."+s.Language+"."+s.Kind)
	}
	if documents[s.Kind] != "" {
		return
	}
	if _, encoding, err := p.readText(s.Name, ""); err == nil && encoding != "utf-8" {
		p.warn(s.Name, "the statement is not UTF-8: it is read as "+encoding, "save it as UTF-8")
	}
}

// readDocuments finds the documents beside problem.yaml, where DOMjudge puts them. If a file name contains no
// language, the language is the first one that has a statement, or English.
func (p *Package) readDocuments() {
	first := "en"
	if len(p.Statements) > 0 {
		first = p.Statements[0].Language
	}
	for _, e := range p.list(".") {
		if found := besideForm().FindStringSubmatch(e.Name); found != nil && !e.Dir {
			language := cmp.Or(languageCode(found[1]), first)
			p.Statements = append(p.Statements, Statement{Language: language, Name: e.Name, Kind: strings.ToLower(found[2])})
		}
	}
	p.SortStatements()
}

// SortStatements sorts the statements by language, with English first, and puts texts before documents.
func (p *Package) SortStatements() {
	slices.SortStableFunc(p.Statements, func(a, b Statement) int {
		return cmp.Or(english(a)-english(b), strings.Compare(a.Language, b.Language), kindRank(a)-kindRank(b))
	})
}

// english sorts English statements first.
func english(s Statement) int {
	if s.Language == "en" {
		return 0
	}
	return 1
}

func kindRank(s Statement) int { return slices.Index(kinds, s.Kind) }

// namesFromStatements takes the problem's names from the statements. Legacy formats do not store them elsewhere.
func (p *Package) namesFromStatements() {
	for _, s := range p.Statements {
		if s.Kind != "tex" || p.Names[s.Language] != "" && !p.Format.isLegacy() {
			continue
		}
		text, _, err := p.readText(s.Name, "")
		if err != nil {
			continue
		}
		for _, form := range texName {
			if found := form.FindStringSubmatch(text); found != nil {
				if p.Names == nil {
					p.Names = map[string]string{}
				}
				if p.Names[s.Language] == "" {
					p.Names[s.Language] = found[1]
				}
				break
			}
		}
	}
}

// checkNames warns about languages with a name but no statement, and vice versa.
func (p *Package) checkNames() {
	if p.Format != Format2025 {
		return
	}
	have := map[string]bool{}
	for _, s := range p.Statements {
		have[s.Language] = true
		if p.Names[s.Language] == "" && len(p.Names) > 0 {
			p.warn(s.Name, "the problem has no name in this language", "add "+s.Language+" to the key name of "+File)
		}
	}
	for lang := range p.Names {
		if !have[lang] && len(p.Statements) > 0 {
			p.warn(File, "the problem has a name in the language "+lang+", but no statement", "add statement/problem."+lang+".md")
		}
	}
}

// StatementFile returns the path of the statement in a language. An empty language stands for the first one.
func (p *Package) StatementFile(language string) string {
	for _, s := range p.Statements {
		if language == "" || s.Language == language {
			return p.pathOf(s.Name)
		}
	}
	return p.pathOf("statement")
}

// StatementFiles returns the paths of the statements in all languages. It omits an HTML file that was generated
// from a text beside it.
func (p *Package) StatementFiles() (files []string) {
	texts := map[string]bool{}
	for _, s := range p.Statements { // texts come first
		texts[s.Language] = texts[s.Language] || documents[s.Kind] == ""
		if s.Kind != "html" || !texts[s.Language] {
			files = append(files, p.pathOf(s.Name))
		}
	}
	return files
}

// Languages returns the languages of the statements, the preferred one first.
func (p *Package) Languages() (all []string) {
	for _, s := range p.Statements {
		if !slices.Contains(all, s.Language) {
			all = append(all, s.Language)
		}
	}
	return all
}

// Document returns the path of the statement's PDF or HTML file, and its kind. If the language has neither, both
// are empty.
func (p *Package) Document(language string) (path, kind string) {
	if language == "" && len(p.Statements) > 0 {
		language = p.Statements[0].Language
	}
	for _, kind := range []string{"pdf", "html"} {
		for _, s := range p.Statements {
			if s.Language == language && s.Kind == kind {
				return p.absolute(s.Name), kind
			}
		}
	}
	return "", ""
}

// Attachments returns the sorted paths of the files that contestants get with the statement, also in subdirectories.
func (p *Package) Attachments() (files []string) { return p.attachmentsIn("attachments") }

func (p *Package) attachmentsIn(dir string) (files []string) {
	for _, e := range p.list(dir) {
		if name := dir + "/" + e.Name; e.Dir {
			files = append(files, p.attachmentsIn(name)...)
		} else {
			files = append(files, p.absolute(name))
		}
	}
	return files
}

func (p *Package) absolute(name string) string {
	full := p.pathOf(name)
	if abs, err := filepath.Abs(full); err == nil {
		return abs
	}
	return full
}
