package fill

import (
	"crypto/sha512"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
)

// RecipeFile is the file of a package that contains the BAPCtools recipe.
const RecipeFile = "generators/generators.yaml"

// Package is the information about a package that is needed to read its recipe.
type Package struct {
	Dir       string
	Empty     bool                        // answers are empty files: the problem is interactive or multi-pass
	Default   []*judge.SetterProgram      // solutions for cases without one in the recipe; the first that can be built is used
	Constants func(command string) string // replaces {{constants}}; nil if there are none
	Stage     string                      // directory for programs that are assembled from several files
}

// Generators reads the generators.yaml of a package. If there are faults, it returns no recipe. The flaws are
// warnings about single cases that cannot be made.
func Generators(p Package) (r *Recipe, warnings, faults judge.ProblemErrors) {
	file := filepath.Join(p.Dir, filepath.FromSlash(RecipeFile))
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, judge.ProblemErrors{{File: file, Text: err.Error()}}
	}
	root, faults := strict.ParseYAML(file, data)
	if len(faults) > 0 {
		return nil, nil, faults
	}
	if root.Kind != strict.Map {
		return nil, nil, judge.ProblemErrors{root.Mismatch("a map of keys")}
	}
	reader := &reader{
		pkg:      p,
		recipe:   &Recipe{Files: map[string][]byte{}},
		lists:    map[string][]string{},
		programs: map[string]*judge.SetterProgram{},
		keys:     map[string][]*rule{},
		paths:    map[string]bool{},
	}
	for k, list := range root.Get("generators").Pairs() {
		var files []string
		for _, item := range list.Items() {
			files = append(files, item.Text)
		}
		reader.lists[k.Text] = files
	}
	reader.total = reader.countNumbered(root)
	reader.directory(root, "", "", settings{})
	return reader.recipe, reader.warnings, nil
}

// settings are the settings that cases inherit from the directories above them.
type settings struct {
	solved    bool // solution is set, possibly to null
	solutions []*judge.SetterProgram
	salt      string
	retries   int
}

// rule is a case or directory that an include can refer to.
type rule struct {
	cases []*Case // for a case, as many as its count
}

// reader reads a recipe.
type reader struct {
	pkg      Package
	recipe   *Recipe
	warnings judge.ProblemErrors
	lists    map[string][]string             // files of generators that are assembled from several files
	programs map[string]*judge.SetterProgram // by path relative to the package's directory
	keys     map[string][]*rule              // by key
	paths    map[string]bool                 // paths of the cases
	total    int                             // number of cases with a number in their name
	next     int                             // the last number used
}

func (r *reader) warn(n *strict.Node, hint, format string, args ...any) {
	r.warnings = append(r.warnings, n.Fault(fmt.Sprintf(format, args...), hint))
}

// caseKeys lists the keys that distinguish a case from a directory.
var caseKeys = []string{
	"copy", "generate", "count", "match", "in", "ans", "out", "in.statement", "ans.statement", "in.download",
	"ans.download", "interaction", "yaml",
}

// Keys of directories and cases: settings, and keys of other tools.
var (
	settingKeys = []string{"solution", "random_salt", "retries", "visualizer"}
	// An dirKeys may also contain the keys in caseKeys. It is then a case.
	dirKeys  = slices.Concat([]string{"data", "include", "test_group.yaml", "testdata.yaml"}, settingKeys, caseKeys)
	rootKeys = append([]string{"generators", "version", "gitignore_generated"}, dirKeys...)
)

// checkKeys reports unknown keys.
func (r *reader) checkKeys(n *strict.Node, keys []string) {
	for k := range n.Pairs() {
		if !slices.Contains(keys, k.Text) {
			r.warnings = append(r.warnings, strict.Unknown(k, n.Path, keys))
		}
	}
}

func isCase(n *strict.Node) bool {
	if n.Kind != strict.Map {
		return n.Kind != strict.List
	}
	return slices.ContainsFunc(caseKeys, n.Has)
}

// countNumbered returns the number of cases in the lists below n. This number determines how many digits the numbers in
// the case names have.
func (r *reader) countNumbered(n *strict.Node) (total int) {
	data := n.Get("data")
	for _, group := range data.Items() {
		for _, child := range group.Pairs() {
			switch {
			case !isCase(child):
				total += r.countNumbered(child)
			case data.Kind == strict.List:
				counts, _ := r.counts(child)
				total += len(counts)
			}
		}
	}
	return total
}

// rootOrder is the order in which the data directories are read. An include can refer only to directories and
// cases that were read before it.
var rootOrder = []string{
	"sample", "secret", "invalid_output", "invalid_answer", "invalid_input", "valid_output",
	"testing_tool_test", "fuzz",
}

// directory reads a directory of cases.
func (r *reader) directory(n *strict.Node, key, at string, s settings) {
	if at == "" {
		r.checkKeys(n, rootKeys)
	} else {
		r.checkKeys(n, dirKeys)
	}
	s = r.settings(n, s)
	mine := &rule{}
	if key != "" {
		r.keys[key] = append(r.keys[key], mine)
	}
	before := len(r.recipe.Cases)
	for _, name := range []string{"test_group.yaml", "testdata.yaml"} {
		if group := n.Get(name); group.IsSet() {
			r.recipe.Files[path.Join(at, name)] = yamlText(group)
		}
	}
	included := r.includes(n)
	data := n.Get("data")
	groups, nextGroup := 0, 0
	for _, item := range data.Items() {
		for _, child := range item.Pairs() {
			if !isCase(child) {
				groups++
			}
		}
	}
	for _, item := range data.Items() {
		for _, k := range sortedKeys(item, at == "") {
			child, name := item.Get(k.Text), k.Text
			if k.Kind == strict.Null {
				name = ""
				child = item.Get("")
			}
			isList := data.Kind == strict.List
			switch {
			case at == "" && !slices.Contains(rootOrder, name):
				r.warn(k, suggest.Hint(name, rootOrder), "data has no directory %q", name)
			case !isCase(child) && isList:
				nextGroup++
				r.directory(child, name, path.Join(at, number(nextGroup, groups, name)), s)
			case !isCase(child):
				r.directory(child, name, path.Join(at, name), s)
			default:
				r.cases(k, child, at, isList, s)
			}
		}
	}
	for _, c := range included {
		to := path.Join(at, path.Base(c.Path))
		if !r.paths[to] {
			r.paths[to] = true
			c.ExtraPaths = append(c.ExtraPaths, to)
		}
	}
	mine.cases = slices.Concat(r.recipe.Cases[before:], included)
}

// sortedKeys returns the keys of a map, sorted by name. If root is set, they are in the order of rootOrder.
func sortedKeys(n *strict.Node, root bool) (keys []*strict.Node) {
	for k := range n.Pairs() {
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b *strict.Node) int {
		if root {
			return slices.Index(rootOrder, a.Text) - slices.Index(rootOrder, b.Text)
		}
		return strings.Compare(a.Text, b.Text)
	})
	return keys
}

// number returns the name of a child in a list.
func number(i, total int, name string) string {
	prefix := fmt.Sprintf("%0*d", len(fmt.Sprint(total)), i)
	if name == "" {
		return prefix
	}
	return prefix + "-" + name
}

// includes returns the cases that a directory includes from directories and cases that were read before it.
func (r *reader) includes(n *strict.Node) (cases []*Case) {
	for _, item := range n.Get("include").Items() {
		rules := r.keys[item.Text]
		switch len(rules) {
		case 0:
			r.warn(
				item, suggest.Hint(item.Text, slices.Sorted(maps.Keys(r.keys))),
				"no case or directory before this one is called %q", item.Text,
			)
		case 1:
			cases = append(cases, rules[0].cases...)
		default:
			r.warn(item, "give them different names", "%d cases or directories are called %q", len(rules), item.Text)
		}
	}
	return cases
}

// settings reads the settings of a directory or case, which also apply to its contents.
func (r *reader) settings(n *strict.Node, s settings) settings {
	if n.Has("solution") {
		s.solved, s.solutions = true, nil
		if command := strings.TrimSpace(n.Get("solution").Text); command != "" {
			name := strings.Fields(command)[0]
			if !strings.HasPrefix(name, "/") {
				r.warn(
					n.Get("solution"), "write /"+name,
					"the path of a solution starts with a slash, which stands for the package's directory",
				)
			}
			if part := r.program(n.Get("solution"), strings.TrimPrefix(name, "/")); part != nil {
				s.solutions = []*judge.SetterProgram{part}
			}
		}
	}
	if salt := n.Get("random_salt"); salt.IsSet() {
		s.salt = salt.Text
	}
	if retries := n.Get("retries"); retries.IsSet() {
		if x, ok := retries.Float(); ok && x >= 1 && x <= 10_000 {
			s.retries = int(x)
		} else {
			r.warnings = append(r.warnings, retries.Mismatch("a number of tries"))
		}
	}
	return s
}

// program finds a program by its path relative to the package's directory. A generator may consist of several
// files.
func (r *reader) program(n *strict.Node, name string) *judge.SetterProgram {
	name = path.Clean(name)
	if part, ok := r.programs[name]; ok {
		return part
	}
	if !filepath.IsLocal(name) {
		r.warn(n, "", "the program %q is not inside the package", name)
		return nil
	}
	full := filepath.Join(r.pkg.Dir, filepath.FromSlash(name))
	if files, ok := r.lists[strings.TrimPrefix(name, "generators/")]; ok && strings.HasPrefix(name, "generators/") && len(files) > 0 {
		staged, err := r.assemble(name, files)
		if err != nil {
			r.warn(n, "", "assemble the generator %s: %s", path.Base(name), err)
			return nil
		}
		full = staged
	} else if _, err := os.Stat(full); err != nil {
		r.warn(n, "", "there is no program %s", name)
		return nil
	}
	part := &judge.SetterProgram{Path: full, Protocol: "plain"}
	r.programs[name] = part
	return part
}

// assemble copies the files of a generator into one directory. The first file is the entry point. If the language
// requires a certain file name, that file is renamed.
func (r *reader) assemble(name string, files []string) (string, error) {
	if len(files) == 1 {
		return filepath.Join(r.pkg.Dir, "generators", filepath.FromSlash(files[0])), nil
	}
	dir := filepath.Join(r.pkg.Stage, path.Base(name))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	for i, file := range files {
		if !filepath.IsLocal(filepath.FromSlash(file)) {
			return "", fmt.Errorf("the file %q is not in generators/", file)
		}
		data, err := os.ReadFile(filepath.Join(r.pkg.Dir, "generators", filepath.FromSlash(file)))
		if err != nil {
			return "", err
		}
		names := []string{path.Base(file)}
		if ext := path.Ext(file); i == 0 && slices.Contains([]string{".py", ".py3", ".rb", ".js"}, ext) {
			names = append(names, "main"+ext)
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
				return "", err
			}
		}
	}
	return dir, nil
}

// goodCase matches valid case names.
var goodCase = pattern.New(`^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,250}$`)

// cases reads a case. If the case has a count, it becomes several.
func (r *reader) cases(k, n *strict.Node, at string, inList bool, s settings) {
	if !n.IsSet() {
		r.warn(k, "say how it is made: in, copy or generate", "the case %q is only named", k.Text)
		return
	}
	counts, err := r.counts(n)
	if err != nil {
		r.warn(n.Get("count"), "3, [1, 5, 7] or 1..=3", "%s", err)
		return
	}
	keys := slices.Concat(caseKeys, settingKeys)
	for _, ext := range Extensions {
		keys = append(keys, strings.TrimPrefix(ext, "."))
	}
	r.checkKeys(n, keys)
	mine := &rule{}
	r.keys[k.Text] = append(r.keys[k.Text], mine)
	lo, hi, digits := slices.Min(counts), slices.Max(counts), 0
	if hi-lo == len(counts)-1 {
		digits = max(len(fmt.Sprint(lo)), len(fmt.Sprint(hi)))
	}
	for _, count := range counts {
		name := k.Text
		if inList {
			r.next++
			name = number(r.next, r.total, k.Text)
		}
		if n.Has("count") {
			name += fmt.Sprintf("-%0*d", digits, count)
		}
		to := path.Join(at, name)
		if !goodCase().MatchString(name) || r.paths[to] {
			r.warn(k, "use letters, digits, _ - and ., and each name only once", "invalid or duplicate case name %q", to)
			continue
		}
		if c := r.oneCase(n, to, count, s); c != nil {
			r.paths[to] = true
			r.recipe.Cases = append(r.recipe.Cases, c)
			mine.cases = append(mine.cases, c)
		}
	}
}

// ranges matches a count such as 1..=5.
var ranges = pattern.New(`^(-?\d{1,9})\.\.=(-?\d{1,9})$`)

// maxCount is the maximum number of cases that one entry may make, as in BAPCtools.
const maxCount = 100

// counts reads the numbers of the cases that an entry makes.
func (r *reader) counts(n *strict.Node) (counts []int, err error) {
	count := n.Get("count")
	lo, hi := 1, 1
	switch {
	case count.Kind == strict.List:
		for _, item := range count.Items() {
			x, ok := item.Float()
			if !ok || x != float64(int(x)) || slices.Contains(counts, int(x)) {
				return nil, fmt.Errorf("%q is not an integer, or occurs more than once", item.Text)
			}
			counts = append(counts, int(x))
		}
		if len(counts) == 0 || len(counts) > maxCount {
			return nil, fmt.Errorf("a count makes 1 to %d cases", maxCount)
		}
		return counts, nil
	case count.IsSet():
		if m := ranges().FindStringSubmatch(count.Text); m != nil {
			fmt.Sscan(m[1], &lo)
			fmt.Sscan(m[2], &hi)
		} else if x, ok := count.Float(); ok && x == float64(int(x)) {
			hi = int(x)
		} else {
			return nil, fmt.Errorf("%q is not a count", count.Text)
		}
	}
	if hi < lo || hi-lo >= maxCount {
		return nil, fmt.Errorf("a count makes 1 to %d cases", maxCount)
	}
	for i := lo; i <= hi; i++ {
		counts = append(counts, i)
	}
	return counts, nil
}

// oneCase reads a case. It returns nil if the case cannot be made.
func (r *reader) oneCase(n *strict.Node, to string, count int, s settings) *Case {
	c := &Case{Path: to, File: n.File, Line: n.Line, Files: map[string][]byte{}}
	command, copied := n.Get("generate"), n.Get("copy").Text
	if n.Kind != strict.Map { // just a command or, in older packages, a file
		if base, isFile := strings.CutSuffix(strings.TrimSpace(n.Text), ".in"); isFile {
			copied = base
		} else {
			command = n
		}
	} else {
		s = r.settings(n, s)
	}
	if command.IsSet() {
		if c.Generate = r.command(command, command.Text, count, s); c.Generate == nil {
			return nil
		}
	}
	if copied != "" {
		copied = path.Clean(strings.TrimPrefix(strings.TrimSuffix(copied, ".in"), "/"))
		if !filepath.IsLocal(copied) {
			r.warn(n, "", "%q is not in generators/", copied)
			return nil
		}
		c.Copy = filepath.Join(r.pkg.Dir, "generators", filepath.FromSlash(copied))
	}
	for _, ext := range Extensions {
		if !r.inlineFile(n, c, ext) {
			return nil
		}
	}
	c.Answer = AnswerSource{Solutions: s.solutions, Empty: r.pkg.Empty}
	if !s.solved {
		c.Answer.Solutions = r.pkg.Default
	}
	r.matches(n.Get("match"), c)
	return c
}

// inlineFile reads a case file whose text is in the recipe.
func (r *reader) inlineFile(n *strict.Node, c *Case, ext string) bool {
	v := n.Get(strings.TrimPrefix(ext, "."))
	switch {
	case !v.IsSet():
	case v.Kind == strict.Scalar:
		text := v.Text
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		c.Files[ext] = []byte(text)
	case ext == ".yaml":
		c.Files[ext] = yamlText(v)
	case v.Get("link").IsSet(): // the file is another file of the same case, for display only
	default:
		r.warnings = append(r.warnings, v.Mismatch("text"))
		return false
	}
	return true
}

// matches reads the regular expressions that the files of a case must match. If n is a map, it contains separate
// expressions for the input and the answer. Otherwise, the expressions in n are for the input.
func (r *reader) matches(n *strict.Node, c *Case) {
	if !n.IsSet() {
		return
	}
	lists := map[string]*strict.Node{".in": n}
	if n.Kind == strict.Map {
		lists = map[string]*strict.Node{".in": n.Get("in"), ".ans": n.Get("ans")}
	}
	c.Matches = map[string][]*regexp.Regexp{}
	for ext, list := range lists {
		for _, item := range list.Items() {
			re, err := regexp.Compile("(?ms:" + item.Text + ")")
			if err != nil {
				r.warn(item, "", "%q is not a regular expression in the syntax of Go", item.Text)
				continue
			}
			c.Matches[ext] = append(c.Matches[ext], re)
		}
	}
}

// seedWord matches the seed placeholder of a command.
var seedWord = pattern.New(`\{seed(:[0-9]+)?\}`)

// command reads a generator's command line.
func (r *reader) command(n *strict.Node, text string, count int, s settings) *Command {
	if r.pkg.Constants != nil {
		text = r.pkg.Constants(text)
	}
	text = strings.ReplaceAll(text, "{count}", fmt.Sprint(count))
	all, err := shellWords(text)
	if err != nil || len(all) == 0 {
		r.warn(n, "", "the command %q: want a program and its arguments", text)
		return nil
	}
	if len(seedWord().FindAllString(strings.Join(all[1:], " "), -1)) > 1 {
		r.warn(n, "pass it once, and let the generator draw more from it", "the seed stands more than once in %q", text)
		return nil
	}
	part := r.program(n, path.Join("generators", all[0]))
	if part == nil {
		return nil
	}
	args := func(seed uint32) []string {
		made := make([]string, 0, len(all)-1)
		for _, a := range all[1:] {
			a = strings.ReplaceAll(a, "{name}", "testcase")
			made = append(made, seedWord().ReplaceAllString(a, fmt.Sprint(seed)))
		}
		return made
	}
	return &Command{Program: part, Args: args, Seed: Seed(s.salt, text, count), Retries: s.retries}
}

// Seed returns the seed that BAPCtools computes for a command. It is derived from the SHA-512 hash of the salt,
// the case's number within its count unless that number is 1, and the command.
func Seed(salt, command string, count int) uint32 {
	text := salt
	if count != 1 {
		text += fmt.Sprintf(":%d", count-1)
	}
	sum := sha512.Sum512([]byte(text + strings.TrimSpace(command)))
	return binary.BigEndian.Uint32(sum[len(sum)-4:]) & (1<<31 - 1)
}
