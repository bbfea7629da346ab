package report

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"assay/judge"
)

// GolfResults formats golf submissions. It formats a single submission with all details, and several submissions as a
// table.
func GolfResults(results []*judge.GolfChecked) string {
	if len(results) == 1 {
		return GolfResult(results[0])
	}
	return golfTable(results)
}

// GolfResult formats a golf submission. The text always begins with the size.
func GolfResult(r *judge.GolfChecked) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s   %s   %s", r.File, r.LanguageWithFlags(), golfSizeText(r))
	if r.How != "" {
		fmt.Fprintf(&b, "   %s", r.How)
	}
	b.WriteString("\n")
	if r.Claim > 0 && r.Claim != r.Bytes {
		fmt.Fprintf(&b, "         claims %d, is %d\n", r.Claim, r.Bytes)
	}
	fmt.Fprintf(&b, "%-8s %s\n", r.Verdict, golfVerdictText(r))
	for _, s := range r.Shown {
		fmt.Fprintf(&b, "  %s  gave %s", s.In, s.Gave)
		if s.Fate != "" {
			fmt.Fprintf(&b, "  [%s]", s.Fate)
		}
		b.WriteString("\n")
	}
	if len(r.Shown) == 0 || r.WrongMany > 0 {
		writeCounterexample(r, &b)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "NOTE     %s\n", n)
	}
	for _, n := range r.Adjusted {
		fmt.Fprintf(&b, "count:   %s\n", n)
	}
	if len(r.Wrong) > 0 && !r.Picked {
		fmt.Fprintf(&b, "run:     judge golf %s %s --case '%s'\n", r.Problem, r.File, r.Wrong[0].In)
	}
	return sanitize(b.String())
}

func writeCounterexample(r *judge.GolfChecked, b *strings.Builder) {
	in, output := 0, 0
	for _, w := range r.Wrong {
		in, output = max(in, width(w.In)), max(output, width(w.Gave))
	}
	for _, w := range r.Wrong {
		fmt.Fprintf(b, "  %s  gave %s   %s\n", pad(w.In, in), pad(w.Gave, min(output, 30)), w.Why)
	}
	if more := r.WrongMany - len(r.Wrong); more > 0 {
		fmt.Fprintf(b, "  and %d more (--all lists them)\n", more)
	}
}

func golfSizeText(r *judge.GolfChecked) string {
	words := judge.Quantity(r.Bytes, "byte")
	if r.Encoding != "" && r.Encoding != "utf-8" {
		words += " in " + r.Encoding
	}
	return fmt.Sprintf("%s (%s)", words, judge.Quantity(r.Chars, "char"))
}

// golfVerdictText describes the checks on which the verdict is based.
func golfVerdictText(r *judge.GolfChecked) string {
	var words string
	switch r.Verdict {
	case judge.GolfCannotRun:
		words = r.Log
		if len(r.OtherLanguages) > 0 {
			words += fmt.Sprintf("\nnor can it run as %s; --lang %s says why", strings.Join(r.OtherLanguages, ", "), r.OtherLanguages[0])
		}
		return strings.ReplaceAll(words, "\n", "\n         ")
	case judge.GolfTooSlow:
		if len(r.Slow) == 0 {
			return cmp.Or(r.Log, "not all inputs were tried")
		}
		return fmt.Sprintf("no answer within %g s of CPU time at %s; %d of %d inputs tried, none wrong",
			float64(r.TimeMS)/1000, r.Slow[0], r.Tried, r.Domain)
	case judge.GolfIncorrect:
		words = golfWrongText(r)
	case judge.GolfCorrect:
		words = golfCorrectText(r)
	}
	for _, s := range r.Says {
		words += "; " + s
	}
	return words
}

func golfWrongText(r *judge.GolfChecked) string {
	if r.WrongMany == 0 {
		return "correct, with notes that --strict does not allow"
	}
	of := judge.Quantity(r.Domain, "input")
	if r.Tried < r.Domain {
		of = judge.Quantity(r.Tried, "input") + " tried"
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

func golfCorrectText(r *judge.GolfChecked) string {
	switch {
	case r.Picked:
		return judge.Quantity(r.Tried, "input")
	case r.Quick:
		return fmt.Sprintf("samples and edges, %d of %d inputs, %.1f s", r.Tried, r.Domain, r.WallMS/1000)
	case r.Shuffles > 0:
		return fmt.Sprintf(
			"all %s, shuffled twice + %d fresh calls, %.1f s", judge.Quantity(r.Domain, "input"), r.FreshCalls,
			r.WallMS/1000,
		)
	}
	how := "a process each"
	if r.CrossChecked > 0 {
		how = fmt.Sprintf("forked, %d of them also as processes of their own", r.CrossChecked)
	}
	return fmt.Sprintf("all %s, %s, %.1f s", judge.Quantity(r.Domain, "input"), how, r.WallMS/1000)
}

// GolfCallText describes how the submission was called, including the source of the driver.
func GolfCallText(r *judge.GolfChecked) string {
	var b strings.Builder
	driver := ""
	for _, e := range r.Explain {
		if e.Reason != "" {
			fmt.Fprintf(&b, "tried %s: %s\n", e.How, strings.Split(e.Reason, "\n")[0])
			continue
		}
		fmt.Fprintf(&b, "tried %s: %d of %d samples right\n", e.How, e.Correct, r.Samples)
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
	return sanitize(b.String())
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n    ")
}

// golfTable formats several submissions, one per line.
func golfTable(results []*judge.GolfChecked) string {
	var b strings.Builder
	file, language := 0, 0
	for _, r := range results {
		file, language = max(file, width(r.File)), max(language, width(r.LanguageWithFlags()))
	}
	for _, r := range results {
		fmt.Fprintf(
			&b, "%-10s  %5d  %s  %s  %s\n", r.Verdict, r.Bytes, pad(r.LanguageWithFlags(), language),
			pad(r.File, file), golfReason(r),
		)
	}
	return sanitize(b.String())
}

// GolfWatchLine formats the result for a file that the user saved again, in one line: its size, the change in size,
// the verdict, and the reason for the verdict. Change is zero if the size is the same or the previous size is
// unknown.
func GolfWatchLine(r *judge.GolfChecked, change int) string {
	words, _, _ := strings.Cut(golfVerdictText(r), "\n")
	if len(r.Wrong) > 0 {
		words += fmt.Sprintf("; %s gave %s", r.Wrong[0].In, r.Wrong[0].Gave)
	}
	size := judge.Quantity(r.Bytes, "byte")
	if change != 0 {
		size += fmt.Sprintf(" (%+d)", change)
	}
	return sanitize(fmt.Sprintf("%s  %s  %s  %s\n", r.File, size, r.Verdict, words))
}

// GolfUnreadable reports in one line that a file cannot be read at the moment, for example while an editor saves it.
func GolfUnreadable(file string, err error) string {
	words, _, _ := strings.Cut(err.Error(), "\n")
	return sanitize(file + "  " + words + "\n")
}

// GolfPartial reports the progress of a long check in which the submission has been correct so far.
func GolfPartial(file string, done, total int) string {
	return fmt.Sprintf("%s: RIGHT on %d of %d inputs, the hardest among them; continuing ...\n", file, done, total)
}

// golfReason returns the reason for a verdict in a few words.
func golfReason(r *judge.GolfChecked) string {
	switch {
	case r.Verdict == judge.GolfCannotRun:
		return strings.Split(r.Log, "\n")[0]
	case r.Verdict == judge.GolfIncorrect && r.WrongMany > 0:
		return fmt.Sprintf("%d wrong, e.g. %s", r.WrongMany, r.Wrong[0].In)
	case r.Verdict == judge.GolfTooSlow && len(r.Slow) > 0:
		return "at " + r.Slow[0]
	}
	return r.How
}

// golfPostHeader returns the header line of a post.
func golfPostHeader(r *judge.GolfChecked) string {
	return fmt.Sprintf("# %s, %s", r.LanguageWithFlags(), judge.Quantity(r.Bytes, "byte"))
}

// GolfPost returns the submission as a post for Code Golf.
func GolfPost(r *judge.GolfChecked) string {
	return fmt.Sprintf("%s\n\n%s\n", golfPostHeader(r), indentAll(r.Code))
}

func indentAll(code string) string { return "    " + strings.ReplaceAll(code, "\n", "\n    ") }

// GolfProgress describes the progress, the speed and the remaining time of an exhaustive check.
func GolfProgress(done, total int, passed time.Duration) string {
	words := fmt.Sprintf("%d of %d inputs", done, total)
	if done == 0 || passed < time.Second {
		return words
	}
	rate := float64(done) / passed.Seconds()
	words += fmt.Sprintf(", %.0f a second", rate)
	if left := float64(total-done) / rate; left >= 1 {
		words += fmt.Sprintf(", %v left", time.Duration(left*float64(time.Second)).Round(time.Second))
	}
	return words
}
