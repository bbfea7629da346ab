package tex

import (
	"fmt"
	"strings"

	"assay/judge/internal/pattern"
)

// olympSections maps the heading commands of Polygon's olymp.sty that take no braces to their headings.
var olympSections = map[string]string{
	"InputFile": "Input", "OutputFile": "Output", "Interaction": "Interaction", "Scoring": "Scoring", "Note": "Note", "Notes": "Notes",
	"Explanation": "Explanation", "Explanations": "Explanations", "Illustration": "Illustration", "Constraints": "Constraints",
	"Specification": "Specification", "Input": "Input", "Output": "Output", "Hint": "Hint",
}

// section writes a heading. If an argument in braces follows, it replaces the default title.
func section(title string) action {
	return func(r *reader, s string, i, depth int) int {
		if strings.HasPrefix(s[i:], "{") {
			body, end := group(s, i)
			if text := oneLine(r.convert(body, depth)); text != "" {
				r.write("\n\n## " + text + "\n\n")
				return end
			}
			i = end
		}
		r.write("\n\n## " + Word(r.Language, title) + "\n\n")
		return swallow(s, i, title)
	}
}

// examplesMark marks the position of the examples in the output. It cannot appear in other text.
const examplesMark = "\x00examples\x00"

func (r *reader) examplesHere(s string, i, depth int) int {
	r.write("\n\n" + examplesMark + "\n\n")
	return swallow(s, i, "a")
}

// placed inserts the samples at the position of the examples, unless the statement contains examples itself.
func (r *reader) placed(text string) string {
	if r.doc.Examples == 0 {
		text = strings.Replace(text, examplesMark, "{{remainingsamples}}", 1)
	}
	return strings.ReplaceAll(text, examplesMark, "")
}

// maxArguments is the maximum number of arguments of the `problem` environment: name, input file, output file,
// time limit, memory limit, feedback.
const maxArguments = 6

// problem reads the `problem` environment of olymp.sty, and omits its header.
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

// maxExample is the maximum size of a displayed example, in bytes.
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
		return end // fall back to the samples of the problem
	}
	output, err := r.Read(strings.TrimSpace(out))
	if err != nil {
		return end
	}
	r.example(input, output, note)
	return end
}

// explanation reads the optional third argument of an example.
func (r *reader) explanation(s string, i, depth int) (text string, end int) {
	if !strings.HasPrefix(s[i:], "{") {
		return "", i
	}
	body, end := group(s, i)
	return strings.TrimSpace(r.convert(body, depth)), end
}

// example writes an example in the same form as the samples of a package.
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

// typedExample returns the text of an example that the statement contains. In its source, \\ ends a line, and a
// backslash escapes characters that are special in LaTeX.
func typedExample(s string) string {
	return typedSigns.Replace(lineEnds().ReplaceAllString(s, "\n"))
}

var typedSigns = strings.NewReplacer(`\_`, "_", `\%`, "%", `\#`, "#", `\&`, "&", `\$`, "$", `\{`, "{", `\}`, "}",
	`\textbackslash{}`, `\`, `\textbackslash`, `\`, `\^{}`, "^", `\~{}`, "~",
	`\textasciitilde{}`, "~", `\textasciitilde`, "~", `~`, " ", `{}`, "")

var lineEnds = pattern.New(`[ \t]*\\\\[ \t]*\n?`)

// fenced returns a text as a fenced code block.
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
