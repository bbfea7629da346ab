package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/problem"
	"assay/judge/problem/icpc"
)

// exporter writes a problem folder as a package.
type exporter struct {
	from      *problem.Folder
	solutions string
	kit       fs.FS
	old       bool // the legacy format
	dir       string
	notes     Notes
	flags     []string // of the output validator, for all cases
	common    bool     // what groups say is among them, as it is the same for all
}

// Formats are the formats that ICPC writes, by what people call them.
var Formats = map[string]icpc.Format{"icpc-2025-09": icpc.Format2025, "icpc-legacy": icpc.Legacy}

// ICPC writes a problem folder, with the solutions in a folder of theirs, as the
// package dir. Kit holds the sources of the kit, which programs take along that are
// written with it. All cases must have been generated.
func ICPC(from *problem.Folder, solutions, dir string, format icpc.Format, kit fs.FS) (Notes, error) {
	e := &exporter{from: from, solutions: solutions, kit: kit, old: format == icpc.Legacy}
	if from.Package != nil {
		return nil, &judge.Fault{File: from.Dir, Text: "the folder is a package of another format", Hint: "first: judge import " + from.Dir}
	}
	if err := e.refuse(); err != nil {
		return nil, err
	}
	err := whole(func(dirs []string) error {
		e.dir = dirs[0]
		for _, step := range []func() error{e.checker, e.validator, e.data, e.submissions, e.statement, e.metadata} {
			if err := step(); err != nil {
				return err
			}
		}
		return nil
	}, dir)
	return e.notes, err
}

func (e *exporter) fault(key, text, hint string) error {
	return e.from.Fault(key, "cannot be exported: "+text, hint)
}

func (e *exporter) refuse() error {
	f := e.from
	if missing := f.Ungenerated(); len(missing) > 0 {
		return f.CaseFault(missing[0], fmt.Sprintf("case %s has not been generated", missing[0].ID()), "run: judge generate "+f.ID)
	}
	switch {
	case f.Count() == 0:
		return e.fault("group", "the problem has no cases", "a package needs one at least")
	case f.Grading != nil && e.old:
		return e.fault("scoring", "the legacy format counts points in another way", "export it to icpc-2025-09")
	case f.Kind.MultiPass && e.old:
		return e.fault("kind", "the legacy format has no problems of several passes", "export it to icpc-2025-09")
	case f.Kind.Answers && e.old:
		return e.fault("kind", "the legacy format has no problems whose submissions are outputs", "export it to icpc-2025-09")
	case f.Interactor != nil && f.Interactor.Speaks == "testlib":
		return e.fault("interactor", "an interactor that speaks testlib's protocol", "write it with the kit, or for Kattis' protocol")
	}
	return nil
}

// yamlText quotes a string: JSON's are YAML's too.
func yamlText(s string) string { return tomlString(s) }

func (e *exporter) metadata() error {
	f := e.from
	var b strings.Builder
	l := f.Limits
	if e.old {
		fmt.Fprintf(&b, "problem_format_version: legacy\nname: %s\n", yamlText(f.Title))
		fmt.Fprintf(&b, "validation: %s\n", e.validation())
		if len(e.flags) > 0 {
			fmt.Fprintf(&b, "validator_flags: %s\n", yamlText(strings.Join(e.flags, " ")))
		}
	} else {
		fmt.Fprintf(&b, "problem_format_version: 2025-09\nname: %s\nuuid: %s\n", yamlText(f.Title), uuid(f.ID))
		fmt.Fprintf(&b, "type: [%s]\n", strings.Join(e.types(), ", "))
		b.WriteString("allow_file_writing: true\n")
	}
	if f.Source != "" {
		fmt.Fprintf(&b, "source: %s\n", yamlText(f.Source))
	}
	b.WriteString("limits:\n")
	if !e.old {
		fmt.Fprintf(&b, "  time_limit: %s\n", number(l.CPU.Seconds()))
		if l.CPU%time.Second != 0 {
			b.WriteString("  time_resolution: 0.001\n")
		}
		if f.Kind.MultiPass {
			fmt.Fprintf(&b, "  validation_passes: %d\n", max(f.Passes, judge.UsualPasses))
		}
	}
	for _, row := range []struct {
		key   string
		bytes int64
		unit  int64
	}{{"memory", l.Memory, 1 << 20}, {"output", l.Output, 1 << 20}, {"code", f.CodeLimit, 1 << 10}} {
		if row.bytes > 0 {
			fmt.Fprintf(&b, "  %s: %d\n", row.key, (row.bytes+row.unit-1)/row.unit)
			if row.bytes%row.unit != 0 {
				e.notes.add("the %s limit is rounded up: packages count it in units of %d bytes", row.key, row.unit)
			}
		}
	}
	if err := write(filepath.Join(e.dir, ".timelimit"), []byte(number(l.CPU.Seconds())+"\n"), 0o644); err != nil {
		return err
	}
	return write(filepath.Join(e.dir, icpc.File), []byte(b.String()), 0o644)
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (e *exporter) types() []string {
	types := []string{"pass-fail"}
	if e.from.Grading != nil {
		types[0] = "scoring"
	}
	k := e.from.Kind
	for _, row := range []struct {
		word string
		is   bool
	}{{"interactive", k.Interactive}, {"multi-pass", k.MultiPass}, {"submit-answer", k.Answers}} {
		if row.is {
			types = append(types, row.word)
		}
	}
	return types
}

func (e *exporter) validation() string {
	switch {
	case e.from.Kind.Interactive:
		return "custom interactive"
	case e.from.Checker.Program != nil:
		return "custom"
	}
	return "default"
}

// uuid makes one of the problem's name, always the same.
func uuid(id string) string {
	sum := sha256.Sum256([]byte("assay problem " + id))
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80 // version 8: made by whom it is for
	h := hex.EncodeToString(sum[:16])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// shareArgs makes flags for all cases of what the groups say, where it is the same.
func (e *exporter) shareArgs() {
	var args []string
	first := true
	for _, g := range e.from.Groups {
		for _, c := range g.Cases {
			if !first && !slices.Equal(args, c.CheckerArgs) {
				return
			}
			args, first = c.CheckerArgs, false
		}
	}
	e.flags, e.common = slices.Concat(e.flags, args), true
}

// checker writes the output validator, or the flags of the usual one.
func (e *exporter) checker() error {
	defer e.shareArgs()
	f := e.from
	part, as := f.Checker.Program, asOutputValidator
	if f.Kind.Interactive {
		part, as = f.Interactor, asInteractor
	}
	if part != nil {
		dir := "output_validator"
		if e.old {
			dir = "output_validators/validator"
		}
		e.flags = part.Args
		return e.program(part, dir, as)
	}
	flags, ok := validatorFlags(f.Checker)
	if !ok {
		return e.fault("checker", fmt.Sprintf("the checker %s compares in a way that the format's output validator does not", f.Checker.Name), "use tokens or floats, or write a program with the kit")
	}
	e.flags = flags
	return nil
}

// validatorFlags are those of the format's output validator that judge as a builtin
// checker does.
func validatorFlags(c judge.Checking) ([]string, bool) {
	switch {
	case c.Name == "tokens":
		return c.Args, true
	case c.Name == "case-insensitive":
		return c.Args, true
	case c.Name == "case-sensitive":
		return append([]string{"case_sensitive"}, c.Args...), true
	case c.Name == "exact":
		return []string{"case_sensitive", "space_change_sensitive"}, true
	case c.Name == "polygon" && slices.Equal(c.Args, []string{"wcmp"}):
		return []string{"case_sensitive"}, true
	case c.Name != "floats":
		return nil, false
	}
	words := map[string]string{"abs": "float_absolute_tolerance", "rel": "float_relative_tolerance"}
	var flags []string
	tolerant := false
	for _, a := range c.Args {
		if words[a] != "" {
			tolerant = true
			a = words[a]
		}
		flags = append(flags, a)
	}
	if !tolerant {
		flags = append(flags, "float_tolerance", "1e-6")
	}
	return flags, true
}

func (e *exporter) validator() error {
	v := e.from.Validator
	if v == nil || v.Speaks == "format" {
		e.notes.add("there is no input validator in the package: write one, the format wants it")
		return nil
	}
	if v.Speaks == "ctd" {
		return copyFile(v.Path, filepath.Join(e.dir, "input_validators", filepath.Base(v.Path)))
	}
	if len(v.Args) > 0 {
		return e.fault("validator.args", "the input validator has arguments", "build them into the program")
	}
	return e.program(v, "input_validators/validator", asInputValidator)
}

// data writes the cases. Groups that give points keep their names, with a number
// before them; others have none in a package, so their cases are numbered on.
func (e *exporter) data() error {
	secret := 0
	for _, g := range e.from.Groups {
		if g.Name != problem.Sample {
			secret += len(g.Cases)
		}
	}
	n := 0
	names := map[string]string{} // of groups there
	for i, g := range e.from.Groups {
		dir := "data/secret"
		switch {
		case g.Name == problem.Sample:
			dir = "data/sample"
		case e.from.Grading != nil:
			names[g.Name] = fmt.Sprintf("%0*d-%s", len(fmt.Sprint(len(e.from.Groups))), i, g.Name)
			dir += "/" + names[g.Name]
		}
		for k, c := range g.Cases {
			n++
			name := fmt.Sprintf("%0*d-%s", len(fmt.Sprint(len(g.Cases))), k+1, goodName(c.Name))
			if g.Name != problem.Sample && e.from.Grading == nil {
				name = fmt.Sprintf("%0*d-%s-%s", len(fmt.Sprint(secret)), n, g.Name, goodName(c.Name))
			}
			if err := e.oneCase(&c, filepath.Join(e.dir, filepath.FromSlash(dir), name)); err != nil {
				return err
			}
		}
	}
	if e.old {
		return nil
	}
	return e.groupFiles(names)
}

func (e *exporter) oneCase(c *judge.Case, base string) error {
	if len(c.CheckerArgs) > 0 && !e.common {
		if e.old {
			return e.fault("group", "the groups have different arguments for the checker", "export it to icpc-2025-09")
		}
		text, err := json.Marshal(map[string][]string{"output_validator_args": slices.Concat(e.flags, c.CheckerArgs)})
		if err != nil {
			return err
		}
		if err := write(base+".yaml", append(text, '\n'), 0o644); err != nil {
			return err
		}
	}
	if err := copyFile(c.In, base+".in"); err != nil {
		return err
	}
	if c.Ans == "" {
		return write(base+".ans", nil, 0o644)
	}
	if _, err := os.Stat(c.Ans); err != nil && (e.from.Kind.Interactive || e.from.Kind.MultiPass) {
		return write(base+".ans", nil, 0o644)
	}
	return copyFile(c.Ans, base+".ans")
}

// groupFiles writes test_group.yaml where there is something to say.
func (e *exporter) groupFiles(names map[string]string) error {
	put := func(dir string, keys map[string]any) error {
		if len(e.flags) > 0 && (dir == "data/sample" || dir == "data/secret" || names != nil && strings.HasPrefix(dir, "data/secret/")) {
			keys["output_validator_args"] = e.flags
		}
		if _, err := os.Stat(filepath.Join(e.dir, filepath.FromSlash(dir))); err != nil || len(keys) == 0 {
			return nil // there are no such cases, or nothing to say
		}
		text, err := json.Marshal(keys)
		if err != nil {
			return err
		}
		return write(filepath.Join(e.dir, filepath.FromSlash(dir), "test_group.yaml"), append(text, '\n'), 0o644)
	}
	if err := put("data/sample", map[string]any{}); err != nil {
		return err
	}
	if e.from.Grading == nil {
		return put("data/secret", map[string]any{})
	}
	all := e.from.Grading.Root.Children[len(e.from.Grading.Root.Children)-1]
	keys := map[string]any{"score_aggregation": string(all.Aggregate), "max_score": maxScore(all)}
	if err := put("data/secret", keys); err != nil {
		return err
	}
	for _, n := range all.Children {
		if !n.Unbounded && n.MaxScore != math.Trunc(n.MaxScore) {
			return e.fault("group", fmt.Sprintf("group %s is worth %v points", n.Name, n.MaxScore), "points of groups are whole numbers in the format")
		}
		keys := map[string]any{"score_aggregation": string(n.Aggregate), "max_score": maxScore(n)}
		var require []string
		for _, r := range n.RequirePass {
			if r != problem.Sample {
				r = names[r]
			}
			require = append(require, r)
		}
		if len(require) > 0 {
			keys["require_pass"] = require
		}
		if err := put("data/secret/"+names[n.Name], keys); err != nil {
			return err
		}
	}
	return nil
}

func maxScore(n *judge.Node) any {
	if n.Unbounded {
		return "unbounded"
	}
	return n.MaxScore
}

// folders are where submissions go that get a verdict. The format has four.
var folders = map[judge.Verdict]string{
	judge.Accepted: "accepted", judge.WrongAnswer: "wrong_answer", judge.RunTimeError: "run_time_error",
	judge.TimeLimit: "time_limit_exceeded", judge.MemoryLimit: "run_time_error", judge.IdlenessLimit: "time_limit_exceeded",
}

func (e *exporter) submissions() error {
	taken := map[string]bool{}
	entries, _ := os.ReadDir(e.solutions) // none: then the package has none
	for _, dir := range entries {
		verdict, ok := judge.VerdictOfFolder(dir.Name())
		if !ok || !dir.IsDir() {
			continue
		}
		files, err := os.ReadDir(filepath.Join(e.solutions, dir.Name()))
		if err != nil {
			return err
		}
		for _, file := range files {
			switch {
			case strings.HasPrefix(file.Name(), "."):
				continue
			case folders[verdict] == "":
				e.notes.add("solution %s/%s is left out: the format has no folder for its verdict", dir.Name(), file.Name())
				continue
			}
			ext := path.Ext(file.Name())
			to := unused(folders[verdict]+"/"+strings.TrimSuffix(file.Name(), ext), taken) + ext
			if err := copyTree(filepath.Join(e.solutions, dir.Name(), file.Name()), filepath.Join(e.dir, "submissions", filepath.FromSlash(to))); err != nil {
				return err
			}
		}
	}
	if !slices.ContainsFunc(sortedKeys(taken), func(name string) bool { return strings.HasPrefix(name, "accepted/") }) {
		e.notes.add("there is no accepted submission in the package: the format wants one")
	}
	return nil
}

func sortedKeys(m map[string]bool) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// statement copies the statement with what lies beside it for it.
func (e *exporter) statement() error {
	data, err := os.ReadFile(e.from.Statement())
	if err != nil {
		e.notes.add("there is no statement")
		return nil
	}
	dir := "statement"
	if e.old {
		dir = "problem_statement"
	}
	entries, err := os.ReadDir(e.from.Dir)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if slices.Contains([]string{".png", ".jpg", ".jpeg", ".svg"}, strings.ToLower(path.Ext(entry.Name()))) && entry.Type().IsRegular() {
			if err := copyFile(filepath.Join(e.from.Dir, entry.Name()), filepath.Join(e.dir, dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	return write(filepath.Join(e.dir, dir, "problem.en.md"), data, 0o644)
}
