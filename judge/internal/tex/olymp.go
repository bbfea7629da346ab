package tex

import (
	"fmt"
	"strings"

	"assay/judge/internal/pattern"
)

// olympSections are the commands of Polygon's olymp.sty that are headings, without braces.
var olympSections = map[string]string{
	"InputFile": "Input", "OutputFile": "Output", "Interaction": "Interaction", "Scoring": "Scoring", "Note": "Note", "Notes": "Notes",
	"Explanation": "Explanation", "Explanations": "Explanations", "Illustration": "Illustration", "Constraints": "Constraints",
	"Specification": "Specification", "Input": "Input", "Output": "Output", "Hint": "Hint",
}

// section writes a heading. What is in braces after it is a heading of the statement's own.
func section(title string) act {
	return func(r *reader, s string, i, depth int) int {
		if strings.HasPrefix(s[i:], "{") {
			body, end := group(s, i)
			if text := oneLine(r.inner(body, depth)); text != "" {
				r.write("\n\n## " + text + "\n\n")
				return end
			}
			i = end
		}
		r.write("\n\n## " + Word(r.Language, title) + "\n\n")
		return swallow(s, i, title)
	}
}

// examplesMark stands where the statement has its examples: no text has it.
const examplesMark = "\x00examples\x00"

func (r *reader) examplesHere(s string, i, depth int) int {
	r.write("\n\n" + examplesMark + "\n\n")
	return swallow(s, i, "a")
}

// placed puts the samples where the examples stand, if the statement names none itself.
func (r *reader) placed(text string) string {
	if r.doc.Examples == 0 {
		text = strings.Replace(text, examplesMark, "{{remainingsamples}}", 1)
	}
	return strings.ReplaceAll(text, examplesMark, "")
}

// maxArguments are those of the environment problem: name, input file, output file, time
// limit, memory limit, feedback.
const maxArguments = 6

// problem reads the environment problem of olymp.sty, without its header.
func (r *reader) problem(body string, depth int) {
	at := 0
	for range maxArguments {
		next := at
		for next < len(body) && (body[next] == ' ' || body[next] == '%') {
			if body[next] == '%' {
				next = comment(body, next)
				continue
			}
			next++
		}
		if next >= len(body) || body[next] != '{' {
			break
		}
		_, at = group(body, next)
	}
	r.write("\n\n")
	r.text(body[at:], depth+1)
	r.write("\n\n")
}

// maxExample is how much of an example is shown, in bytes.
const maxExample = 20_000

// exmp reads \exmp{input}{output}{explanation}.
func (r *reader) exmp(s string, i, depth int) int {
	in, i := argument(s, i)
	out, i := argument(s, i)
	note, end := r.explanation(s, i, depth)
	r.example(typedExample(in), typedExample(out), note)
	return end
}

// exmpFile reads \exmpfile{input file}{output file}{explanation}.
func (r *reader) exmpFile(s string, i, depth int) int {
	in, i := argument(s, i)
	out, i := argument(s, i)
	note, end := r.explanation(s, i, depth)
	if r.Read == nil || r.included >= maxIncluded || r.quiet {
		return end
	}
	r.included += 2
	input, err := r.Read(strings.TrimSpace(in))
	if err != nil {
		return end // the samples of the tests are shown instead
	}
	output, err := r.Read(strings.TrimSpace(out))
	if err != nil {
		return end
	}
	r.example(input, output, note)
	return end
}

// explanation reads the third argument of an example, if there is one.
func (r *reader) explanation(s string, i, depth int) (text string, end int) {
	if !strings.HasPrefix(s[i:], "{") {
		return "", i
	}
	body, end := group(s, i)
	return strings.TrimSpace(r.inner(body, depth)), end
}

// example writes an example as the samples of packages are written.
func (r *reader) example(in, out, note string) {
	if r.quiet {
		return
	}
	r.doc.Examples++
	r.write(fmt.Sprintf("\n\n## %s %d\n\n%s:\n\n%s\n\n%s:\n\n%s\n\n", Word(r.Language, "Sample"), r.doc.Examples,
		Word(r.Language, "Input"), fenced(in), Word(r.Language, "Output"), fenced(out)))
	if note != "" {
		r.write(note + "\n\n")
	}
}

// typedExample returns an example that is typed in the statement: \\ ends a line, and a backslash
// precedes characters that are special in LaTeX.
func typedExample(s string) string {
	return typedSigns.Replace(lineEnds().ReplaceAllString(s, "\n"))
}

var typedSigns = strings.NewReplacer(`\_`, "_", `\%`, "%", `\#`, "#", `\&`, "&", `\$`, "$", `\{`, "{", `\}`, "}",
	`\textbackslash{}`, `\`, `\textbackslash`, `\`, `\^{}`, "^", `\~{}`, "~",
	`\textasciitilde{}`, "~", `\textasciitilde`, "~", `~`, " ", `{}`, "")

var lineEnds = pattern.New(`[ \t]*\\\\[ \t]*\n?`)

// fenced returns a text as a block of code.
func fenced(text string) string {
	if len(text) > maxExample {
		text = text[:maxExample] + "\n..."
	}
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.ToValidUTF8(text, "\uFFFD") + "\n" + fence
}
