package icpc

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
	"assay/judge/problem"
)

// letters are the verdicts of the format.
var letters = []judge.Verdict{judge.Accepted, judge.WrongAnswer, judge.TimeLimit, judge.RunTimeError}

// rulesOfDir are the folders of submissions/ with what they say, in the formats
// from 2023-07 on.
var rulesOfDir = map[string]problem.Rule{
	"accepted":            {Permitted: []judge.Verdict{judge.Accepted}, Bound: problem.Lower},
	"rejected":            {Required: []judge.Verdict{judge.RunTimeError, judge.TimeLimit, judge.WrongAnswer}},
	"wrong_answer":        {Permitted: []judge.Verdict{judge.Accepted, judge.WrongAnswer}, Required: []judge.Verdict{judge.WrongAnswer}, Bound: problem.Lower},
	"time_limit_exceeded": {Permitted: []judge.Verdict{judge.Accepted, judge.TimeLimit}, Required: []judge.Verdict{judge.TimeLimit}, Bound: problem.Upper},
	"run_time_error":      {Permitted: []judge.Verdict{judge.Accepted, judge.RunTimeError}, Required: []judge.Verdict{judge.RunTimeError}, Bound: problem.Lower},
	"brute_force":         {Permitted: []judge.Verdict{judge.Accepted, judge.RunTimeError, judge.TimeLimit}, Required: []judge.Verdict{judge.RunTimeError, judge.TimeLimit}},
}

// legacyRulesOfDir are the folders of the legacy formats. The verdict of the whole
// submission must be Final; or, as the format's text has it, the sets must hold,
// where an earlier case failed in another way than the folder says.
var legacyRulesOfDir = map[string]problem.Rule{
	"accepted":            {Final: []judge.Verdict{judge.Accepted}, Bound: problem.Lower},
	"partially_accepted":  {Final: []judge.Verdict{judge.Accepted}, Partial: true},
	"wrong_answer":        {Final: []judge.Verdict{judge.WrongAnswer}, Permitted: []judge.Verdict{judge.Accepted, judge.WrongAnswer}, Required: []judge.Verdict{judge.WrongAnswer}},
	"time_limit_exceeded": {Final: []judge.Verdict{judge.TimeLimit}, Permitted: []judge.Verdict{judge.Accepted, judge.WrongAnswer, judge.TimeLimit}, Required: []judge.Verdict{judge.TimeLimit}, Bound: problem.Upper},
	"run_time_error":      {Final: []judge.Verdict{judge.RunTimeError}, Required: []judge.Verdict{judge.RunTimeError}},
	"rejected":            {Final: failures},
}

var failures = []judge.Verdict{judge.WrongAnswer, judge.TimeLimit, judge.RunTimeError, judge.CompileError}

// otherDirs are folders that tools know beside those of the format.
var otherDirs = map[string]problem.Rule{
	"compiler_error":        {Final: []judge.Verdict{judge.CompileError}},
	"compile_error":         {Final: []judge.Verdict{judge.CompileError}},
	"memory_limit_exceeded": {Final: []judge.Verdict{judge.MemoryLimit}},
	"output_limit_exceeded": {Final: []judge.Verdict{judge.OutputLimit}},
	"output_limit":          {Final: []judge.Verdict{judge.OutputLimit}},
	"no_output":             {Final: []judge.Verdict{judge.WrongAnswer}},
	"runtime_error":         {Final: []judge.Verdict{judge.RunTimeError}},
	"run-error":             {Final: []judge.Verdict{judge.RunTimeError}},
	"timelimit":             {Final: []judge.Verdict{judge.TimeLimit}},
	"wrong-answer":          {Final: []judge.Verdict{judge.WrongAnswer}},
	"not_accepted":          {Final: failures},
}

// readSubmissions finds the submissions and what they must get.
func (p *Package) readSubmissions() {
	doc, bad := p.yaml("submissions/submissions.yaml")
	p.Flaws = append(p.Flaws, bad...)
	for _, dir := range p.list("submissions") {
		if !dir.Dir {
			if !isJunk(dir.Name) && p.isProgram("submissions/"+dir.Name) {
				p.flaw("submissions/"+dir.Name, "a submission in no folder that says what it must get", "move it to submissions/accepted, or another of: "+strings.Join(p.dirs(), ", "))
			}
			continue
		}
		if _, known := p.dirRule(dir.Name); !known && !p.annotated(dir.Name) && !doc.Has(dir.Name) {
			p.checkDir(dir.Name)
		}
		if !p.Kind.Answers {
			p.checkPrograms("submissions/" + dir.Name)
		}
		for _, name := range p.submissions("submissions/" + dir.Name) {
			s := &problem.Submission{Path: p.at(name), Name: strings.TrimPrefix(name, "submissions/")}
			p.expect(s, name, doc)
			p.Submissions = append(p.Submissions, s)
		}
	}
	p.checkGlobs(doc)
	if !slices.ContainsFunc(p.Submissions, func(s *problem.Submission) bool { return s.Dir() == "accepted" }) {
		p.flaw("submissions/accepted", "there is no accepted submission", "add one")
	}
}

// submissions are the programs in a folder; where submissions are outputs, each file and
// each folder is one.
func (p *Package) submissions(dir string) (all []string) {
	if !p.Kind.Answers {
		return p.programs(dir)
	}
	for _, e := range p.list(dir) {
		all = append(all, path.Join(dir, e.Name))
	}
	return all
}

// dirs are the folders that the package's format knows.
func (p *Package) dirs() (all []string) {
	table := rulesOfDir
	if p.Format.old() {
		table = legacyRulesOfDir
	}
	for name := range table {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// checkDir notes a folder that says nothing, where somebody probably meant another.
func (p *Package) checkDir(dir string) {
	if near, ok := suggest.Closest(dir, p.dirs()); ok {
		p.flaw("submissions/"+dir, fmt.Sprintf("the folder %q does not say what its submissions must get", dir), fmt.Sprintf("did you mean %q?", near))
	}
}

// checkPrograms notes what lies among submissions and is passed over, though it is
// not of the kind that editors and compilers leave.
func (p *Package) checkPrograms(dir string) {
	all, entries := p.programs(dir), p.list(dir)
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		switch {
		case isJunk(e.Name) || slices.Contains(all, name) || p.isBuilt(dir, e, entries):
		case e.Dir:
			p.flaw(name, "the folder holds no program: it is left out", "add its sources, or remove it")
		default:
			p.flaw(name, "the name tells no language: it is left out", "name it as its language has it, such as "+strings.TrimSuffix(e.Name, path.Ext(e.Name))+".py, or remove it")
		}
	}
}

// dirRule is what a folder of submissions says.
func (p *Package) dirRule(dir string) (problem.Rule, bool) {
	table := rulesOfDir
	if p.Format.old() {
		table = legacyRulesOfDir
	}
	if r, ok := table[dir]; ok {
		return r, true
	}
	if r, ok := legacyRulesOfDir[dir]; ok {
		return r, true
	}
	r, ok := otherDirs[strings.ToLower(dir)]
	return r, ok
}

// annotated says whether any submission of a folder says itself what it must get.
func (p *Package) annotated(dir string) bool {
	for _, name := range p.programs("submissions/" + dir) {
		if rules, _ := p.annotations(name); len(rules) > 0 {
			return true
		}
	}
	return false
}

// expect finds out what a submission must get: its folder, submissions.yaml, and
// what its source says.
func (p *Package) expect(s *problem.Submission, name string, doc *strict.Node) {
	rule, fromDir := p.dirRule(s.Dir())
	rule.From = "submissions/" + s.Dir()
	own, bad := p.annotations(name)
	p.Flaws = append(p.Flaws, bad...)
	var scores []problem.Rule // add to what the folder says
	for _, r := range own {
		if r.Score != nil {
			scores = append(scores, r)
		} else if !fromDir || s.Dir() == "rejected" {
			// In a folder that says it, the folder counts.
			s.Rules = append(s.Rules, r)
		}
	}
	if fromDir && len(s.Rules) == 0 {
		s.Rules = append(s.Rules, rule)
	}
	s.Rules = append(s.Rules, scores...)
	for key, value := range doc.Pairs() {
		if !problem.Covers(key.Text, s.Name) {
			continue
		}
		rules := p.readRule(s, key, value)
		if key.Text == s.Dir() && fromDir && len(rules) > 0 { // replaces what the folder says
			rules[0] = inherit(rules[0], rule, value)
			s.Rules = slices.DeleteFunc(s.Rules, func(r problem.Rule) bool { return r.From == rule.From })
		}
		s.Rules = append(s.Rules, rules...)
	}
	p.checkRules(s)
}

// inherit takes from the folder's own rule what submissions.yaml does not say.
func inherit(r, from problem.Rule, n *strict.Node) problem.Rule {
	if !n.Has("permitted") {
		r.Permitted = from.Permitted
	}
	if !n.Has("required") {
		r.Required = from.Required
	}
	if !n.Has("use_for_time_limit") {
		r.Bound = from.Bound
		if n.Has("permitted") || n.Has("required") {
			r.Bound = boundOf(r)
		}
	}
	return r
}

// boundOf is what the sets of a rule say about the time limit.
func boundOf(r problem.Rule) problem.Bound {
	switch {
	case r.Permitted != nil && !slices.Contains(r.Permitted, judge.TimeLimit):
		return problem.Lower
	case len(r.Required) == 1 && r.Required[0] == judge.TimeLimit:
		return problem.Upper
	}
	return problem.NoBound
}

// ruleKeys are the keys of submissions.yaml; other keys that hold a map are globs
// of cases.
var ruleKeys = []string{"language", "entrypoint", "authors", "model_solution", "permitted", "required", "score", "message", "use_for_time_limit"}

// readRule reads what submissions.yaml says of a submission, and of some of its
// cases.
func (p *Package) readRule(s *problem.Submission, key, n *strict.Node) (rules []problem.Rule) {
	if n.Kind != strict.Map {
		if n.Here() {
			p.noteOnce(n.Mismatch("a map"))
		}
		return nil
	}
	for k, v := range n.Pairs() {
		switch {
		case k.Text == "language":
			s.Language = v.Text
		case k.Text == "entrypoint":
			s.Entry = v.Text
		case k.Text == "model_solution":
			s.Model, _ = v.Bool()
		case slices.Contains(ruleKeys, k.Text):
		case v.Kind == strict.Map:
			if !p.anyCase(k.Text) {
				p.noteOnce(k.Fault(fmt.Sprintf("%q is neither a case nor a group", k.Text), "write it from data/ on, such as secret/group1"))
			}
			rules = append(rules, p.oneRule(v, k.Text, key.Text))
		default:
			p.noteOnce(strict.Unknown(k, n.Path, ruleKeys))
		}
	}
	return append([]problem.Rule{p.oneRule(n, "", key.Text)}, rules...)
}

// oneRule reads the keys of one map.
func (p *Package) oneRule(n *strict.Node, cases, from string) problem.Rule {
	r := problem.Rule{Cases: cases, From: "submissions.yaml: " + from, Message: n.Get("message").Text}
	r.Permitted = p.verdicts(n.Get("permitted"))
	r.Required = p.verdicts(n.Get("required"))
	if v := n.Get("score"); v.Here() {
		r.Score = p.scoreOf(v)
	}
	r.Bound = boundOf(r)
	switch v := n.Get("use_for_time_limit"); {
	case !v.Here():
	case v.Text == "lower" || v.Text == "upper":
		r.Bound = problem.Bound(v.Text)
	default:
		if use, ok := v.Bool(); !ok {
			p.noteOnce(v.Mismatch("lower, upper or false"))
		} else if !use {
			r.Bound = problem.NoBound
		}
	}
	return r
}

// verdicts reads a list of letters; nil where there is none.
func (p *Package) verdicts(n *strict.Node) (all []judge.Verdict) {
	var words []string
	for _, l := range letters {
		words = append(words, string(l))
	}
	for _, item := range n.Items() {
		v := judge.Verdict(item.Text)
		if !slices.Contains(letters, v) {
			p.noteOnce(oneOf(item, "verdict", item.Text, words))
			continue
		}
		all = append(all, v)
	}
	return all
}

// scoreOf reads a number, or two numbers.
func (p *Package) scoreOf(n *strict.Node) *problem.Range {
	items := n.Items()
	var r problem.Range
	var ok1, ok2 bool
	switch len(items) {
	case 1:
		r.Low, ok1 = items[0].Float()
		r.High, ok2 = r.Low, true
	case 2:
		r.Low, ok1 = items[0].Float()
		r.High, ok2 = items[1].Float()
	}
	if !ok1 || !ok2 {
		p.noteOnce(n.Mismatch("a number, or a list of two"))
		return nil
	}
	return &r
}

// noteOnce notes a flaw of submissions.yaml, which is read for each submission.
func (p *Package) noteOnce(f *judge.Fault) {
	if !slices.ContainsFunc(p.Flaws, func(g *judge.Fault) bool { return *g == *f }) {
		p.Flaws = append(p.Flaws, f)
	}
}

// anyCase says whether a glob is that of any case or group.
func (p *Package) anyCase(glob string) bool {
	for _, g := range p.Groups {
		for _, c := range g.Cases {
			if problem.Covers(glob, c.ID()) {
				return true
			}
		}
	}
	return false
}

// checkGlobs notes keys of submissions.yaml that are of no submission.
func (p *Package) checkGlobs(doc *strict.Node) {
	for k := range doc.Pairs() {
		if p.isDir("submissions/" + k.Text) {
			continue
		}
		if !slices.ContainsFunc(p.Submissions, func(s *problem.Submission) bool { return problem.Covers(k.Text, s.Name) }) {
			p.Flaws = append(p.Flaws, k.Fault(fmt.Sprintf("no submission is called %q", k.Text), "write it from submissions/ on, such as accepted/*.py"))
		}
	}
}

// checkRules notes rules that cannot hold together.
func (p *Package) checkRules(s *problem.Submission) {
	for i, a := range s.Rules {
		for _, b := range s.Rules[i+1:] {
			if a.Cases == b.Cases && disjoint(a.Permitted, b.Permitted) {
				p.flaw("submissions/"+s.Name, fmt.Sprintf("%s and %s permit no verdict in common", a.From, b.From), "change one of them")
			}
		}
	}
}

func disjoint(a, b []judge.Verdict) bool {
	return a != nil && b != nil && !slices.ContainsFunc(a, func(v judge.Verdict) bool { return slices.Contains(b, v) })
}
