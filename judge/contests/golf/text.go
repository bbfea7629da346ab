package golf

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Text writes a result for people. The size stands first and always. Problem is
// for the command that runs a single input again.
func (r *Result) Text(problem string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s   %s   %s", r.File, r.languageWords(), r.sizeWords())
	if r.How != "" {
		fmt.Fprintf(&b, "   %s", r.How)
	}
	b.WriteString("\n")
	if r.Claim > 0 && r.Claim != r.Bytes {
		fmt.Fprintf(&b, "         claims %d, is %d\n", r.Claim, r.Bytes)
	}
	fmt.Fprintf(&b, "%-8s %s\n", r.Verdict, r.verdictWords())
	for _, s := range r.Shown {
		fmt.Fprintf(&b, "  %s  gave %s", s.In, s.Gave)
		if s.Fate != "" {
			fmt.Fprintf(&b, "  [%s]", s.Fate)
		}
		b.WriteString("\n")
	}
	if len(r.Shown) == 0 || r.WrongMany > 0 {
		r.writeWrong(&b)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "NOTE     %s\n", n)
	}
	for _, n := range r.Adjusted {
		fmt.Fprintf(&b, "count:   %s\n", n)
	}
	if len(r.Wrong) > 0 && !r.Picked {
		fmt.Fprintf(&b, "run:     judge golf %s %s --case '%s'\n", problem, r.File, r.Wrong[0].In)
	}
	return b.String()
}

func (r *Result) writeWrong(b *strings.Builder) {
	width, gave := 0, 0
	for _, w := range r.Wrong {
		width, gave = max(width, len(w.In)), max(gave, len([]rune(w.Gave)))
	}
	for _, w := range r.Wrong {
		fmt.Fprintf(b, "  %-*s  gave %-*s   %s\n", width, w.In, min(gave, 30), w.Gave, w.Why)
	}
	if more := r.WrongMany - len(r.Wrong); more > 0 {
		fmt.Fprintf(b, "  and %d more (--all lists them)\n", more)
	}
}

func (r *Result) languageWords() string {
	if len(r.Flags) == 0 {
		return r.Language
	}
	return r.Language + " + " + strings.Join(r.Flags, " ")
}

func (r *Result) sizeWords() string {
	words := plural(r.Bytes, "byte")
	if r.Encoding != "" && r.Encoding != "utf-8" {
		words += " in " + r.Encoding
	}
	return fmt.Sprintf("%s (%s)", words, plural(r.Chars, "char"))
}

// verdictWords says what the verdict rests on.
func (r *Result) verdictWords() string {
	var words string
	switch r.Verdict {
	case CannotRun:
		return strings.ReplaceAll(r.Log, "\n", "\n         ")
	case Slow:
		if len(r.Slow) == 0 {
			return "not all inputs were tried"
		}
		return fmt.Sprintf("no answer within %g s of processor time at %s; %d of %d inputs tried, none wrong",
			float64(r.TimeMS)/1000, r.Slow[0], r.Tried, r.Domain)
	case Wrong:
		words = r.wrongWords()
	case Right:
		words = r.rightWords()
	}
	for _, s := range r.Says {
		words += "; " + s
	}
	return words
}

func (r *Result) wrongWords() string {
	if r.WrongMany == 0 {
		return "right but for the notes, which --strict does not allow"
	}
	of := plural(r.Domain, "input")
	if r.Tried < r.Domain {
		of = plural(r.Tried, "input") + " tried"
	}
	words := fmt.Sprintf("%d of %s", r.WrongMany, of)
	switch {
	case r.Picked:
	case r.BadCases == 0:
		words += "; the samples all pass"
	case r.BadCases == r.Samples:
		words += "; no sample passes"
	default:
		words += fmt.Sprintf("; %d of %d samples fail", r.BadCases, r.Samples)
	}
	if r.Stateful {
		words += "; depends on earlier calls"
	}
	if len(r.Slow) > 0 {
		words += fmt.Sprintf("; no answer within %g s at %s", float64(r.TimeMS)/1000, r.Slow[0])
	}
	return words
}

func (r *Result) rightWords() string {
	switch {
	case r.Picked:
		return plural(r.Tried, "input")
	case r.Quick:
		return fmt.Sprintf("samples and edges, %d of %d inputs, %.1f s", r.Tried, r.Domain, r.Seconds)
	case r.Shuffles > 0:
		return fmt.Sprintf("all %s, shuffled twice + %d fresh calls, %.1f s", plural(r.Domain, "input"), r.Fresh, r.Seconds)
	}
	how := "a process each"
	if r.Server > 0 {
		how = fmt.Sprintf("forked, %d of them also as processes of their own", r.Server)
	}
	return fmt.Sprintf("all %s, %s, %.1f s", plural(r.Domain, "input"), how, r.Seconds)
}

// ExplainText tells how the answer was called, and the driver that did.
func (r *Result) ExplainText() string {
	var b strings.Builder
	driver := ""
	for _, e := range r.Explain {
		if e.Reason != "" {
			fmt.Fprintf(&b, "tried %s: %s\n", e.How, strings.Split(e.Reason, "\n")[0])
			continue
		}
		fmt.Fprintf(&b, "tried %s: %d of %d samples right\n", e.How, e.Right, r.Samples)
		for _, g := range e.Gave {
			fmt.Fprintf(&b, "    %s\n", g)
		}
		if e.How == r.How {
			driver = e.Driver
		}
	}
	if driver != "" {
		fmt.Fprintf(&b, "the driver:\n%s\n", indent(driver))
	}
	return b.String()
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

// Order puts results in order: right ones first, by bytes or by characters, then the
// others.
func Order(results []*Result, chars bool) {
	size := func(r *Result) int {
		if chars {
			return r.Chars
		}
		return r.Bytes
	}
	rank := map[Verdict]int{Right: 0, Slow: 1, Wrong: 2, CannotRun: 3}
	slices.SortStableFunc(results, func(a, b *Result) int {
		return cmp.Or(rank[a.Verdict]-rank[b.Verdict], size(a)-size(b), strings.Compare(a.File, b.File))
	})
}

// Table writes several results, a line each.
func Table(results []*Result) string {
	var b strings.Builder
	file, language := 0, 0
	for _, r := range results {
		file, language = max(file, len(r.File)), max(language, len(r.languageWords()))
	}
	for _, r := range results {
		fmt.Fprintf(&b, "%-10s  %5d  %-*s  %-*s  %s\n", r.Verdict, r.Bytes, language, r.languageWords(), file, r.File, r.short())
	}
	return b.String()
}

// Line is the verdict and what it rests on, in a line.
func (r *Result) Line() string {
	words, _, _ := strings.Cut(r.verdictWords(), "\n")
	if len(r.Wrong) > 0 {
		words += fmt.Sprintf("; %s gave %s", r.Wrong[0].In, r.Wrong[0].Gave)
	}
	return string(r.Verdict) + "  " + words
}

// short is the reason of a verdict in a few words.
func (r *Result) short() string {
	switch {
	case r.Verdict == CannotRun:
		return strings.Split(r.Log, "\n")[0]
	case r.Verdict == Wrong && r.WrongMany > 0:
		return fmt.Sprintf("%d wrong, e.g. %s", r.WrongMany, r.Wrong[0].In)
	case r.Verdict == Slow && len(r.Slow) > 0:
		return "at " + r.Slow[0]
	}
	return r.How
}

// PostHeader is the header line of a post.
func (r *Result) PostHeader() string {
	return fmt.Sprintf("# %s, %s", r.languageWords(), plural(r.Bytes, "byte"))
}

// Post is the answer as a post.
func (r *Result) Post() string {
	return fmt.Sprintf("%s\n\n%s\n", r.PostHeader(), indentAll(r.Code))
}

func indentAll(code string) string { return "    " + strings.ReplaceAll(code, "\n", "\n    ") }

// ProgressWords says how far a proof is, how fast, and how long it may still take.
func ProgressWords(done, of int, passed time.Duration) string {
	words := fmt.Sprintf("%d of %d inputs", done, of)
	if done == 0 || passed < time.Second {
		return words
	}
	rate := float64(done) / passed.Seconds()
	words += fmt.Sprintf(", %.0f a second", rate)
	if left := float64(of-done) / rate; left >= 1 {
		words += fmt.Sprintf(", %v left", time.Duration(left*float64(time.Second)).Round(time.Second))
	}
	return words
}
