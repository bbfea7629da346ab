package problem

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"assay/judge"
)

// Submission is an example submission of the package, with its expected result.
type Submission struct {
	Path     string // as written by the user
	Name     string // path relative to submissions/: "accepted/sol.py"
	Language string // as specified by the package; if empty, the file name decides
	Entry    string // the file that starts the submission; if empty, the usual one
	Model    bool
	Rules    []Rule // all must hold; if empty, nothing is expected
}

// Dir returns the directory of submissions/ that contains the submission.
func (s *Submission) Dir() string {
	dir, _, _ := strings.Cut(s.Name, "/")
	return dir
}

// Rule is an expectation for a submission. A field that is not set expects nothing.
type Rule struct {
	From      string          // where the rule was found
	Cases     string          // glob of the cases that the rule applies to, from data/ on; empty means all
	Permitted []judge.Verdict // every case must have one of these
	Required  []judge.Verdict // some case must have one of these
	Score     *Range
	Message   string // text that the validator's message for some case must contain
	Bound     Bound  // how the submission bounds the time limit

	// Final contains the allowed verdicts of the whole submission, in the legacy formats. If Required is also set,
	// it is enough to satisfy either Final, or both Permitted and Required.
	Final   []judge.Verdict
	Partial bool // the submission must also get less than the best score
}

// Range is a range of scores, including both ends.
type Range struct{ Low, High float64 }

// Bound describes how a submission bounds the time limit.
type Bound string

const (
	NoBound Bound = ""      // it does not bound the time limit
	Lower   Bound = "lower" // the submission must be in time
	Upper   Bound = "upper" // the submission must be too slow
)

// Result is the result of a submission.
type Result struct {
	Final  judge.Verdict
	Score  *judge.Score // nil if there is none
	Cases  []CaseResult // the cases that were judged, in order
	Whole  bool         // whether every case was judged
	Groups map[string]float64
}

// CaseResult is the result of a submission on a case.
type CaseResult struct {
	ID      string
	Verdict judge.Verdict
	Message string
}

// Holds reports whether a submission got its expected result, and if not, why.
func (s *Submission) Holds(r *Result) (ok bool, why string) {
	for i := range s.Rules {
		if why := s.Rules[i].broken(r); why != "" {
			return false, why
		}
	}
	return true, ""
}

// Open reports whether the expected result would still be possible if the problem had more secret cases. The
// submission must be accepted so far, no rule may exclude the verdicts of its cases, and no rule may require a
// compile error.
func (s *Submission) Open(r *Result) bool {
	return r.Final == judge.Accepted && !slices.ContainsFunc(s.Rules, func(rule Rule) bool {
		so := Rule{From: rule.From, Cases: rule.Cases, Permitted: rule.Permitted}
		return len(rule.Final) == 0 && so.broken(r) != "" || slices.Equal(rule.Final, []judge.Verdict{judge.CompileError})
	})
}

// Decided reports whether judging further cases cannot change the result of Holds.
func (s *Submission) Decided(r *Result) bool {
	if r.Final == judge.CompileError || r.Final == judge.JudgeError {
		return true
	}
	for i := range s.Rules {
		rule := &s.Rules[i]
		if rule.finalHolds(r) && len(rule.Final) > 0 {
			continue
		}
		if rule.Permitted != nil || rule.Required != nil || rule.Score != nil || rule.Message != "" || rule.Partial {
			return false
		}
	}
	return true
}

// Same reports whether got is equivalent to meant. The formats have four verdicts, and each of the judge's other
// verdicts is equivalent to one of them.
func Same(got, meant judge.Verdict) bool {
	if got == meant {
		return true
	}
	switch got {
	case judge.MemoryLimit:
		return meant == judge.RunTimeError
	case judge.IdlenessLimit:
		return meant == judge.TimeLimit
	case judge.OutputLimit: // judging systems report endless output as any of these
		return meant == judge.RunTimeError || meant == judge.TimeLimit || meant == judge.WrongAnswer
	case judge.RunTimeError: // if the system stopped the program first
		return meant == judge.MemoryLimit
	case judge.WrongAnswer, judge.TimeLimit:
		return meant == judge.OutputLimit
	}
	return false
}

func among(got judge.Verdict, meant []judge.Verdict) bool {
	return slices.ContainsFunc(meant, func(m judge.Verdict) bool { return Same(got, m) })
}

func (r *Rule) finalHolds(got *Result) bool { return len(r.Final) == 0 || among(got.Final, r.Final) }

// broken describes how the rule is violated. It returns the empty string if the rule holds.
func (r *Rule) broken(got *Result) string {
	if r.Partial {
		return r.partial(got)
	}
	if len(r.Final) > 0 {
		if r.finalHolds(got) {
			return r.brokenScore(got)
		}
		if r.Required == nil || r.brokenSets(got) != "" {
			return fmt.Sprintf("it gets %s, but %s expects %s", got.Final, r.From, wordsOf(r.Final))
		}
		return r.brokenScore(got)
	}
	if why := r.brokenSets(got); why != "" {
		return why
	}
	if why := r.brokenScore(got); why != "" {
		return why
	}
	if r.Message != "" &&
		!slices.ContainsFunc(got.Cases, func(c CaseResult) bool { return r.About(c.ID) && strings.Contains(c.Message, r.Message) }) {
		return fmt.Sprintf("no message contains %q, which %s expects", r.Message, r.From)
	}
	return ""
}

// About reports whether the rule applies to a case.
func (r *Rule) About(id string) bool { return r.Cases == "" || Covers(r.Cases, id) }

func (r *Rule) brokenSets(got *Result) string {
	if got.Final == judge.CompileError && (r.Permitted != nil || r.Required != nil) {
		return fmt.Sprintf("it does not compile, but %s expects %s", r.From, wordsOf(append(slices.Clone(r.Permitted), r.Required...)))
	}
	found := len(r.Required) == 0
	for _, c := range got.Cases {
		if !r.About(c.ID) || c.Verdict == judge.Skipped {
			continue
		}
		if r.Permitted != nil && !among(c.Verdict, r.Permitted) {
			return fmt.Sprintf("it gets %s on %s, but %s permits %s", c.Verdict, c.ID, r.From, wordsOf(r.Permitted))
		}
		found = found || among(c.Verdict, r.Required)
	}
	if !found {
		where := ""
		if r.Cases != "" {
			where = " of " + r.Cases
		}
		return fmt.Sprintf("no case%s gets %s, which %s expects", where, wordsOf(r.Required), r.From)
	}
	return ""
}

func (r *Rule) brokenScore(got *Result) string {
	if r.Score == nil {
		return ""
	}
	var points float64
	if r.Cases != "" {
		points = got.Groups[r.Cases]
	} else if got.Score != nil {
		points = got.Score.Points
	}
	const near = 1e-6 // scores are sums of decimal fractions
	if points < r.Score.Low-near || points > r.Score.High+near {
		want := fmt.Sprint(r.Score.Low)
		if r.Score.High != r.Score.Low {
			want += fmt.Sprintf(" to %v", r.Score.High)
		}
		return fmt.Sprintf("its score is %v, but %s expects %s", points, r.From, want)
	}
	return ""
}

// partial checks partially_accepted. The submission must be accepted with less than the best score, or get some
// points without being accepted. If the score range is open, the best score is unknown, and an accepted submission
// may have any score.
func (r *Rule) partial(got *Result) string {
	if got.Final != judge.Accepted && got.Score != nil && got.Score.Points > 0 && got.Score.Points < got.Score.Of {
		return ""
	}
	if got.Final != judge.Accepted {
		return fmt.Sprintf("it gets %s, but %s expects a part of the points", got.Final, r.From)
	}
	if got.Score != nil && got.Score.Of > 0 && !math.IsInf(got.Score.Of, 0) && got.Score.Points >= got.Score.Of {
		return fmt.Sprintf("it gets all %v points, but %s expects a part of them", got.Score.Points, r.From)
	}
	return ""
}

// wordsOf formats verdicts: "WA or TLE".
func wordsOf(all []judge.Verdict) string {
	var words []string
	for _, v := range all {
		if !slices.Contains(words, string(v)) {
			words = append(words, string(v))
		}
	}
	return strings.Join(words, " or ")
}

// Promised returns the only verdict that is allowed for the whole submission. It is empty if several are allowed
// or nothing is expected. Words lists the allowed verdicts. Rules for some of the cases are additional conditions.
func (s *Submission) Promised() (one judge.Verdict, words string) {
	var anyOf []judge.Verdict
	several := false
	for i := range s.Rules {
		r := &s.Rules[i]
		all := r.wanted()
		if r.Cases != "" || all == nil && !r.Partial {
			continue
		}
		anyOf = append(anyOf, all...)
		verdict := r.demanded()
		several = several || verdict == judge.NotJudged || one != judge.NotJudged && verdict != one
		one = verdict
	}
	if several {
		one = judge.NotJudged
	}
	return one, wordsOf(anyOf)
}

// allFour is the number of verdicts in the formats.
const allFour = 4

// wanted returns the verdicts that a rule mentions, or nil if it allows any.
func (r *Rule) wanted() []judge.Verdict {
	switch {
	case len(r.Final) > 0:
		return r.Final
	case r.Required != nil:
		return r.Required
	case len(r.Permitted) < allFour:
		return r.Permitted
	}
	return nil
}

// demanded returns the only verdict that a rule allows for a whole submission, or the empty string.
func (r *Rule) demanded() judge.Verdict {
	switch {
	case r.Partial || len(r.Final) > 1:
		return judge.NotJudged
	case len(r.Final) == 1:
		return r.Final[0]
	case len(r.Permitted) == 1 && r.Permitted[0] == judge.Accepted:
		return judge.Accepted
	case len(r.Required) == 1 && r.Permitted != nil:
		for _, v := range r.Permitted {
			if v != judge.Accepted && v != r.Required[0] {
				return judge.NotJudged
			}
		}
		return r.Required[0]
	}
	return judge.NotJudged
}

// Covers reports whether a glob matches a path or a directory above it.
func Covers(glob, name string) bool {
	re, err := regexp.Compile(globPattern(glob))
	return err == nil && re.MatchString(name)
}

// globPattern converts a glob to a regular expression: * matches anything within one name, and {a,b} matches
// either, with or without blanks. Nothing else is special.
func globPattern(glob string) string {
	var b strings.Builder
	b.WriteString(`^`)
	depth := 0
	for _, r := range strings.TrimSuffix(path.Clean(glob), "/") {
		switch {
		case r == '*':
			b.WriteString(`[^/]*`)
		case r == '{':
			depth++
			b.WriteString(`(?:`)
		case r == '}' && depth > 0:
			depth--
			b.WriteString(`)`)
		case r == ',' && depth > 0:
			b.WriteString(`|`)
		case r == ' ' && depth > 0: // names contain no blanks
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	b.WriteString(strings.Repeat(`)`, depth) + `(?:/|$)`)
	return b.String()
}
