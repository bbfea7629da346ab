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

// Golf is what problem.toml says of the problem as a code golf.
type Golf struct {
	Arity     int         // numbers in an input
	Domain    string      // the generator line that prints every input
	Generator *judge.Part // prints the inputs, a line each, the cheap ones first
	Checker   *judge.Part // judges what an answer gave (kit.CheckGolf)
	// Statement is the path of what golfers read. If empty, they read the problem's statement.
	Statement string
}

// golf is the [golf] table.
type golf struct {
	Arity     int    `toml:"arity"`
	Domain    string `toml:"domain"`
	Generator string `toml:"generator"`
	Checker   string `toml:"checker"`
	Statement string `toml:"statement"`
}

// maxArity keeps letters for the arguments: f(i,j,k,l,...).
const maxArity = 9

func (f *Folder) readGolf(t *golf) (faults judge.Faults) {
	if t == nil {
		return nil
	}
	made := &Golf{Arity: t.Arity, Domain: t.Domain}
	if t.Arity < 1 || t.Arity > maxArity {
		faults = append(faults, f.Fault("golf.arity", fmt.Sprintf("an input has %d numbers", t.Arity), fmt.Sprintf("arity says how many, 1 to %d", maxArity)))
	}
	if t.Domain == "" {
		faults = append(faults, f.Fault("golf.domain", "the golf has no domain", `domain = "all --max 99" is a line for the program that prints every input`))
	}
	for _, part := range []struct {
		key, program, speaks string
		to                   **judge.Part
	}{{"generator", t.Generator, "kit", &made.Generator}, {"checker", t.Checker, "kit", &made.Checker}} {
		key := "golf." + part.key
		if part.program == "" {
			faults = append(faults, f.Fault(key, "the golf has no "+part.key, fmt.Sprintf("%s = \"golf/%s\"", part.key, part.key)))
			continue
		}
		read, bad := f.readProgram(key, part.program)
		faults = append(faults, bad...)
		if read != "" {
			*part.to = &judge.Part{Path: read, Speaks: part.speaks}
		}
	}
	if t.Statement != "" {
		path, bad := f.readText("golf.statement", t.Statement)
		made.Statement, faults = path, append(faults, bad...)
	}
	f.Golf = made
	return faults
}

// readText finds the text in Markdown that a key names; Lint tells if it is missing.
func (f *Folder) readText(key, name string) (path string, faults judge.Faults) {
	switch {
	case !filepath.IsLocal(name):
		return "", judge.Faults{f.Fault(
			key, fmt.Sprintf("the file %q is not inside the problem folder", name),
			"write its path from the folder on",
		)}
	case filepath.Ext(name) != ".md":
		return "", judge.Faults{f.Fault(key, fmt.Sprintf("the file %q is not Markdown", name), "name a file that ends in .md")}
	}
	return filepath.Join(f.Dir, name), nil
}

// lintText finds a text that is missing, empty or not one to be shown.
func (f *Folder) lintText(key, path string) judge.Faults {
	if path == "" {
		return nil
	}
	data, err := f.ReadText(path)
	switch {
	case err != nil:
		return judge.Faults{f.Fault(key, fmt.Sprintf("%s: %s", path, Reason(err)), "write the file, or leave the key out")}
	case strings.TrimSpace(string(data)) == "":
		return judge.Faults{f.Fault(key, path+" is empty", "write it, or leave the key out")}
	}
	return nil
}

// maxText is the most bytes of a text that pages show.
const maxText = 256 << 10

// ReadText reads a file of the folder that is shown as a text. The file must be inside the
// folder, also if it is a link, be UTF-8 and have at most 256 KiB.
func (f *Folder) ReadText(path string) ([]byte, error) {
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
	case !info.Mode().IsRegular(): // to open a pipe would wait for its writer
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
