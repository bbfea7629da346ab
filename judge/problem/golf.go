package problem

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"assay/judge"
)

// Golf describes the problem as code golf, as configured in problem.toml.
type Golf struct {
	Arity     int                  // how many numbers an input contains
	Domain    string               // the generator line that prints every input
	Generator *judge.SetterProgram // prints the inputs, one per line, in order of increasing cost
	Checker   *judge.SetterProgram // judges the output of a golf submission (kit.CheckGolf)
	// Statement is the path of the text for golfers. If empty, the problem's statement is used.
	Statement string
}

// golf is the [golf] table of problem.toml.
type golf struct {
	Arity     int    `toml:"arity"`
	Domain    string `toml:"domain"`
	Generator string `toml:"generator"`
	Checker   string `toml:"checker"`
	Statement string `toml:"statement"`
}

// maxArity is the maximum number of arguments, so that there are enough letters for them: f(i,j,k,l,...).
const maxArity = 9

func (f *Directory) readGolf(t *golf) (faults judge.ProblemErrors) {
	if t == nil {
		return nil
	}
	made := &Golf{Arity: t.Arity, Domain: t.Domain}
	if t.Arity < 1 || t.Arity > maxArity {
		faults = append(faults, f.Fault("golf.arity", fmt.Sprintf("an input has %d numbers", t.Arity), fmt.Sprintf(
			"set arity to a number from 1 to %d", maxArity,
		)))
	}
	if t.Domain == "" {
		faults = append(
			faults,
			f.Fault(
				"golf.domain", "the golf has no domain",
				`write the generator line that prints every input, such as: domain = "all --max 99"`,
			),
		)
	}
	for _, part := range []struct {
		key, program, speaks string
		to                   **judge.SetterProgram
	}{{"generator", t.Generator, "kit", &made.Generator}, {"checker", t.Checker, "kit", &made.Checker}} {
		key := "golf." + part.key
		if part.program == "" {
			faults = append(faults, f.Fault(key, "the golf has no "+part.key, fmt.Sprintf("%s = \"golf/%s\"", part.key, part.key)))
			continue
		}
		read, bad := f.readProgram(key, part.program)
		faults = append(faults, bad...)
		if read != "" {
			*part.to = &judge.SetterProgram{Path: read, Protocol: part.speaks}
		}
	}
	if t.Statement != "" {
		path, bad := f.readText("golf.statement", t.Statement)
		made.Statement, faults = path, append(faults, bad...)
	}
	f.Golf = made
	return faults
}

// readText finds the Markdown text that a key names. If the file is missing, Lint reports it.
func (f *Directory) readText(key, name string) (path string, faults judge.ProblemErrors) {
	switch {
	case !filepath.IsLocal(name):
		return "", judge.ProblemErrors{f.Fault(
			key, fmt.Sprintf("the file %q is not inside the problem directory", name),
			"write its path relative to the problem directory",
		)}
	case filepath.Ext(name) != ".md":
		return "", judge.ProblemErrors{f.Fault(key, fmt.Sprintf("the file %q is not Markdown", name), "name a file that ends in .md")}
	}
	return filepath.Join(f.Dir, name), nil
}

// lintText reports a text that is missing or empty, or that cannot be shown.
func (f *Directory) lintText(key, path string) judge.ProblemErrors {
	if path == "" {
		return nil
	}
	data, err := f.ReadText(path)
	switch {
	case err != nil:
		return judge.ProblemErrors{f.Fault(key, fmt.Sprintf("%s: %s", path, Reason(err)), "write the file, or remove the key")}
	case strings.TrimSpace(string(data)) == "":
		return judge.ProblemErrors{f.Fault(key, path+" is empty", "write it, or remove the key")}
	}
	return nil
}

// maxText is the maximum size of a text that pages show, in bytes.
const maxText = 256 << 10

// ReadText reads a text file of the directory. The file must be inside the directory, even if it is a link, and
// must be UTF-8 with at most 256 KiB.
func (f *Directory) ReadText(path string) ([]byte, error) {
	name, err := filepath.Rel(f.Dir, path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	switch info, err := root.Stat(name); {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // opening a pipe would wait for its writer
		return nil, errors.New("not a file")
	case info.Size() > maxText:
		return nil, fmt.Errorf("the text has more than %d KiB", maxText>>10)
	}
	data, err := root.ReadFile(name)
	if err == nil && !utf8.Valid(data) {
		err = errors.New("the text is not UTF-8")
	}
	return data, err
}
