package workspace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/example"
	"assay/judge/internal/formula"
	"assay/judge/internal/pictures"
	"assay/judge/problem"
)

// Statement is what contestants read of a problem in one language.
type Statement struct {
	Language string // its code
	// Markdown is the text, which of a package has the samples. Where there is nothing but a
	// document, it is its name.
	Markdown []byte
	Only     bool // there is nothing but the document
	Pictures map[string]*StatementFile
	Document *StatementFile // the statement as a PDF or an HTML file; nil if there is none
}

// StatementFile is a file that a statement shows, or that is given along with it.
type StatementFile struct {
	Name          string // its path from the problem's folder on, with slashes
	Type          string // of its bytes, as in a Content-Type header
	Data          []byte
	Width, Height int  // of a picture, in pixels; 0 if they are not known
	Made          bool // by Convert: no file has these bytes
}

const pdfType = "application/pdf"

// MaxStatementFile is the most bytes of a file that a statement shows.
const MaxStatementFile = 16 << 20

// Languages of statements, the usual one first. A problem without a statement has none.
func (p *Problem) Languages() []string {
	if p.Package != nil {
		return p.Package.Languages()
	}
	own := cmp.Or(p.About.Language, "en")
	others := p.Statements()
	delete(others, own)
	return append([]string{own}, slices.Sorted(maps.Keys(others))...)
}

// ReadStatement reads the statement in a language, "" for the usual one, with what it shows.
// A picture that is not there is left out. The error is a *judge.Fault or judge.Faults where the
// statement cannot be read, and a *judge.Misuse for a language that it does not have.
func (p *Problem) ReadStatement(language string) (*Statement, error) {
	languages := p.Languages()
	if language == "" && len(languages) > 0 {
		language = languages[0]
	}
	if language != "" && !slices.Contains(languages, language) {
		return nil, &judge.Misuse{
			Err: fmt.Errorf("%s has no statement in the language %q: it has %s", p.ID, language, strings.Join(languages, ", ")),
		}
	}
	s := &Statement{Language: language}
	if p.Package == nil {
		file := p.Statement()
		if len(languages) > 0 && language != languages[0] {
			file = p.Statements()[language]
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, cmp.Or(error(p.Lint()), err)
		}
		shown, _ := problem.PlaceSamples(string(text), p.Samples(language))
		s.Markdown, s.Pictures = []byte(shown), p.PicturesOf(text, file)
		return s, nil
	}
	text, err := p.Package.Markdown(language)
	if err != nil {
		return nil, err
	}
	s.Markdown, s.Pictures = []byte(text), p.PicturesOf([]byte(text), p.Package.StatementFile(language))
	if document, kind := p.Package.Document(language); document != "" {
		s.Document = p.statementFile(document, map[string]string{"pdf": pdfType, "html": "text/html; charset=utf-8"}[kind])
		if s.Document != nil && kind == "html" {
			s.Document.Data = formula.DrawHTML(s.Document.Data)
		}
		other, _ := p.inside(p.Package.StatementFile(language))
		s.Only = s.Document != nil && filepath.ToSlash(other) == s.Document.Name
	}
	return s, nil
}

// UnshownSamples returns the sample cases that a statement does not show, shortened. The statement of
// a package has all of them.
func (p *Problem) UnshownSamples(s *Statement) (all []problem.SampleCase) {
	if p.Package != nil {
		return nil
	}
	shows := example.Shows(string(s.Markdown))
	for _, one := range p.SampleCases() {
		one.In, one.Out = problem.Shortened(one.In), problem.Shortened(one.Out)
		if !shows(one.In, one.Out) {
			all = append(all, one)
		}
	}
	return all
}

// PicturesOf reads the pictures that a text in Markdown shows, by the paths that it has for them;
// file is that of the text, from whose folder on they are.
func (p *Problem) PicturesOf(markdown []byte, file string) map[string]*StatementFile {
	found := map[string]*StatementFile{}
	for _, one := range pictures.Paths(markdown) {
		for _, name := range problem.PictureNames(one.Path) {
			if f := p.statementFile(filepath.Join(filepath.Dir(file), filepath.FromSlash(name)), ""); f != nil {
				found[one.Path] = f
				break
			}
		}
	}
	return found
}

// GivenFiles are what contestants are given beside the statement: the attachments of a package.
func (p *Problem) GivenFiles() (all []*StatementFile) {
	if p.Package == nil {
		return nil
	}
	for _, file := range p.Package.Attachments() {
		if f := p.statementFile(file, "application/octet-stream"); f != nil {
			f.Name = path.Base(f.Name)
			all = append(all, f)
		}
	}
	return all
}

// shownFiles are the files that any statement of the problem shows, by name.
func (p *Problem) shownFiles() map[string]bool {
	shown := map[string]bool{}
	note := func(all map[string]*StatementFile) {
		for _, f := range all {
			shown[f.Name] = true
		}
	}
	for _, language := range p.Languages() {
		s, err := p.ReadStatement(language)
		if err != nil {
			continue // a fault is for judge verify to tell
		}
		note(s.Pictures)
		if s.Document != nil {
			shown[s.Document.Name] = true
		}
	}
	var others []string
	if p.Golf != nil {
		others = append(others, p.Golf.Statement)
	}
	if p.Game != nil {
		others = append(others, p.Game.Statement)
	}
	for _, file := range others {
		if text, err := os.ReadFile(file); err == nil && file != "" {
			note(p.PicturesOf(text, file))
		}
	}
	return shown
}

// isPicture says whether a file is one that a statement may show, by its name.
func isPicture(name string) bool {
	return slices.Contains(problem.PictureTypes, strings.ToLower(path.Ext(name)))
}

// besideStatement says whether a file lies where pictures of statements lie.
func (p *Problem) besideStatement(name string) bool {
	top, _, deep := strings.Cut(name, "/")
	if p.Package == nil {
		return !deep
	}
	return slices.Contains([]string{"statement", "problem_statement", "statements", "statement-sections"}, top)
}

// statementFile reads a file of the problem that is to be shown, as what its bytes are, if kind is
// "". It is nil for one that is not there, too large, outside of the problem's folder, or no
// picture.
func (p *Problem) statementFile(file, kind string) *StatementFile {
	rel, inside := p.inside(file)
	if !inside {
		return nil
	}
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	data, err := readAtMost(root, rel)
	if err != nil {
		return nil
	}
	f := &StatementFile{Name: filepath.ToSlash(rel), Type: kind, Data: data}
	if kind == "" {
		f.Type, f.Width, f.Height = pictures.Type(data)
	}
	if f.Type == "" {
		return nil
	}
	return f
}

// inside is the path of a file from the problem's folder on; not where it is outside.
func (p *Problem) inside(file string) (rel string, is bool) {
	dir, err := filepath.Abs(p.Dir)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err == nil {
		rel, err = filepath.Rel(dir, file)
	}
	return rel, err == nil && filepath.IsLocal(rel)
}

// errLarge says that a file has more than MaxStatementFile bytes.
var errLarge = errors.New("the file is too large")

func readAtMost(root *os.Root, name string) ([]byte, error) {
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrInvalid // a pipe would never end
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxStatementFile+1))
	if err == nil && len(data) > MaxStatementFile {
		err = errLarge
	}
	return data, err
}

// Drawn says whether browsers draw a picture.
func (f *StatementFile) Drawn() bool { return strings.HasPrefix(f.Type, "image/") }
