package icpc

import (
	"path"
	"path/filepath"
	"slices"

	"assay/judge"
	"assay/judge/internal/pictures"
	"assay/judge/problem"
)

// Unshown returns how many pictures the statements have, those that are not there, and what
// else a statement has that is not shown. A statement that is not shown, as there is another
// one in its language, does not count.
func (p *Package) Unshown() (n int, missing, warnings judge.Faults) {
	var languages []string
	for _, s := range p.Statements {
		if slices.Contains(languages, s.Language) {
			continue
		}
		languages = append(languages, s.Language)
		switch s.Kind {
		case "tex":
			found, absent, warned := p.unshownTeX(s)
			n, missing, warnings = n+found, append(missing, absent...), append(warnings, warned...)
		case "md", "html":
			data, _ := p.read(s.Name) // show tells
			for _, picture := range pictures.Paths(data) {
				if n++; !p.hasPicture(s, picture.Path) {
					missing = append(missing, problem.NoPicture(p.at(s.Name), picture.Line, picture.Path))
				}
			}
		}
	}
	return n, missing, warnings
}

// hasPicture reports whether there is a picture that a statement names.
func (p *Package) hasPicture(s Statement, name string) bool {
	for _, name := range problem.PictureNames(name) {
		if p.isFile(path.Join(path.Dir(s.Name), name)) { // which is nothing outside of the package
			return true
		}
	}
	return false
}

func (p *Package) unshownTeX(s Statement) (n int, missing, warnings judge.Faults) {
	doc, err := p.convert(s)
	if err != nil {
		return 0, nil, nil // show tells
	}
	place := func(file string, line int) (string, int) {
		if s.Files != nil { // parts of a file of another form
			return p.at(s.Name), 0
		}
		if file != s.Name {
			file = filepath.ToSlash(filepath.Join(filepath.Dir(s.Name), file))
		}
		return p.at(file), line
	}
	for _, picture := range doc.Pictures {
		if !p.hasPicture(s, picture.Name) {
			file, line := place(picture.File, picture.Line)
			missing = append(missing, problem.NoPicture(file, line, picture.Name))
		}
	}
	for _, w := range doc.Warnings {
		file, line := place(w.File, w.Line)
		warnings = append(warnings, &judge.Fault{File: file, Line: line, Text: w.Text, Hint: w.Hint})
	}
	return len(doc.Pictures), missing, warnings
}
