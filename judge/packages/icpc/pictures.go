package icpc

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/pictures"
	"assay/judge/internal/tex"
	"assay/judge/problem"
)

// CheckPictures returns the number of pictures in the statements, faults for those that are missing or cannot be shown,
// and warnings about other content that is not shown. For a language with several statements, it considers only
// the one that is shown.
func (p *Package) CheckPictures() (n int, faults, warnings judge.ProblemErrors) {
	for _, s := range p.shownStatements() {
		switch s.Kind {
		case "tex":
			found, wrong, warned := p.checkTeXPictures(s)
			n, faults, warnings = n+found, append(faults, wrong...), append(warnings, warned...)
		case "md", "html":
			text, _, _ := p.readText(s.Name, "") // show reports the error
			paths := pictures.Paths
			if s.Kind == "html" {
				paths = pictures.PathsInHTML
			}
			for _, picture := range paths([]byte(text)) {
				n++
				p.checkPicture(s, p.pathOf(s.Name), picture.Line, picture.Path, &faults, &warnings)
			}
		}
	}
	return n, faults, warnings
}

// checkPicture checks a picture that a statement shows at a line of file.
func (p *Package) checkPicture(s Statement, file string, line int, name string, faults, warnings *judge.ProblemErrors) {
	path := p.picture(s, name)
	if path == "" {
		*faults = append(*faults, problem.NoPicture(file, line, name))
		return
	}
	data, err := p.read(path)
	if err != nil {
		*faults = append(*faults, &judge.ProblemError{File: p.pathOf(path), Text: problem.Reason(err)})
		return
	}
	if fault, warning := problem.CheckPicture(file, line, name, p.pathOf(path), data); fault != nil {
		*faults = append(*faults, fault)
	} else if warning != nil {
		*warnings = append(*warnings, warning)
	}
}

// shownStatements returns, for each language, the statement that is shown.
func (p *Package) shownStatements() (all []Statement) {
	var languages []string
	for _, s := range p.Statements {
		if !slices.Contains(languages, s.Language) {
			languages, all = append(languages, s.Language), append(all, s)
		}
	}
	return all
}

// CheckFormulas returns the number of formulas in the statements, the broken ones, and those that pages cannot render.
func (p *Package) CheckFormulas() (n int, broken, warnings judge.ProblemErrors) {
	for _, s := range p.shownStatements() {
		switch s.Kind {
		case "tex":
			doc, err := p.convert(s)
			if err != nil {
				continue // show reports the error
			}
			n += doc.Formulas
			for _, w := range doc.Broken {
				broken = append(broken, p.located(s, w))
			}
		case "md":
			text, _, _ := p.readText(s.Name, "") // show reports the error
			found, faults, undrawn := problem.Formulas(p.pathOf(s.Name), []byte(p.Constants(text)))
			n, broken, warnings = n+found, append(broken, faults...), append(warnings, undrawn...)
		case "html":
			data, _ := p.read(s.Name) // show reports the error
			found, faults, undrawn := problem.HTMLFormulas(p.pathOf(s.Name), data)
			n, broken, warnings = n+found, append(broken, faults...), append(warnings, undrawn...)
		}
	}
	return n, broken, warnings
}

// located converts a warning about a statement to a fault with a position.
func (p *Package) located(s Statement, w tex.Warning) *judge.ProblemError {
	f := &judge.ProblemError{Text: w.Text, Hint: w.Hint}
	f.File, f.Line = p.place(s, w.File, w.Line)
	return f
}

// place returns the path and the line in the package of something that a LaTeX statement shows. The line is 0 if
// the statement consists of parts of a file in another format.
func (p *Package) place(s Statement, file string, line int) (string, int) {
	if s.Files != nil { // the statement consists of parts of a file in another format
		return p.pathOf(s.Name), 0
	}
	if file != s.Name {
		file = filepath.ToSlash(filepath.Join(filepath.Dir(s.Name), file))
	}
	return p.pathOf(file), line
}

// findPicture returns the path of a picture relative to the directory of the statement that names it. It returns an empty
// string if the picture does not exist.
func (p *Package) findPicture(s Statement, name string) string {
	if p.picture(s, name) != "" {
		return name
	}
	if below := p.below(name); below != "" {
		rel, err := filepath.Rel(path.Dir(s.Name), below)
		if rel = filepath.ToSlash(rel); err == nil && p.picture(s, rel) != "" {
			return rel
		}
	}
	return ""
}

// below returns the path in the package that corresponds to a path from a directory above it. It returns an empty
// string if the path does not contain the package's name. Some contests compile all statements in their own directory.
func (p *Package) below(name string) string {
	if _, below, ok := strings.Cut("/"+name, "/"+p.ID+"/"); ok {
		return path.Clean(below)
	}
	return ""
}

// picture returns the file of a picture that a statement names, or "" if it does not exist in the package.
func (p *Package) picture(s Statement, name string) string {
	for _, name := range problem.PictureNames(name) {
		if file := path.Join(path.Dir(s.Name), name); p.isFile(file) { // false for paths outside the package
			return file
		}
	}
	return ""
}

func (p *Package) checkTeXPictures(s Statement) (n int, faults, warnings judge.ProblemErrors) {
	doc, err := p.convert(s)
	if err != nil {
		return 0, nil, nil // show reports the error
	}
	for _, picture := range doc.Pictures {
		file, line := p.place(s, picture.File, picture.Line)
		p.checkPicture(s, file, line, picture.Name, &faults, &warnings)
	}
	for _, w := range doc.Warnings {
		warnings = append(warnings, p.located(s, w))
	}
	return len(doc.Pictures), faults, warnings
}
