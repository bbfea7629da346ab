package icpc

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/strict"
	"assay/judge/problem"
)

// goodName is what files may be called; others are treated as if they were not
// there in the later formats.
var goodName = pattern.New(`^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,254}$`)

// Folders of data.
const (
	sample = "sample"
	secret = "secret"
)

// readData reads cases, groups and how they are graded.
func (p *Package) readData() (faults judge.Faults) {
	if p.oldData() {
		faults = p.readOldData()
	} else {
		faults = p.readNewData()
	}
	p.shareFlags()
	if !p.Format.old() { // the later formats want it
		p.ShowIncluded()
	}
	p.readProofs()
	p.readDisplay()
	p.checkUnread("data")
	if p.Count() == 0 && len(faults) == 0 {
		hint := "add data/secret/<name>.in and .ans"
		if p.isFile("generators/generators.yaml") {
			hint = "the package has generators: make its cases with: judge generate " + p.Dir
		} else if script := p.dataScript(); script != "" {
			hint = "they are probably made by " + p.at(script) + ": run it, and then this again"
		}
		faults = append(faults, &judge.Fault{File: p.at("data"), Text: "the package has no cases", Hint: hint})
	}
	if len(faults) == 0 && !slices.ContainsFunc(p.Groups, func(g judge.Group) bool { return g.Name != sample && !strings.HasPrefix(g.Name, sample+"/") }) {
		hint := "add data/secret/<name>.in and .ans"
		if script := p.dataScript(); script != "" {
			hint = "they are probably made by " + p.at(script) + ": run it, and then this again"
		}
		p.flaw("data/"+secret, "there are no secret cases: the samples alone are judged", hint)
	}
	return faults
}

// oldData says whether groups are set up by testdata.yaml.
func (p *Package) oldData() bool {
	return p.Format.old() || p.Format == Draft2023 && p.hasFile("data", "testdata.yaml")
}

// dataScript finds the script that makes the data of a package that came without; "" for
// none. It is somebody's own, with tools of its own: nobody but the user runs it.
func (p *Package) dataScript() string {
	for _, dir := range []string{"data", "generators", "generator", "data_generators", "."} {
		for _, e := range p.list(dir) {
			name := strings.ToLower(e.Name)
			if !e.Dir && (name == "makefile" || path.Ext(name) == ".sh" || path.Ext(name) == ".py" && strings.HasPrefix(name, "gen")) {
				return path.Join(dir, e.Name)
			}
		}
	}
	return ""
}

// ShowIncluded shows the files of include/default to every submission as it runs: some
// are data.
func (p *Package) ShowIncluded() {
	included := p.caseFiles("include/default", "")
	for i := range included {
		if data, err := p.read("include/default/" + included[i].Name); err == nil {
			if filled := p.Constants(string(data)); filled != string(data) {
				included[i].Data = []byte(filled)
			}
		}
	}
	for g := range p.Groups {
		for i := range p.Groups[g].Cases {
			c := &p.Groups[g].Cases[i]
			own := map[string]bool{}
			for _, f := range c.Files {
				own[f.Name] = true
			}
			for _, f := range included {
				if !own[f.Name] {
					c.Files = append(c.Files, f)
				}
			}
		}
	}
}

// hasFile says whether there is a file of this name anywhere below a folder.
func (p *Package) hasFile(dir, name string) bool {
	if p.isFile(path.Join(dir, name)) {
		return true
	}
	for _, e := range p.list(dir) {
		if e.Dir && p.hasFile(path.Join(dir, e.Name), name) {
			return true
		}
	}
	return false
}

// inside is the path of a file from the package's folder on.
func (p *Package) inside(full string) string {
	rel, err := filepath.Rel(p.Dir, full)
	if err != nil {
		return full
	}
	return filepath.ToSlash(rel)
}

// cases lists the cases in a folder: prefix goes before their names.
func (p *Package) cases(dir, group, prefix string) (all []judge.Case) {
	entries := p.list(dir)
	have := map[string]bool{}
	for _, e := range entries {
		have[e.Name] = true
	}
	for _, e := range entries {
		name, isInput := strings.CutSuffix(e.Name, ".in")
		if strings.HasSuffix(e.Name, ".ans") && !have[strings.TrimSuffix(e.Name, ".ans")+".in"] && !strings.HasSuffix(dir, sample) {
			p.flaw(path.Join(dir, e.Name), "an answer without an input", "remove it, or add "+strings.TrimSuffix(e.Name, ".ans")+".in")
		}
		if !isInput || e.Dir {
			continue
		}
		if !goodName().MatchString(e.Name) {
			p.flaw(path.Join(dir, e.Name), fmt.Sprintf("%q cannot be the name of a case", name), "letters, digits, _ - and . will do, and no - or . at the start")
			if !p.Format.old() {
				continue
			}
		}
		c := judge.Case{Group: group, Name: prefix + name, In: p.at(path.Join(dir, e.Name))}
		if have[name+".ans"] {
			c.Ans = p.at(path.Join(dir, name+".ans"))
		} else {
			p.flaw(path.Join(dir, e.Name), "the case has no answer", "add "+name+".ans")
			if p.Checker.Name != "" {
				continue // nobody can judge it
			}
		}
		c.Files = p.caseFiles(path.Join(dir, name+".files"), "")
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b judge.Case) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// caseFiles lists the files that a submission sees beside its input.
func (p *Package) caseFiles(dir, prefix string) (all []judge.CaseFile) {
	if !p.isDir(dir) {
		return nil
	}
	for _, e := range p.list(dir) {
		if e.Dir {
			all = append(all, p.caseFiles(path.Join(dir, e.Name), prefix+e.Name+"/")...)
			continue
		}
		all = append(all, judge.CaseFile{Name: prefix + e.Name, Path: p.at(path.Join(dir, e.Name))})
	}
	return all
}

// oldGroup is testdata.yaml.
type oldGroup struct {
	OnReject    string       `yaml:"on_reject"`
	Grading     string       `yaml:"grading"`
	GraderFlags *strict.Node `yaml:"grader_flags"`
	InputFlags  *strict.Node `yaml:"input_validator_flags"`
	OutputFlags *strict.Node `yaml:"output_validator_flags"`
	AcceptScore *strict.Node `yaml:"accept_score"`
	RejectScore *strict.Node `yaml:"reject_score"`
	Range       *strict.Node `yaml:"range"`
}

// oldState is what a legacy group inherits from those around it.
type oldState struct {
	legacy    judge.Legacy
	aggregate judge.Aggregate
	custom    bool // grading: custom
	output    []string
	input     *strict.Node
}

// readOldData reads data with testdata.yaml.
func (p *Package) readOldData() (faults judge.Faults) {
	state := p.usualState()
	graded := p.scoring
	root := &judge.Node{}
	p.overlay("data", &state, &graded, &faults)
	root.Aggregate, root.Legacy = state.aggregate, state.legacy
	if p.domjudge && !p.isFile("data/sample/testdata.yaml") {
		root.Legacy.IgnoreSample = true
	}
	rootState := state
	rootState.legacy.IgnoreSample = false
	for _, name := range []string{sample, secret} {
		if p.isDir(path.Join("data", name)) {
			root.Children = append(root.Children, p.readOldGroup(name, rootState, &graded, &faults))
		}
	}
	if graded {
		p.Grading = &judge.Grading{Form: judge.FormatLegacy, Scored: p.scoring, Custom: p.customArg || p.domjudge || p.Format == Draft2023, Must: p.customArg && p.scoring && !p.domjudge, Root: root}
	}
	return faults
}

// usualState is what a group is where no testdata.yaml says anything. A group of
// DOMjudge inherits nothing, and gives points only where it says so.
func (p *Package) usualState() oldState {
	s := oldState{legacy: judge.UsualLegacy(), aggregate: judge.Sum}
	if p.domjudge {
		s.legacy.AcceptScore, s.legacy.Verdict = 0, judge.FirstError
	}
	if g := p.ancient; g != nil {
		p.setScore(g.AcceptScore, &s.legacy.AcceptScore)
		p.setScore(g.RejectScore, &s.legacy.RejectScore)
		if g.Range.Here() {
			p.scoreRange(g.Range, &s)
		}
		// Its words were first_error, worst_error and grade.
		s.legacy.GoOn = g.OnReject.Here() && g.OnReject.Text != "first_error" && g.OnReject.Text != "break"
	}
	return s
}

// setScore reads a score, where there is one.
func (p *Package) setScore(n *strict.Node, to *float64) {
	if !n.Here() {
		return
	}
	if x, ok := n.Float(); ok {
		*to = x
	} else {
		p.Flaws = append(p.Flaws, n.Mismatch("a number"))
	}
}

func (p *Package) readOldGroup(name string, state oldState, graded *bool, faults *judge.Faults) *judge.Node {
	dir := path.Join("data", name)
	if p.domjudge {
		own := p.usualState()
		own.output, own.input = state.output, state.input
		state = own
	}
	p.overlay(dir, &state, graded, faults)
	if p.domjudge && state.legacy.AcceptScore > 0 {
		state.aggregate = judge.Min // once for the group, not for each case
	}
	node := &judge.Node{Name: name, Aggregate: state.aggregate, Legacy: state.legacy}
	group := judge.Group{Name: name, Cases: p.cases(dir, name, "")}
	for i := range group.Cases {
		c := &group.Cases[i]
		c.CheckerArgs = state.output
		p.flags[c.ID()] = caseFlags{input: state.input}
	}
	if len(group.Cases) > 0 {
		p.Groups = append(p.Groups, group)
	}
	for _, e := range p.list(dir) {
		if e.Dir && !strings.HasSuffix(e.Name, ".files") {
			if child := p.readOldGroup(name+"/"+e.Name, state, graded, faults); len(child.Children) > 0 || p.hasCases(child.Name) {
				node.Children = append(node.Children, child)
			}
		}
	}
	return node
}

// hasCases says whether a group has cases of its own.
func (p *Package) hasCases(name string) bool {
	return slices.ContainsFunc(p.Groups, func(g judge.Group) bool { return g.Name == name })
}

// overlay lays a folder's testdata.yaml over what it inherits.
func (p *Package) overlay(dir string, s *oldState, graded *bool, faults *judge.Faults) {
	n, bad := p.yaml(path.Join(dir, "testdata.yaml"))
	*faults = append(*faults, bad...)
	var g oldGroup
	p.Flaws = append(p.Flaws, n.Decode(&g)...)
	for _, key := range []string{"on_reject", "grading", "grader_flags", "accept_score", "reject_score", "range"} {
		*graded = *graded || n.Get(key).Here()
	}
	switch g.OnReject {
	case "":
	case "break", "continue":
		s.legacy.GoOn = g.OnReject == "continue"
	default:
		*faults = append(*faults, oneOf(n.Get("on_reject"), "value of on_reject", g.OnReject, []string{"break", "continue"}))
	}
	switch g.Grading {
	case "":
	case "default", "custom":
		s.custom = g.Grading == "custom"
	default:
		*faults = append(*faults, oneOf(n.Get("grading"), "value of grading", g.Grading, []string{"default", "custom"}))
	}
	s.legacy.IgnoreSample = false
	if g.GraderFlags.Here() {
		p.graderFlags(g.GraderFlags, s, dir == "data", faults)
	}
	p.grader(n, s, faults)
	p.Flaws = append(p.Flaws, slices.Concat(p.checkInputFlags(g.InputFlags), notWords(g.OutputFlags), notWords(g.GraderFlags))...)
	if g.OutputFlags.Here() {
		s.output = words(g.OutputFlags)
	}
	if g.InputFlags.Here() {
		s.input = g.InputFlags
	}
	p.setScore(g.AcceptScore, &s.legacy.AcceptScore)
	p.setScore(g.RejectScore, &s.legacy.RejectScore)
	if g.Range.Here() {
		p.scoreRange(g.Range, s)
	}
}

// scoreRange reads "low high".
func (p *Package) scoreRange(n *strict.Node, s *oldState) {
	given := words(n)
	if len(given) == 2 {
		low, ok1 := parseFloat(given[0])
		high, ok2 := parseFloat(given[1])
		if ok1 && ok2 && low <= high {
			s.legacy.Low, s.legacy.High = low, high
			return
		}
	}
	p.Flaws = append(p.Flaws, n.Fault(fmt.Sprintf("range: want two numbers, the lower first, got %q", n.Text), `write: range: 0 100`))
}

func parseFloat(text string) (float64, bool) {
	n := &strict.Node{Kind: strict.Scalar, Text: text}
	x, ok := n.Float()
	return x, ok && !math.IsNaN(x)
}

// graderWords are the flags of the usual grader.
var graderWords = []string{"no_errors", "worst_error", "first_error", "always_accept", "sum", "avg", "min", "max", "ignore_sample", "accept_if_any_accepted"}

func (p *Package) graderFlags(n *strict.Node, s *oldState, root bool, faults *judge.Faults) {
	s.legacy.AnyAccepted = false
	s.legacy.GraderArgs = words(n)
	for _, word := range words(n) {
		switch word {
		case "no_errors", "worst_error":
			s.legacy.Verdict = judge.WorstError
		case "first_error", "always_accept":
			s.legacy.Verdict = judge.VerdictMode(word)
		case "sum", "avg", "min", "max":
			s.aggregate = judge.Aggregate(word)
		case "ignore_sample":
			s.legacy.IgnoreSample = root
			if !root {
				p.Flaws = append(p.Flaws, n.Fault("ignore_sample means something in data/testdata.yaml only", "move it there"))
			}
		case "accept_if_any_accepted":
			s.legacy.AnyAccepted = true
		default:
			if !s.custom {
				*faults = append(*faults, oneOf(n, "grader flag", word, graderWords))
			}
		}
	}
}

// grader finds the program of a group that is graded by one.
func (p *Package) grader(n *strict.Node, s *oldState, faults *judge.Faults) {
	if !s.custom {
		s.legacy.Grader = nil
		return
	}
	all := p.validators("graders")
	if len(all) == 0 {
		if n.Has("grading") {
			*faults = append(*faults, n.Get("grading").Fault("grading: custom, but there is no grader", "add one to graders/"))
		}
		return
	}
	s.legacy.Grader = &judge.Part{Path: p.at(all[0]), Speaks: "plain"}
}

// readProofs reads the cases that prove something about the validators, under the
// names of all generations.
func (p *Package) readProofs() {
	above := p.proofConfig("data", groupConfig{})
	for _, row := range []struct {
		dir  string
		kind problem.ProofKind
	}{
		{"invalid_input", problem.InvalidInput}, {"invalid_inputs", problem.InvalidInput}, {"bad", problem.InvalidInput},
		{"invalid_output", problem.InvalidOutput}, {"invalid_outputs", problem.InvalidOutput}, {"bad", problem.InvalidOutput},
		{"valid_output", problem.ValidOutput}, {"valid_outputs", problem.ValidOutput},
	} {
		p.readProofsIn(row.dir, path.Join("data", row.dir), row.kind, above)
	}
}

// proofConfig is what a folder says of the cases in it, and inherits from above.
func (p *Package) proofConfig(dir string, above groupConfig) groupConfig {
	var c groupConfig
	var bad judge.Faults
	if !p.oldData() {
		c, bad = p.readGroupConfig(dir)
	} else {
		var g oldGroup
		c.doc, bad = p.yaml(path.Join(dir, "testdata.yaml"))
		bad = append(bad, c.doc.Decode(&g)...)
		bad = append(bad, p.checkInputFlags(g.InputFlags)...)
		c.InputArgs, c.OutputArgs = g.InputFlags, words(g.OutputFlags)
	}
	p.Flaws = append(p.Flaws, bad...)
	return c.over(above)
}

func (p *Package) readProofsIn(name, dir string, kind problem.ProofKind, above groupConfig) {
	if !p.isDir(dir) {
		return
	}
	group := p.proofConfig(dir, above)
	for _, e := range p.list(dir) {
		base, isInput := strings.CutSuffix(e.Name, ".in")
		switch {
		case e.Dir && !strings.HasSuffix(e.Name, ".files"):
			p.readProofsIn(name+"/"+e.Name, path.Join(dir, e.Name), kind, group)
		case isInput && !e.Dir:
			c := judge.Case{Group: name, Name: base, In: p.at(path.Join(dir, e.Name)), Files: p.caseFiles(path.Join(dir, base+".files"), "")}
			proof := problem.Proof{Kind: kind, Case: c}
			has := func(ext string) (string, bool) {
				return p.at(path.Join(dir, base+ext)), p.isFile(path.Join(dir, base+ext))
			}
			ans, hasAns := has(".ans")
			out, hasOut := has(".out")
			if kind == problem.InvalidInput && hasAns && name == "bad" || kind != problem.InvalidInput && !(hasAns && hasOut) {
				continue
			}
			if kind != problem.InvalidInput {
				proof.Ans, proof.Out = ans, out
			}
			own, bad := p.readGroupConfig(path.Join(dir, base+".yaml"))
			p.Flaws = append(p.Flaws, bad...)
			own = own.over(group)
			proof.Args, proof.CheckerArgs = own.Args, own.OutputArgs
			p.flags[proof.ID()] = caseFlags{input: own.InputArgs, args: own.Args}
			p.Extra = append(p.Extra, proof)
		}
	}
}

// shareFlags puts the arguments that every case has where other parts of the
// judge look for them: with the checker.
func (p *Package) shareFlags() {
	own := false
	for _, g := range p.Groups {
		for _, c := range g.Cases {
			own = own || len(c.CheckerArgs) > 0
		}
	}
	if !own || p.Checker.Name == "" {
		return
	}
	// The checker that the judge brings refuses an option that is given twice; here
	// the later one counts.
	for g := range p.Groups {
		for i := range p.Groups[g].Cases {
			c := &p.Groups[g].Cases[i]
			c.CheckerArgs = lastOfEach(append(slices.Clone(p.Checker.Args), c.CheckerArgs...))
		}
	}
	p.Checker.Args = nil
}

// lastOfEach drops options that a later one of the same name replaces.
func lastOfEach(args []string) []string {
	var options [][]string
	for i := 0; i < len(args); i++ {
		option := args[i : i+1]
		if strings.HasPrefix(args[i], "float_") && i+1 < len(args) {
			option = args[i : i+2]
			i++
		}
		options = slices.DeleteFunc(options, func(o []string) bool { return o[0] == option[0] })
		options = append(options, option)
	}
	return slices.Concat(options...)
}
