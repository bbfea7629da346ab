package icpc

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/suggest"
	"assay/judge/problem"
)

// expectedResults maps the results in DOMjudge's @EXPECTED_RESULTS@ to verdicts.
var expectedResults = map[string]judge.Verdict{
	"CORRECT": judge.Accepted, "ACCEPTED": judge.Accepted,
	"WRONG-ANSWER": judge.WrongAnswer, "WRONG_ANSWER": judge.WrongAnswer,
	"TIMELIMIT": judge.TimeLimit, "TIME_LIMIT_EXCEEDED": judge.TimeLimit, "TIME-LIMIT": judge.TimeLimit,
	"RUN-ERROR": judge.RunTimeError, "RUN_TIME_ERROR": judge.RunTimeError, "RUNTIME-ERROR": judge.RunTimeError,
	"NO-OUTPUT": judge.WrongAnswer, "NO_OUTPUT": judge.WrongAnswer,
	"OUTPUT-LIMIT": judge.OutputLimit, "OUTPUT_LIMIT": judge.OutputLimit,
	"COMPILER-ERROR": judge.CompileError, "COMPILER_ERROR": judge.CompileError,
	"MEMORY-LIMIT": judge.MemoryLimit, "MEMORY_LIMIT": judge.MemoryLimit, "MEMORY_LIMIT_EXCEEDED": judge.MemoryLimit,
	"CHECK-MANUALLY": judge.NotJudged, // any verdict is allowed
}

var (
	resultsMark = pattern.New(`(?i)@EXPECTED_RESULTS@:[ \t]*([^\r\n]*)`)
	scoreMark   = pattern.New(`(?i)@EXPECTED_SCORE@:[ \t]*(-?[0-9.]+)`)
)

// annotations reads the expected results in a submission's own files.
func (p *Package) annotations(name string) (rules []problem.Rule, faults judge.ProblemErrors) {
	for _, file := range p.sources(name) {
		data, err := p.read(file)
		if err != nil {
			continue
		}
		text := string(data)
		if found := resultsMark().FindStringSubmatch(text); found != nil {
			rule, bad := p.expectedRule(file, found[1])
			faults = append(faults, bad...)
			if rule != nil {
				rules = append(rules, *rule)
			}
		}
		if found := scoreMark().FindStringSubmatch(text); found != nil {
			if x, err := strconv.ParseFloat(found[1], 64); err == nil {
				rules = append(rules, problem.Rule{From: "@EXPECTED_SCORE@", Score: &problem.Range{Low: x, High: x}})
			}
		}
	}
	return rules, faults
}

// expectedRule parses the results of one annotation.
func (p *Package) expectedRule(file, text string) (*problem.Rule, judge.ProblemErrors) {
	rule := &problem.Rule{From: "@EXPECTED_RESULTS@", Final: []judge.Verdict{}}
	for _, word := range strings.Split(text, ",") {
		word = strings.Trim(strings.TrimSpace(word), `*/'"#->. `)
		if word == "" {
			continue
		}
		v, ok := expectedResults[strings.ToUpper(word)]
		if !ok {
			var known []string
			for w := range expectedResults {
				known = append(known, w)
			}
			return nil, judge.ProblemErrors{
				{File: p.pathOf(file), Text: fmt.Sprintf("@EXPECTED_RESULTS@: unknown result %q", word), Hint: suggest.Hint(word, known)},
			}
		}
		if v == judge.NotJudged {
			return nil, nil
		}
		rule.Final = append(rule.Final, v)
	}
	if len(rule.Final) == 0 {
		return nil, nil
	}
	return rule, nil
}

// sources returns the files of a program: the program itself, or the files of its directory.
func (p *Package) sources(name string) (paths []string) {
	if !p.isDir(name) {
		return []string{name}
	}
	for _, e := range p.list(name) {
		if sub := path.Join(name, e.Name); e.Dir {
			paths = append(paths, p.sources(sub)...)
		} else if !isNonProgram(e.Name) || extension(e.Name) == "txt" {
			paths = append(paths, sub)
		}
	}
	return paths
}

// expectsScores reports whether a submission's annotation contains a score. Only DOMjudge packages have such
// annotations. In DOMjudge packages, groups give points in a different way than in other packages.
func (p *Package) expectsScores() bool {
	for _, dir := range p.list("submissions") {
		if !dir.Dir {
			continue
		}
		for _, name := range p.programs("submissions/" + dir.Name) {
			for _, file := range p.sources(name) {
				if data, err := p.read(file); err == nil && scoreMark().Match(data) {
					return true
				}
			}
		}
	}
	return false
}
