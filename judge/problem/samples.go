package problem

import (
	"fmt"
	"os"
	"strings"

	"assay/judge/internal/pattern"
	"assay/judge/internal/tex"
)

// MaxSample is how many bytes of a sample's file a statement shows.
const MaxSample = 20_000

// sampleMark says where samples belong in a statement: the next one, or all that are left.
var sampleMark = pattern.New(`\{\{\s*(nextsample|remainingsamples|samples?)\s*\}\}`)

// PlaceSamples puts samples, which are Markdown, in the places of the marks of a statement:
// {{nextsample}} for the next one, {{remainingsamples}}, {{samples}} and {{sample}} for all that
// are left. Those that no mark has room for come at the end. In code a mark is text. It reports
// whether the statement has a mark; without one it is unchanged.
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

// Marked reports whether a statement says where samples belong.
func Marked(text string) bool {
	_, marked := replaceMarks(text, func(string) string { return "" })
	return marked
}

// MarkSamples writes each mark of a statement as mark says, such as "" for none.
func MarkSamples(text string, mark func(mark string) string) string {
	text, _ = replaceMarks(text, mark)
	return text
}

// replaceMarks replaces each mark outside of code, and reports whether there is one.
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

// SampleText is a sample as Markdown, with what is in its files and words of a language. If out is
// empty, it has no output.
func SampleText(language string, number int, in, out string) string {
	text := fmt.Sprintf("## %s %d\n\n%s:\n\n%s", tex.Word(language, "Sample"), number, tex.Word(language, "Input"), in)
	if out != "" {
		text += tex.Word(language, "Output") + ":\n\n" + out
	}
	return text
}

// Fenced is a text as a block of code.
func Fenced(text string) string {
	text = Shortened(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence + "\n\n"
}

// Shortened is the text of a file as a statement shows it: without the end of one that is too long.
func Shortened(text string) string {
	text = strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if len(text) > MaxSample {
		text = text[:MaxSample] + "\n..."
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Samples are the sample cases as Markdown, in judging order, with words of a language.
func (f *Folder) Samples(language string) (all []string) {
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

// SampleCases reads the sample cases in judging order. In the place of a file that cannot be read
// stands the reason.
func (f *Folder) SampleCases() (all []SampleCase) {
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
			if c.Ans != "" && !f.Kind.Interactive && !f.Kind.MultiPass { // otherwise it is no output
				one.Out = read(c.Ans)
			}
			all = append(all, one)
		}
	}
	return all
}
