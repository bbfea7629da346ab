// Package contestpackage reads and writes contest packages: directories or ZIP archives in the ICPC Contest
// Package Format. It also reads the TSV files of the ICPC registration system. PlanImport compares a package with
// the state of a server, and returns what an import would add and change. Write returns the files of a package.
//
// An error in a package is a *judge.ProblemError with file and line. The package does not access the database, writes no
// files, and does not store pictures.
package contestpackage

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/host/media"
	"assay/judge/internal/strict"
)

// maxBytes is the maximum size of a file in a package.
const maxBytes = 4 << 20

// An objectKind is a kind of objects in a package.
type objectKind string

const (
	contests      objectKind = "contest"
	problems      objectKind = "problem"
	groups        objectKind = "group"
	organizations objectKind = "organization"
	teams         objectKind = "team"
	persons       objectKind = "person"
	accounts      objectKind = "account"
)

// endpoint returns the name of the kind in the Contest API.
func (k objectKind) endpoint() string {
	if k == contests {
		return media.Contest
	}
	return string(k) + "s"
}

// files lists the possible file names of each kind. A package may contain only one file per kind.
var files = []struct {
	kind  objectKind
	names []string
}{
	{contests, []string{"contest.json", "contest.yaml"}},
	{problems, []string{"problems.json", "problems.yaml"}},
	{groups, []string{"groups.json", "groups.yaml", "groups.tsv"}},
	{organizations, []string{"organizations.json", "organizations.yaml", "institutions2.tsv"}},
	{teams, []string{"teams.json", "teams.yaml", "teams2.tsv"}},
	{persons, []string{"persons.json", "persons.yaml"}},
	{accounts, []string{"accounts.json", "accounts.yaml", "accounts.tsv"}},
}

// names returns all file names that Read recognizes.
func names() (all []string) {
	for _, f := range files {
		all = append(all, f.names...)
	}
	return all
}

// A value is the value of a key: a text, a list, an object, or null.
type value struct {
	node *strict.Node // nil if the value is a cell of a TSV file
	text string       // of a cell
}

// An item is an object in a file, before its keys are interpreted.
type item struct {
	file   string
	line   int
	keys   []string // in file order
	values map[string]value
	lines  map[string]int // of each key
}

// A reader collects the errors in a package.
type reader struct {
	faults judge.ProblemErrors
	notes  []string
}

func (r *reader) addFault(file string, line int, hint, format string, args ...any) {
	r.faults = append(r.faults, &judge.ProblemError{File: file, Line: line, Text: fmt.Sprintf(format, args...), Hint: hint})
}

// Files contains the files of a package that an import uses.
type Files struct {
	Texts map[string][]byte // by name, for Read
	Media []string          // paths of pictures and documents
	Root  fs.FS             // root directory of the paths
}

// Collect returns the files of a package that an import uses. They are in root, or in the only directory there.
func Collect(root fs.FS) (*Files, error) {
	files, err := collect(root)
	if err != nil || files != nil {
		return files, err
	}
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, fmt.Errorf("read the contest package: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") || e.Name() == "__MACOSX" })
	if len(entries) == 1 && entries[0].IsDir() {
		sub, err := fs.Sub(root, entries[0].Name())
		if err == nil {
			files, err = collect(sub)
		}
		if err != nil || files != nil {
			return files, err
		}
	}
	return nil, judge.ProblemErrors{{File: ".", Text: "the package has no file that can be imported",
		Hint: "it needs one of " + strings.Join(names(), ", ")}}
}

// collect returns the files in dir that an import uses. It returns nil if there are none.
func collect(dir fs.FS) (*Files, error) {
	texts, err := collectTexts(dir)
	if err != nil {
		return nil, err
	}
	pictures, err := collectMedia(dir)
	if err != nil || len(texts)+len(pictures) == 0 {
		return nil, err
	}
	return &Files{Texts: texts, Media: pictures, Root: dir}, nil
}

func collectTexts(dir fs.FS) (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, name := range names() {
		f, err := dir.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read the contest package: %w", err)
		}
		all[name], err = io.ReadAll(io.LimitReader(f, maxBytes+1))
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("read the contest package: %s: %w", name, err)
		}
		if len(all[name]) > maxBytes {
			return nil, judge.ProblemErrors{tooLarge(name)}
		}
	}
	return all, nil
}

func tooLarge(name string) *judge.ProblemError {
	return &judge.ProblemError{File: name, Text: fmt.Sprintf("the file has more than %d MiB", maxBytes>>20)}
}

// items reads the objects of a kind from its file. It reports whether the package contains such a file.
func (r *reader) items(contents map[string][]byte, names []string) (items []item, present bool) {
	file := ""
	for _, name := range names {
		data, there := contents[name]
		switch {
		case !there:
			continue
		case file != "":
			r.addFault(name, 0, "remove one of the two", "the package has %s, too", file)
			continue
		}
		file = name
		data = bytes.TrimPrefix(data, []byte("\uFEFF"))
		switch {
		case len(data) > maxBytes:
			r.faults = append(r.faults, tooLarge(name))
		case strings.HasSuffix(name, ".tsv"):
			items = r.tsv(name, data)
		default:
			items = r.tree(name, data)
		}
	}
	return items, file != ""
}

// tree reads a JSON or YAML file with an object or a list of objects.
func (r *reader) tree(name string, data []byte) (items []item) {
	if strings.HasSuffix(name, ".json") {
		var fault *judge.ProblemError
		if data, fault = yamlOfJSON(name, data); fault != nil {
			r.faults = append(r.faults, fault)
			return nil
		}
	}
	root, faults := strict.ParseYAML(name, data)
	if len(faults) > 0 {
		r.faults = append(r.faults, faults...)
		return nil
	}
	single := strings.HasPrefix(name, "contest.")
	nodes := []*strict.Node{root}
	if !single {
		if root.IsSet() && root.Kind != strict.List {
			r.addFault(name, root.Line, "", "the file must be a list of objects")
			return nil
		}
		nodes = root.Items()
	}
	for _, n := range nodes {
		if n.Kind != strict.Map {
			r.addFault(name, max(n.Line, 1), "", "an object with keys such as \"id\" must be here")
			continue
		}
		one := item{file: name, line: n.Line, values: map[string]value{}, lines: map[string]int{}}
		for k, v := range n.Pairs() {
			one.keys = append(one.keys, k.Text)
			one.values[k.Text], one.lines[k.Text] = value{node: v}, k.Line
		}
		items = append(items, one)
	}
	return items
}

// sortedFaults returns the errors sorted by file and line, without duplicates.
func (r *reader) sortedFaults() error {
	seen := map[judge.ProblemError]bool{}
	r.faults = slices.DeleteFunc(r.faults, func(f *judge.ProblemError) bool {
		twice := seen[*f]
		seen[*f] = true
		return twice
	})
	slices.SortStableFunc(r.faults, func(a, b *judge.ProblemError) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	return r.faults.AsError()
}
