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

// verdictLetters lists the verdicts of the format.
var verdictLetters = []judge.Verdict{judge.Accepted, judge.WrongAnswer, judge.TimeLimit, judge.RunTimeError}

// rulesOfDir maps the directories of submissions/ to their rules, in the formats from 2023-07 on.
var rulesOfDir = map[string]problem.Rule{
	"accepted": {Permitted: []judge.Verdict{judge.Accepted}, Bound: problem.Lower},
	"rejected": {Required: []judge.Verdict{judge.RunTimeError, judge.TimeLimit, judge.WrongAnswer}},
	"wrong_answer": {Permitted: []judge.Verdict{
		judge.Accepted, judge.WrongAnswer,
	}, Required: []judge.Verdict{judge.WrongAnswer}, Bound: problem.Lower},
	"time_limit_exceeded": {Permitted: []judge.Verdict{
		judge.Accepted, judge.TimeLimit,
	}, Required: []judge.Verdict{judge.TimeLimit}, Bound: problem.Upper},
	"run_time_error": {Permitted: []judge.Verdict{
		judge.Accepted, judge.RunTimeError,
	}, Required: []judge.Verdict{judge.RunTimeError}, Bound: problem.Lower},
	"brute_force": {Permitted: []judge.Verdict{
		judge.Accepted, judge.RunTimeError, judge.TimeLimit,
	}, Required: []judge.Verdict{judge.RunTimeError, judge.TimeLimit}},
}

// legacyRulesOfDir maps the directories of the legacy formats to their rules. Either the verdict of the whole
// submission must be in Final or, following the text of the format, the cases must satisfy both Permitted and
// Required. The second alternative allows an earlier case to fail with a verdict other than the directory's.
var legacyRulesOfDir = map[string]problem.Rule{
	"accepted":           {Final: []judge.Verdict{judge.Accepted}, Bound: problem.Lower},
	"partially_accepted": {Final: []judge.Verdict{judge.Accepted}, Partial: true},
	"wrong_answer": {Final: []judge.Verdict{judge.WrongAnswer}, Permitted: []judge.Verdict{
		judge.Accepted, judge.WrongAnswer,
	}, Required: []judge.Verdict{judge.WrongAnswer}},
	"time_limit_exceeded": {Final: []judge.Verdict{judge.TimeLimit}, Permitted: []judge.Verdict{
		judge.Accepted, judge.WrongAnswer, judge.TimeLimit,
	}, Required: []judge.Verdict{judge.TimeLimit}, Bound: problem.Upper},
	"run_time_error": {Final: []judge.Verdict{judge.RunTimeError}, Required: []judge.Verdict{judge.RunTimeError}},
	"rejected":       {Final: failureVerdicts},
}

var failureVerdicts = []judge.Verdict{judge.WrongAnswer, judge.TimeLimit, judge.RunTimeError, judge.CompileError}

// otherDirs maps further directories that tools use to their rules.
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
	"not_accepted":          {Final: failureVerdicts},
}

// readSubmissions finds the submissions and their expected results.
func (p *Package) readSubmissions() {
	doc, bad := p.yaml("submissions/submissions.yaml")
	p.Warnings = append(p.Warnings, bad...)
	for _, dir := range p.list("submissions") {
		if !dir.Dir {
			if !isNonProgram(dir.Name) && p.isProgram("submissions/"+dir.Name) {
				p.warn(
					"submissions/"+dir.Name, "this submission is not in a directory that sets its expected result",
					"move it to submissions/accepted, or to one of: "+strings.Join(p.dirs(), ", "),
				)
			}
			continue
		}
		if _, known := p.dirRule(dir.Name); !known && !p.annotated(dir.Name) && !doc.Has(dir.Name) {
			p.checkDir(dir.Name)
		}
		if !p.Kind.OutputOnly {
			p.checkPrograms("submissions/" + dir.Name)
		}
		for _, name := range p.submissions("submissions/" + dir.Name) {
			s := &problem.Submission{Path: p.pathOf(name), Name: strings.TrimPrefix(name, "submissions/")}
			p.expect(s, name, doc)
			p.Submissions = append(p.Submissions, s)
		}
	}
	p.checkGlobs(doc)
	if !slices.ContainsFunc(p.Submissions, func(s *problem.Submission) bool { return s.Dir() == "accepted" }) {
		p.warn("submissions/accepted", "there is no accepted submission", "add one")
	}
}

// submissions returns the programs in a directory. If submissions consist of outputs, each file and each directory
// is a submission.
func (p *Package) submissions(dir string) (all []string) {
	if !p.Kind.OutputOnly {
		return p.programs(dir)
	}
	for _, e := range p.list(dir) {
		all = append(all, path.Join(dir, e.Name))
	}
	return all
}

// dirs returns the directories that the package's format defines.
func (p *Package) dirs() (all []string) {
	table := rulesOfDir
	if p.Format.isLegacy() {
		table = legacyRulesOfDir
	}
	for name := range table {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// checkDir warns about a directory without a rule whose name is similar to a known one.
func (p *Package) checkDir(dir string) {
	if near, ok := suggest.Closest(dir, p.dirs()); ok {
		p.warn("submissions/"+dir, fmt.Sprintf("the directory %q sets no expected result for its submissions", dir), fmt.Sprintf(
			"did you mean %q?", near,
		))
	}
}

// checkPrograms warns about ignored files among the submissions, except files that editors and compilers leave.
func (p *Package) checkPrograms(dir string) {
	all, entries := p.programs(dir), p.list(dir)
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		switch {
		case isNonProgram(e.Name) || slices.Contains(all, name) || p.isBuilt(dir, e, entries):
		case e.Dir:
			p.warn(name, "the directory contains no program, so it is ignored", "add its sources, or remove it")
		default:
			p.warn(
				name, "the file name has no known extension, so it is ignored",
				"give it the extension of its language, such as "+strings.TrimSuffix(
					e.Name, path.Ext(e.Name),
				)+".py, or remove it",
			)
		}
	}
}

// dirRule returns the rule of a directory of submissions.
func (p *Package) dirRule(dir string) (problem.Rule, bool) {
	table := rulesOfDir
	if p.Format.isLegacy() {
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

// annotated reports whether any submission of a directory contains an annotation with its expected result.
func (p *Package) annotated(dir string) bool {
	for _, name := range p.programs("submissions/" + dir) {
		if rules, _ := p.annotations(name); len(rules) > 0 {
			return true
		}
	}
	return false
}

// expect collects the rules of a submission: from its directory, submissions.yaml, and annotations in its
// source.
func (p *Package) expect(s *problem.Submission, name string, doc *strict.Node) {
	rule, fromDir := p.dirRule(s.Dir())
	rule.From = "submissions/" + s.Dir()
	own, bad := p.annotations(name)
	p.Warnings = append(p.Warnings, bad...)
	var scores []problem.Rule // rules that are added to the directory's rule
	for _, r := range own {
		if r.Score != nil {
			scores = append(scores, r)
		} else if !fromDir || s.Dir() == "rejected" {
			// In a directory with a rule, that rule applies.
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
		if key.Text == s.Dir() && fromDir && len(rules) > 0 { // these rules replace the directory's rule
			rules[0] = inherit(rules[0], rule, value)
			s.Rules = slices.DeleteFunc(s.Rules, func(r problem.Rule) bool { return r.From == rule.From })
		}
		s.Rules = append(s.Rules, rules...)
	}
	p.checkRules(s)
}

// inherit copies the fields that submissions.yaml does not set from the directory's rule.
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

// boundOf returns the bound on the time limit that a rule's verdict sets imply.
func boundOf(r problem.Rule) problem.Bound {
	switch {
	case r.Permitted != nil && !slices.Contains(r.Permitted, judge.TimeLimit):
		return problem.Lower
	case len(r.Required) == 1 && r.Required[0] == judge.TimeLimit:
		return problem.Upper
	}
	return problem.NoBound
}

// ruleKeys lists the keys of submissions.yaml. Other keys whose value is a map are globs of cases.
var ruleKeys = []string{
	"language", "entrypoint", "authors", "model_solution", "permitted", "required", "score", "message",
	"use_for_time_limit",
}

// readRule reads the rules in submissions.yaml for a submission and for some of its cases.
func (p *Package) readRule(s *problem.Submission, key, n *strict.Node) (rules []problem.Rule) {
	if n.Kind != strict.Map {
		if n.IsSet() {
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
				p.noteOnce(
					k.Fault(
						fmt.Sprintf("%q is neither a case nor a group", k.Text),
						"write its path relative to data/, such as secret/group1",
					),
				)
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
	if v := n.Get("score"); v.IsSet() {
		r.Score = p.scoreOf(v)
	}
	r.Bound = boundOf(r)
	switch v := n.Get("use_for_time_limit"); {
	case !v.IsSet():
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

// verdicts reads a list of letters. It returns nil if there is none.
func (p *Package) verdicts(n *strict.Node) (verdicts []judge.Verdict) {
	var words []string
	for _, l := range verdictLetters {
		words = append(words, string(l))
	}
	for _, item := range n.Items() {
		v := judge.Verdict(item.Text)
		if !slices.Contains(verdictLetters, v) {
			p.noteOnce(oneOfFault(item, "verdict", item.Text, words))
			continue
		}
		verdicts = append(verdicts, v)
	}
	return verdicts
}

// scoreOf reads one or two numbers.
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

// noteOnce records a warning about submissions.yaml without duplicates. The file is read for each submission.
func (p *Package) noteOnce(f *judge.ProblemError) {
	if !slices.ContainsFunc(p.Warnings, func(g *judge.ProblemError) bool { return *g == *f }) {
		p.Warnings = append(p.Warnings, f)
	}
}

// anyCase reports whether a glob matches any case or group.
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

// checkGlobs warns about keys of submissions.yaml that match no submission.
func (p *Package) checkGlobs(doc *strict.Node) {
	for k := range doc.Pairs() {
		if p.isDir("submissions/" + k.Text) {
			continue
		}
		if !slices.ContainsFunc(p.Submissions, func(s *problem.Submission) bool { return problem.Covers(k.Text, s.Name) }) {
			p.Warnings = append(
				p.Warnings,
				k.Fault(fmt.Sprintf("%q matches no submission", k.Text), "write a path relative to submissions/, such as accepted/*.py"),
			)
		}
	}
}

// checkRules warns about rules that contradict each other.
func (p *Package) checkRules(s *problem.Submission) {
	for i, a := range s.Rules {
		for _, b := range s.Rules[i+1:] {
			if a.Cases == b.Cases && disjoint(a.Permitted, b.Permitted) {
				p.warn("submissions/"+s.Name, fmt.Sprintf("%s and %s permit no verdict in common", a.From, b.From), "change one of them")
			}
		}
	}
}

func disjoint(a, b []judge.Verdict) bool {
	return a != nil && b != nil && !slices.ContainsFunc(a, func(v judge.Verdict) bool { return slices.Contains(b, v) })
}
