// Package contestpackage reads and writes contest packages: directories or ZIP archives in the ICPC Contest
// Package Format. It also reads the TSV files of the ICPC registration system. PlanImport compares a package with
// the state of a server, and returns what an import would add and change. Write returns the files of a package.
//
// An error in a package is a *judge.Fault with file and line. The package does not access the database, writes no
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

// mostBytes is the maximum size of a file in a package.
const mostBytes = 4 << 20

// A kind is a kind of objects in a package.
type kind string

const (
	contests      kind = "contest"
	problems      kind = "problem"
	groups        kind = "group"
	organizations kind = "organization"
	teams         kind = "team"
	persons       kind = "person"
	accounts      kind = "account"
)

// endpoint returns the name of the kind in the Contest API.
func (k kind) endpoint() string {
	if k == contests {
		return media.Contest
	}
	return string(k) + "s"
}

// files lists the possible file names of each kind. A package may contain only one file per kind.
var files = []struct {
	kind  kind
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
	faults judge.Faults
	notes  []string
}

func (r *reader) wrong(file string, line int, hint, format string, args ...any) {
	r.faults = append(r.faults, &judge.Fault{File: file, Line: line, Text: fmt.Sprintf(format, args...), Hint: hint})
}

// Files contains the files of a package that an import uses.
type Files struct {
	Texts map[string][]byte // by name, for Read
	Media []string          // paths of pictures and documents
	Root  fs.FS             // root directory of the paths
}

// Collect returns the files of a package that an import uses. They are in root, or in the only directory there.
func Collect(root fs.FS) (*Files, error) {
	all, err := collect(root)
	if err != nil || all != nil {
		return all, err
	}
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, fmt.Errorf("read the contest package: %w", err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), ".") || e.Name() == "__MACOSX" })
	if len(entries) == 1 && entries[0].IsDir() {
		sub, err := fs.Sub(root, entries[0].Name())
		if err == nil {
			all, err = collect(sub)
		}
		if err != nil || all != nil {
			return all, err
		}
	}
	return nil, judge.Faults{{File: ".", Text: "the package has no file that can be imported",
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
		all[name], err = io.ReadAll(io.LimitReader(f, mostBytes+1))
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("read the contest package: %s: %w", name, err)
		}
		if len(all[name]) > mostBytes {
			return nil, judge.Faults{tooLarge(name)}
		}
	}
	return all, nil
}

func tooLarge(name string) *judge.Fault {
	return &judge.Fault{File: name, Text: fmt.Sprintf("the file has more than %d MiB", mostBytes>>20)}
}

// items reads the objects of a kind from its file. It reports whether the package contains such a file.
func (r *reader) items(from map[string][]byte, names []string) (all []item, listed bool) {
	found := ""
	for _, name := range names {
		data, there := from[name]
		switch {
		case !there:
			continue
		case found != "":
			r.wrong(name, 0, "remove one of the two", "the package has %s, too", found)
			continue
		}
		found = name
		data = bytes.TrimPrefix(data, []byte("\uFEFF"))
		switch {
		case len(data) > mostBytes:
			r.faults = append(r.faults, tooLarge(name))
		case strings.HasSuffix(name, ".tsv"):
			all = r.tsv(name, data)
		default:
			all = r.tree(name, data)
		}
	}
	return all, found != ""
}

// tree reads a JSON or YAML file with an object or a list of objects.
func (r *reader) tree(name string, data []byte) (all []item) {
	if strings.HasSuffix(name, ".json") {
		var fault *judge.Fault
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
		if root.Here() && root.Kind != strict.List {
			r.wrong(name, root.Line, "", "the file must be a list of objects")
			return nil
		}
		nodes = root.Items()
	}
	for _, n := range nodes {
		if n.Kind != strict.Map {
			r.wrong(name, max(n.Line, 1), "", "an object with keys such as \"id\" must be here")
			continue
		}
		one := item{file: name, line: n.Line, values: map[string]value{}, lines: map[string]int{}}
		for k, v := range n.Pairs() {
			one.keys = append(one.keys, k.Text)
			one.values[k.Text], one.lines[k.Text] = value{node: v}, k.Line
		}
		all = append(all, one)
	}
	return all
}

// sorted returns the errors sorted by file and line, without duplicates.
func (r *reader) sorted() error {
	seen := map[judge.Fault]bool{}
	r.faults = slices.DeleteFunc(r.faults, func(f *judge.Fault) bool {
		twice := seen[*f]
		seen[*f] = true
		return twice
	})
	slices.SortStableFunc(r.faults, func(a, b *judge.Fault) int { return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line) })
	return r.faults.AsError()
}
