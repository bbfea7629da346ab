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
	"assay/judge/internal/pictures"
	"assay/judge/problem"
)

// Statement is the statement of a problem in one language.
type Statement struct {
	Language string // language code
	// Markdown is the text. In a package it includes the samples. If there is only a PDF or HTML document,
	// Markdown is the document's name.
	Markdown     []byte
	DocumentOnly bool // whether there is only the document
	Pictures     map[string]*StatementFile
	Document     *StatementFile // the statement as a PDF or HTML file, which may show Pictures; nil if there is none
}

// StatementFile is a file that a statement shows, or an attachment.
type StatementFile struct {
	Name          string // path relative to the problem's directory, with slashes
	Type          string // MIME type of its bytes
	Data          []byte
	Width, Height int  // size of a picture in pixels; zero if unknown
	Converted     bool // whether it was made by ConvertPictures, so that no file contains these bytes
}

const (
	pdfType = "application/pdf"
	epsType = "application/postscript"
	svgType = "image/svg+xml"
)

// Languages returns the languages of the statements, with the default first. It returns none for a package without
// a statement.
func (p *Problem) Languages() []string {
	if p.Package != nil {
		return p.Package.Languages()
	}
	own := cmp.Or(p.About.Language, "en")
	others := p.Statements()
	delete(others, own)
	return append([]string{own}, slices.Sorted(maps.Keys(others))...)
}

// ReadStatement reads the statement in a language, with the files that it shows. An empty language stands for the
// default. Missing pictures are omitted. If the statement cannot be read, the error is a *judge.ProblemError or
// judge.ProblemErrors. If there is no statement in the language, the error is a *judge.UsageError.
func (p *Problem) ReadStatement(language string) (*Statement, error) {
	languages := p.Languages()
	if language == "" && len(languages) > 0 {
		language = languages[0]
	}
	if language != "" && !slices.Contains(languages, language) {
		return nil, &judge.UsageError{
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
		s.Markdown, s.Pictures = []byte(shown), p.ReadPictures(text, file)
		return s, nil
	}
	text, err := p.Package.Markdown(language)
	if err != nil {
		return nil, err
	}
	s.Markdown, s.Pictures = []byte(text), p.ReadPictures([]byte(text), p.Package.StatementFile(language))
	if document, kind := p.Package.Document(language); document != "" {
		s.Document = p.statementFile(document, map[string]string{"pdf": pdfType, "html": "text/html; charset=utf-8"}[kind])
		if s.Document != nil && kind == "html" {
			p.readPictures(s.Pictures, pictures.PathsInHTML(s.Document.Data), document)
		}
		other, _ := p.relativeName(p.Package.StatementFile(language))
		s.DocumentOnly = s.Document != nil && filepath.ToSlash(other) == s.Document.Name
	}
	return s, nil
}

// UnshownSamples returns the sample cases that a statement does not show, shortened. It returns none for a
// package, whose statement shows all samples.
func (p *Problem) UnshownSamples(s *Statement) (samples []problem.SampleCase) {
	if p.Package != nil {
		return nil
	}
	shows := example.Shows(string(s.Markdown))
	for _, one := range p.SampleCases() {
		one.In, one.Out = problem.Shortened(one.In), problem.Shortened(one.Out)
		if !shows(one.In, one.Out) {
			samples = append(samples, one)
		}
	}
	return samples
}

// ReadPictures reads the pictures in a Markdown text, and returns them by their paths in the text. The paths are
// relative to the directory of file, which contains the text.
func (p *Problem) ReadPictures(markdown []byte, file string) map[string]*StatementFile {
	found := map[string]*StatementFile{}
	p.readPictures(found, pictures.Paths(markdown), file)
	return found
}

// readPictures reads the pictures to which file refers, and adds them to found unless it contains their paths.
func (p *Problem) readPictures(found map[string]*StatementFile, references []pictures.Reference, file string) {
	for _, one := range references {
		if found[one.Path] != nil {
			continue
		}
		for _, name := range problem.PictureNames(one.Path) {
			if f := p.statementFile(filepath.Join(filepath.Dir(file), filepath.FromSlash(name)), ""); f != nil {
				found[one.Path] = f
				break
			}
		}
	}
}

// Attachments returns the files that contestants get in addition to the statement. These are the attachments of a
// package.
func (p *Problem) Attachments() (files []*StatementFile) {
	if p.Package == nil {
		return nil
	}
	for _, file := range p.Package.Attachments() {
		if f := p.statementFile(file, "application/octet-stream"); f != nil {
			f.Name = strings.TrimPrefix(f.Name, "attachments/")
			files = append(files, f)
		}
	}
	return files
}

// shownFiles returns the names of the files that any statement of the problem shows.
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
			continue // judge verify reports faults
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
			note(p.ReadPictures(text, file))
		}
	}
	return shown
}

// isPicture reports whether a file may be a picture in a statement, according to its name.
func isPicture(name string) bool {
	return slices.Contains(problem.PictureTypes, strings.ToLower(path.Ext(name)))
}

// inPictureDir reports whether a file is in a directory for pictures in statements.
func (p *Problem) inPictureDir(name string) bool {
	top, _, deep := strings.Cut(name, "/")
	if p.Package == nil {
		return !deep
	}
	return slices.Contains([]string{"statement", "problem_statement", "statements", "statement-sections"}, top)
}

// statementFile reads a file of the problem for display. If kind is empty, it is determined from the bytes. It
// returns nil if the file does not exist, is too large, is outside the problem's directory, or is not a picture.
func (p *Problem) statementFile(file, kind string) *StatementFile {
	rel, inside := p.relativeName(file)
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

// relativeName returns the path of a file relative to the problem's directory. It returns false if the file is outside.
func (p *Problem) relativeName(file string) (rel string, ok bool) {
	dir, err := filepath.Abs(p.Dir)
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err == nil {
		rel, err = filepath.Rel(dir, file)
	}
	return rel, err == nil && filepath.IsLocal(rel)
}

// errTooLarge means that a file has more than problem.MaxStatementFile bytes.
var errTooLarge = errors.New("the file is too large")

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
	data, err := io.ReadAll(io.LimitReader(f, problem.MaxStatementFile+1))
	if err == nil && len(data) > problem.MaxStatementFile {
		err = errTooLarge
	}
	return data, err
}

// IsPDF reports whether the file is a PDF.
func (f *StatementFile) IsPDF() bool { return f.Type == pdfType }

// IsPicture reports whether browsers can show the file as a picture.
func (f *StatementFile) IsPicture() bool { return strings.HasPrefix(f.Type, "image/") }
