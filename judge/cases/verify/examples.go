package verify

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/internal/example"
	"assay/judge/problem"
)

// largestShown is the maximum size, in bytes, of a sample file that is compared with examples in statements.
// Examples in statements are shorter.
const largestShown = 1 << 20

// sampleCase is a sample with the texts that contestants see.
type sampleCase struct {
	*judge.Case
	in, ans         []string // texts of the case, and texts that a statement shows instead
	inPath, ansPath string
}

// examples compares every example in a statement with the sample cases. In problems whose programs interact or run
// several times, examples are dialogues and are not compared.
func (v *Verifier) examples(ctx context.Context) (n int, faults judge.ProblemErrors, err error) {
	if v.Directory.Kind.Interactive || v.Directory.Kind.MultiPass {
		return 0, nil, nil
	}
	samples := v.samples()
	files := slices.Compact(append([]string{v.Directory.Statement()}, slices.Sorted(maps.Values(v.Directory.Statements()))...))
	if v.Directory.Package != nil {
		files = v.Directory.Package.StatementFiles()
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // Lint has reported it
		}
		var found []example.Example
		switch strings.ToLower(filepath.Ext(file)) {
		case ".md", ".markdown", ".html", ".htm":
			found = example.Find(string(data))
		case ".tex":
			found = example.FindLaTeX(string(data))
		}
		for _, e := range found {
			e, places, fault := v.load(file, e)
			if fault == nil {
				same := samplesWithInput(samples, e.Input.Equals)
				if len(same) == 0 {
					same = samplesWithInput(samples, e.Input.Abbreviates)
				}
				if len(same) > 0 {
					fault, err = v.example(ctx, e, places, same)
				} else if fault = unknownExample(e, places, samples); fault == nil {
					continue // the text may be something other than an example
				}
				if err != nil {
					return n, faults, err
				}
			}
			if n++; fault != nil {
				faults = append(faults, fault)
			}
		}
	}
	return n, faults, nil
}

// samples reads the sample cases.
func (v *Verifier) samples() (samples []sampleCase) {
	texts := func(path string) (texts []string) {
		for _, path := range []string{path, path + ".statement"} { // packages show the .statement file instead
			if info, err := os.Stat(path); err == nil && info.Size() <= largestShown {
				if data, err := os.ReadFile(path); err == nil {
					texts = append(texts, string(data))
				}
			}
		}
		return texts
	}
	for c := range v.cases {
		if c.Group == problem.Sample || strings.HasPrefix(c.Group, problem.Sample+"/") {
			samples = append(samples, sampleCase{Case: c, in: texts(c.In), ans: texts(c.Ans), inPath: c.In, ansPath: c.Ans})
		}
	}
	return samples
}

// equalSamples finds samples with the same input as an earlier one. In problems whose programs interact or run
// several times, samples are dialogues, which may differ.
func (v *Verifier) equalSamples(context.Context) (n int, warnings judge.ProblemErrors, err error) {
	if v.Directory.Kind.Interactive || v.Directory.Kind.MultiPass {
		return 0, nil, nil
	}
	first := map[string]sampleCase{}
	for _, s := range v.samples() {
		if len(s.in) == 0 {
			continue // the file is too large to compare
		}
		words := []any{fmt.Sprintf("%q %q", strings.Fields(s.in[0]), s.Args)}
		for _, f := range s.Files {
			sum, err := v.Cache.hash(f.Path)
			if err != nil {
				return n, warnings, err
			}
			words = append(words, f.Name, sum)
		}
		key := digest(words...)
		other, again := first[key]
		if !again {
			first[key] = s
			continue
		}
		text := "sample cases %s and %s have the same input"
		if s.in[0] != other.in[0] {
			text = "the inputs of sample cases %s and %s differ only in white space"
		}
		warnings = append(warnings, v.Directory.CaseFault(s.Case, fmt.Sprintf(text, other.ID(), s.ID()), "remove one of them"))
	}
	return len(warnings), warnings, nil
}

// exampleFiles holds the files that contain the two texts of an example.
type exampleFiles struct{ in, out string }

// load reads the files that an example names.
func (v *Verifier) load(statement string, e example.Example) (example.Example, exampleFiles, *judge.ProblemError) {
	at := exampleFiles{statement, statement}
	for _, part := range []struct {
		text *example.Text
		to   *string
	}{{&e.Input, &at.in}, {&e.Output, &at.out}} {
		name := filepath.FromSlash(part.text.File)
		if name == "" {
			continue
		}
		path := filepath.Join(filepath.Dir(statement), name)
		if !filepath.IsLocal(name) {
			return e, at, &judge.ProblemError{File: statement, Line: part.text.Line, Hint: "name a file beside the statement",
				Text: fmt.Sprintf("the example names %s, which is outside the statement's directory", part.text.File)}
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return e, at, &judge.ProblemError{File: statement, Line: part.text.Line, Hint: "add the file beside the statement",
				Text: fmt.Sprintf("the example names %s: %s", part.text.File, problem.Reason(err))}
		}
		*part.text, *part.to = example.Text{Text: string(data[:min(len(data), largestShown)]), Line: 1}, path
	}
	return e, at, nil
}

// example returns a fault unless the checker accepts the example's output for at least one of the samples with the
// same input.
func (v *Verifier) example(ctx context.Context, e example.Example, files exampleFiles, same []sampleCase) (*judge.ProblemError, error) {
	var why string
	for _, s := range same {
		if slices.ContainsFunc(s.ans, e.Output.Equals) || slices.ContainsFunc(s.ans, e.Output.Abbreviates) {
			return nil, nil
		}
		if slices.ContainsFunc(e.OtherBlocks, func(t example.Text) bool { return slices.ContainsFunc(s.ans, t.Equals) }) {
			return nil, nil // the preceding block was not an output
		}
		for _, out := range []string{e.Output.Text, e.Output.Raw} {
			if out == "" && e.Output.Text != "" {
				continue
			}
			o, err := v.judgeAlone(ctx, s.Case, []byte(strings.Trim(out, "\n")+"\n"))
			if _, broken := errors.AsType[*judge.ProblemError](err); broken {
				return nil, nil // another check reports checker errors
			}
			if err != nil || o.Verdict == judge.Accepted {
				return nil, err
			}
			if why == "" {
				why = outcomeText(o)
			}
		}
	}
	s := same[0]
	if len(s.ans) == 0 {
		return nil, nil
	}
	line, shown, want := e.Output.FirstDifference(s.ans[len(s.ans)-1])
	return &judge.ProblemError{File: files.out, Line: lineOf(e.Output, line),
		Text: fmt.Sprintf("the example's output is not accepted for sample case %s: %s", s.ID(), why),
		Hint: fmt.Sprintf("correct the statement or %s:%d\n%s", s.ansPath, line+1, showLines(shown, want))}, nil
}

// samplesWithInput returns the samples that have an input for which the function `is` returns true.
func samplesWithInput(samples []sampleCase, match func(string) bool) (found []sampleCase) {
	for _, s := range samples {
		if slices.ContainsFunc(s.in, match) {
			found = append(found, s)
		}
	}
	return found
}

// unknownExample returns the fault for an example whose input does not match any sample. It returns nil if the statement
// does not clearly mark the text as an example.
func unknownExample(e example.Example, files exampleFiles, samples []sampleCase) *judge.ProblemError {
	nearest := mostSimilar(e.Input, samples)
	switch {
	case e.Input.Abbreviated(), e.Certainty == example.Loose:
		return nil
	case e.Certainty == example.Paired && !resemblesInput(e.Input, samples) && nearest == nil:
		return nil
	}
	f := &judge.ProblemError{File: files.in, Line: lineOf(e.Input, 0), Text: "the example's input is the input of no sample case",
		Hint: "add it as a sample case, or correct it"}
	if nearest != nil {
		line, shown, want := e.Input.FirstDifference(nearest.in[len(nearest.in)-1])
		f.Line = lineOf(e.Input, line)
		f.Hint += fmt.Sprintf("; the nearest one is %s:%d\n%s", nearest.inPath, line+1, showLines(shown, want))
	}
	return f
}

// lineOf converts a line number in a text to a line number in the statement. If the text is a table cell, all its
// lines are on one line of the statement.
func lineOf(t example.Text, line int) int {
	if t.Cell {
		return t.Line
	}
	for _, l := range strings.Split(t.Text, "\n") { // skips empty lines at the start
		if strings.TrimSpace(l) != "" {
			break
		}
		line++
	}
	return t.Line + min(line, strings.Count(strings.TrimRight(t.Text, "\n"), "\n"))
}

// showLines shows a line of a statement next to a line of a file.
func showLines(shown, want string) string {
	cut := func(s string) string {
		if r := []rune(s); len(r) > lineShown {
			s = string(r[:lineShown]) + "…"
		}
		return strconv.Quote(s)
	}
	return fmt.Sprintf("statement: %s\nfile:      %s", cut(shown), cut(want))
}

// mostSimilar returns the sample whose input is most similar to a text. It returns nil if no sample shares more than
// half of its lines or words.
func mostSimilar(t example.Text, samples []sampleCase) (best *sampleCase) {
	most := 0.5
	for i := range samples {
		for _, in := range samples[i].in {
			share := max(
				similarity(strings.Split(t.Text, "\n"), strings.Split(in, "\n")),
				similarity(strings.Fields(t.Text), strings.Fields(in)),
			)
			if share > most || share == most && best == nil {
				best, most = &samples[i], share
			}
		}
	}
	return best
}

// similarity returns the number of equal pieces at equal positions in two texts, divided by the length of the longer
// text.
func similarity(a, b []string) float64 {
	n := 0
	for k := range min(len(a), len(b)) {
		if strings.TrimSpace(a[k]) == strings.TrimSpace(b[k]) {
			n++
		}
	}
	return float64(n) / float64(max(len(a), len(b), 1))
}

// resemblesInput reports whether all words of a text are numbers or words in the samples' inputs.
func resemblesInput(t example.Text, samples []sampleCase) bool {
	known := map[string]bool{}
	for _, s := range samples {
		for _, in := range s.in {
			for _, w := range strings.Fields(in) {
				known[w] = true
			}
		}
	}
	for _, w := range strings.Fields(t.Text) {
		if _, err := strconv.ParseFloat(w, 64); err != nil && !known[w] {
			return false
		}
	}
	return true
}
