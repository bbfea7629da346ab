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

// Submission is an example submission of the package, with what it must get.
type Submission struct {
	Path     string // as the user knows it
	Name     string // from submissions/ on: "accepted/sol.py"
	Language string // that the package says it is in; "" for what its name tells
	Entry    string // the file that starts it; "" for the usual one
	Model    bool
	Rules    []Rule // all must hold; none: nothing is known of it
}

// Dir is the folder of submissions/ that holds the submission.
func (s *Submission) Dir() string {
	dir, _, _ := strings.Cut(s.Name, "/")
	return dir
}

// Rule is something that a submission must get. What is not set demands nothing.
type Rule struct {
	From      string          // where it is written
	Cases     string          // glob of the cases that it is about, from data/ on; "" for all
	Permitted []judge.Verdict // every case has one of these
	Required  []judge.Verdict // some case has one of these
	Score     *Range
	Message   string // stands in what the validator said of some case
	Bound     Bound  // what the rule says about the time limit

	// Final is what the whole submission may get, in the legacy formats. Where it
	// is set together with the sets, either will do.
	Final   []judge.Verdict
	Partial bool // and its score is not the best
}

// Range is a range of scores; both ends belong to it.
type Range struct{ Low, High float64 }

// Bound says how a submission bounds the time limit.
type Bound string

const (
	NoBound Bound = ""      // it says nothing of the time limit
	Lower   Bound = "lower" // it must be in time
	Upper   Bound = "upper" // it must be too slow
)

// Result is what a submission got.
type Result struct {
	Final  judge.Verdict
	Score  *judge.Score // nil where there is none
	Cases  []CaseResult // those that were judged, in order
	Whole  bool         // every case was judged
	Groups map[string]float64
}

// CaseResult is what a submission got on a case.
type CaseResult struct {
	ID      string
	Verdict judge.Verdict
	Message string
}

// Holds says whether a submission got what it must, and if not, why.
func (s *Submission) Holds(r *Result) (ok bool, why string) {
	for i := range s.Rules {
		if why := s.Rules[i].broken(r); why != "" {
			return false, why
		}
	}
	return true, ""
}

// Open says whether secret cases, of which there were none, could still make a submission
// get what it must: it is accepted so far, and may be.
func (s *Submission) Open(r *Result) bool {
	return r.Final == judge.Accepted && !slices.ContainsFunc(s.Rules, func(rule Rule) bool {
		so := Rule{From: rule.From, Cases: rule.Cases, Permitted: rule.Permitted}
		return len(rule.Final) == 0 && so.broken(r) != "" || slices.Equal(rule.Final, []judge.Verdict{judge.CompileError})
	})
}

// Decided says whether judging further cases cannot change what Holds says.
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

// Same says whether a verdict is one that was meant: the formats have four, to
// which the judge's others belong.
func Same(got, meant judge.Verdict) bool {
	if got == meant {
		return true
	}
	switch got {
	case judge.MemoryLimit:
		return meant == judge.RunTimeError
	case judge.IdlenessLimit:
		return meant == judge.TimeLimit
	case judge.OutputLimit: // endless output is each of these with somebody
		return meant == judge.RunTimeError || meant == judge.TimeLimit || meant == judge.WrongAnswer
	case judge.RunTimeError: // where the system said no first
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

// broken says how the rule is broken, "" where it holds.
func (r *Rule) broken(got *Result) string {
	if r.Partial {
		return r.partial(got)
	}
	if len(r.Final) > 0 {
		if r.finalHolds(got) {
			return r.brokenScore(got)
		}
		if r.Required == nil || r.brokenSets(got) != "" {
			return fmt.Sprintf("it gets %s, and %s wants %s", got.Final, r.From, wordsOf(r.Final))
		}
		return r.brokenScore(got)
	}
	if why := r.brokenSets(got); why != "" {
		return why
	}
	if why := r.brokenScore(got); why != "" {
		return why
	}
	if r.Message != "" && !slices.ContainsFunc(got.Cases, func(c CaseResult) bool { return r.About(c.ID) && strings.Contains(c.Message, r.Message) }) {
		return fmt.Sprintf("no case says %q, as %s wants", r.Message, r.From)
	}
	return ""
}

// About says whether the rule is about a case.
func (r *Rule) About(id string) bool { return r.Cases == "" || Covers(r.Cases, id) }

func (r *Rule) brokenSets(got *Result) string {
	if got.Final == judge.CompileError && (r.Permitted != nil || r.Required != nil) {
		return fmt.Sprintf("it does not compile, and %s wants %s", r.From, wordsOf(append(slices.Clone(r.Permitted), r.Required...)))
	}
	found := len(r.Required) == 0
	for _, c := range got.Cases {
		if !r.About(c.ID) || c.Verdict == judge.Skipped {
			continue
		}
		if r.Permitted != nil && !among(c.Verdict, r.Permitted) {
			return fmt.Sprintf("it gets %s on %s, and %s permits %s", c.Verdict, c.ID, r.From, wordsOf(r.Permitted))
		}
		found = found || among(c.Verdict, r.Required)
	}
	if !found {
		where := ""
		if r.Cases != "" {
			where = " of " + r.Cases
		}
		return fmt.Sprintf("no case%s gets %s, as %s wants", where, wordsOf(r.Required), r.From)
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
		return fmt.Sprintf("its score is %v, and %s wants %s", points, r.From, want)
	}
	return ""
}

// partial judges partially_accepted: accepted, with less than the best score, or
// not accepted, with some score. The best is unknown where the range is open; then
// any score will do.
func (r *Rule) partial(got *Result) string {
	if got.Final != judge.Accepted && got.Score != nil && got.Score.Points > 0 && got.Score.Points < got.Score.Of {
		return ""
	}
	if got.Final != judge.Accepted {
		return fmt.Sprintf("it gets %s, and %s wants a part of the points", got.Final, r.From)
	}
	if got.Score != nil && got.Score.Of > 0 && !math.IsInf(got.Score.Of, 0) && got.Score.Points >= got.Score.Of {
		return fmt.Sprintf("it gets all %v points, and %s wants a part of them", got.Score.Points, r.From)
	}
	return ""
}

// wordsOf writes verdicts: "WA or TLE".
func wordsOf(all []judge.Verdict) string {
	var words []string
	for _, v := range all {
		if !slices.Contains(words, string(v)) {
			words = append(words, string(v))
		}
	}
	return strings.Join(words, " or ")
}

// Promised is the one verdict that a submission must get as a whole, "" where several will do
// or nothing is known of it; and in words those that will do. What is said of some of its cases
// only adds to that.
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

// allFour is how many verdicts the formats have.
const allFour = 4

// wanted are the verdicts that a rule is about; nil where any will do.
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

// demanded is the one verdict that a rule demands of a whole submission; "" for none.
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

// Covers says whether a glob is a path, or a folder above it.
func Covers(glob, name string) bool {
	re, err := regexp.Compile(globPattern(glob))
	return err == nil && re.MatchString(name)
}

// globPattern makes an expression of a glob: * stands for anything in one name,
// {a,b} for either, with or without blanks in it; nothing else is special.
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
		case r == ' ' && depth > 0: // no name has blanks
		default:
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	b.WriteString(strings.Repeat(`)`, depth) + `(?:/|$)`)
	return b.String()
}
