package problem

import (
	"fmt"
	"os"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/suggest"
	"assay/judge/internal/tex"
)

// MaxSample is the maximum number of bytes of a sample file that a statement shows.
const MaxSample = 20_000

// sampleMark matches a mark for samples in a statement: for the next one, or for all remaining ones.
var sampleMark = pattern.New(`\{\{\s*(nextsample|remainingsamples|samples?)\s*\}\}`)

// anyMark matches what looks like a mark.
var anyMark = pattern.New(`\{\{\s*([A-Za-z_]{4,})\s*\}\}`)

// MisspelledMarks returns a warning for each mark of a statement that is similar to a mark for samples but
// misspelled.
func MisspelledMarks(file string) (warnings judge.ProblemErrors) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil // Lint has reported it
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		for _, m := range anyMark().FindAllStringSubmatch(line, -1) {
			meant, near := suggest.Closest(m[1], []string{"sample", "nextsample", "remainingsamples"})
			if near && !sampleMark().MatchString(m[0]) {
				warnings = append(warnings, &judge.ProblemError{File: file, Line: n, Hint: fmt.Sprintf("did you mean {{%s}}?", meant),
					Text: fmt.Sprintf("no samples are placed at {{%s}}, which is no mark", m[1])})
			}
		}
	}
	return warnings
}

// PlaceSamples inserts samples, which are Markdown, at the marks of a statement: {{nextsample}} for the next one,
// and {{remainingsamples}}, {{samples}} or {{sample}} for all remaining ones. Samples without a mark come at the
// end. Marks in code are plain text. PlaceSamples reports whether the statement contains a mark. Without one, the
// statement is unchanged.
func PlaceSamples(text string, samples []string) (string, bool) {
	next := 0
	text, marked := replaceMarks(text, func(mark string) string {
		n := len(samples)
		if mark == "nextsample" {
			n = min(next+1, n)
		}
		placed := strings.Join(samples[next:n], "")
		next = n
		return placed
	})
	if rest := samples[next:]; marked && len(rest) > 0 {
		text += "\n\n" + strings.Join(rest, "")
	}
	return text, marked
}

// Marked reports whether a statement contains a mark for samples.
func Marked(text string) bool {
	_, marked := replaceMarks(text, func(string) string { return "" })
	return marked
}

// MarkSamples replaces each mark of a statement by mark's result, which may be empty.
func MarkSamples(text string, mark func(mark string) string) string {
	text, _ = replaceMarks(text, mark)
	return text
}

// replaceMarks replaces each mark outside code, and reports whether there is one.
func replaceMarks(text string, with func(mark string) string) (string, bool) {
	if !sampleMark().MatchString(text) {
		return text, false
	}
	var b strings.Builder
	fence, marked := "", false
	for line := range strings.Lines(text) {
		start := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(start, fence) && strings.Trim(start, fence[:1]) == "" {
				fence = ""
			}
		case strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~"):
			fence = start[:len(start)-len(strings.TrimLeft(start, start[:1]))]
		default:
			at := 0
			for _, m := range sampleMark().FindAllStringSubmatchIndex(line, -1) {
				if strings.Count(line[:m[0]], "`")%2 == 1 && strings.Contains(line[m[1]:], "`") {
					continue // code
				}
				marked = true
				before, after := line[at:m[0]], line[m[1]:]
				b.WriteString(before)
				placed := with(line[m[2]:m[3]])
				if strings.TrimSpace(line[:m[0]]) != "" && placed != "" {
					placed = "\n\n" + placed
				}
				if strings.TrimSpace(after) != "" && placed != "" {
					placed = strings.TrimRight(placed, "\n") + "\n\n"
				}
				b.WriteString(placed)
				at = m[1]
			}
			b.WriteString(line[at:])
			continue
		}
		b.WriteString(line)
	}
	return b.String(), marked
}

// SampleText returns a sample as Markdown, with the texts of its files and headings in a language. If out is
// empty, the sample has no output.
func SampleText(language string, number int, in, out string) string {
	text := fmt.Sprintf("## %s %d\n\n%s:\n\n%s", tex.Word(language, "Sample"), number, tex.Word(language, "Input"), in)
	if out != "" {
		text += tex.Word(language, "Output") + ":\n\n" + out
	}
	return text
}

// Fenced returns a text as a block of code.
func Fenced(text string) string {
	text = Shortened(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence + "\n\n"
}

// Shortened returns a file's text for a statement. It cuts the end of a long text.
func Shortened(text string) string {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if len(text) > MaxSample {
		text = text[:MaxSample] + "\n..."
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Samples returns the sample cases as Markdown, in judging order, with headings in a language.
func (f *Directory) Samples(language string) (all []string) {
	for _, s := range f.SampleCases() {
		out := ""
		if s.Out != "" {
			out = Fenced(s.Out)
		}
		all = append(all, SampleText(language, len(all)+1, Fenced(s.In), out))
	}
	return all
}

// A SampleCase is the text of a sample. If Out is empty, it has no output.
type SampleCase struct{ In, Out string }

// SampleCases reads the sample cases in judging order. If a file cannot be read, its text is the reason.
func (f *Directory) SampleCases() (all []SampleCase) {
	read := func(file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Sprintf("(%s: %s)", file, Reason(err))
		}
		return string(data)
	}
	for _, g := range f.Groups {
		if g.Name != Sample && !strings.HasPrefix(g.Name, Sample+"/") {
			continue
		}
		for _, c := range g.Cases {
			one := SampleCase{In: read(c.In)}
			if c.Ans != "" && !f.Kind.Interactive && !f.Kind.MultiPass { // otherwise the file is not an output
				one.Out = read(c.Ans)
			}
			all = append(all, one)
		}
	}
	return all
}
