package tex

import (
	"fmt"
	"strconv"
	"strings"

	"assay/judge/internal/pattern"
)

// floats maps the environments with numbered captions to the word before the number.
var floats = map[string]string{
	"figure": "Figure", "wrapfigure": "Figure", "SCfigure": "Figure", "sidewaysfigure": "Figure",
	"floatingfigure": "Figure", "marginfigure": "Figure", "floatrow": "Figure",
	"table": "Table", "wraptable": "Table", "sidewaystable": "Table",
}

// references contains the commands that refer to a label. The map value is true if the command also writes the
// kind of the float, as in "Figure 1".
var references = map[string]bool{
	"ref": false, "subref": false, "autoref": true, "cref": true, "Cref": true, "vref": false,
	"pageref": false, "eqref": false, "nameref": false,
}

// numbers contains the caption numbers, labels and references of a statement.
type numbers struct {
	last    map[string]int   // last number of each kind
	parts   int              // captions of parts in the current float
	current float            // last caption of the current float
	labels  map[string]float // floats and items by label
	waiting []string         // labels whose caption has not appeared yet
	refs    []labelReference // in order of appearance
}

// A float is a numbered caption, or an item of a numbered list. The number of part b of figure 2 is 2b.
type float struct{ kind, number string }

// labelReference is a reference to a label.
type labelReference struct {
	label, file string
	line        int
	withKind    bool
}

// captionNumber and referenceMark match marks for text that is known only at the end. These marks cannot appear in
// other text.
var (
	captionNumber = pattern.New("\x00number (\\w+) (\\w+)\x00")
	referenceMark = pattern.New("\x00reference (\\d+)\x00")
)

// numbered assigns the next number to a caption.
func (r *reader) numbered(caption string, starred bool) string {
	if r.kind == "" || starred || r.quiet {
		return caption
	}
	n := &r.numbers
	if n.last == nil {
		n.last = map[string]int{}
	}
	if r.part {
		letter := string(rune('a' + n.parts%26))
		n.current = float{r.kind, strconv.Itoa(n.last[r.kind]+1) + letter}
		n.parts++
	} else {
		n.last[r.kind]++
		n.current = float{r.kind, strconv.Itoa(n.last[r.kind])}
		n.parts = 0
	}
	for _, name := range n.waiting {
		n.add(name, n.current)
	}
	n.waiting = nil
	return fmt.Sprintf("\x00number %s %s\x00", n.current.kind, n.current.number) + caption
}

// enter begins a float. It does nothing if kind is empty.
func (r *reader) enter(kind string) {
	if kind != "" && r.kind == "" {
		r.kind = kind
		r.numbers.current, r.numbers.waiting, r.numbers.parts = float{}, nil, 0
	}
}

// label reads \label{name}. It assigns the name to the caption of the current float. If the float has no caption
// yet, label assigns the name to the next caption. Outside of floats, it assigns the name to the current item of a numbered
// list.
func (r *reader) label(s string, i, depth int) int {
	name, end := argument(s, i)
	name = strings.TrimSpace(name)
	switch n := &r.numbers; {
	case r.quiet:
	case r.kind == "" && r.items != nil && *r.items > 0:
		n.add(name, float{"item", strconv.Itoa(*r.items)})
	case r.kind == "":
	case n.current.number == "":
		n.waiting = append(n.waiting, name)
	default:
		n.add(name, n.current)
	}
	return end
}

func (n *numbers) add(label string, f float) {
	if n.labels == nil {
		n.labels = map[string]float{}
	}
	n.labels[label] = f
}

// reference reads \ref{name} and the like.
func reference(withKind bool) action {
	return func(r *reader, s string, i, depth int) int {
		name, end := argument(s, i)
		ref := labelReference{label: strings.TrimSpace(name), withKind: withKind}
		if r.quiet || ref.label == "" {
			return end
		}
		ref.file, ref.line = r.place("{" + name + "}")
		r.write(fmt.Sprintf("\x00reference %d\x00", len(r.numbers.refs)))
		r.numbers.refs = append(r.numbers.refs, ref)
		return end
	}
}

// resolveReferences replaces the marks of references by numbers. It also writes the numbers of captions that the text
// refers to.
func (r *reader) resolveReferences(text string) string {
	wanted := map[float]bool{}
	for _, ref := range r.numbers.refs {
		found := r.numbers.labels[ref.label]
		wanted[found] = true
		wanted[float{found.kind, digits(found.number)}] = true
	}
	text = captionNumber().ReplaceAllStringFunc(text, func(mark string) string {
		found := captionNumber().FindStringSubmatch(mark)
		number := digits(found[2])
		switch {
		case !wanted[float{found[1], found[2]}]:
			return ""
		case number != found[2]:
			return "(" + found[2][len(number):] + ") "
		}
		return Word(r.Language, found[1]) + " " + number + ": "
	})
	return referenceMark().ReplaceAllStringFunc(text, func(mark string) string {
		k, err := strconv.Atoi(referenceMark().FindStringSubmatch(mark)[1])
		if err != nil || k >= len(r.numbers.refs) {
			return ""
		}
		ref := r.numbers.refs[k]
		found, ok := r.numbers.labels[ref.label]
		switch {
		case !ok && len(r.doc.Warnings) < maxWarnings:
			r.doc.Warnings = append(r.doc.Warnings, Warning{File: ref.file, Line: ref.line,
				Text: fmt.Sprintf("what \\label{%s} stands for is not known: ?? is shown", ref.label),
				Hint: "refer to a figure or a table with a caption, or to a numbered item, or write what is meant"})
			return "??"
		case !ok:
			return "??"
		case ref.withKind:
			return Word(r.Language, found.kind) + " " + found.number
		}
		return found.number
	})
}

// digits returns a float number without the letter of the part.
func digits(number string) string { return strings.TrimRight(number, "abcdefghijklmnopqrstuvwxyz") }

// breakMark marks a line break in a paragraph. It cannot appear in other text.
const breakMark = "\x00break\x00"

// breaksAround matches white space and line breaks at both ends of a text.
var breaksAround = pattern.New(`^(?:\s|` + breakMark + `)+|(?:\s|` + breakMark + `)+$`)

// oneLine joins a piece of Markdown into one line.
func oneLine(markdown string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(markdown, breakMark, " ")), " ")
}

// broken replaces line break marks by Markdown line breaks. It removes the marks at the end of a paragraph.
func broken(text string) string {
	if !strings.Contains(text, breakMark) {
		return text
	}
	lines := strings.Split(text, "\n")
	for k, line := range lines {
		before, last := strings.CutSuffix(strings.TrimRight(line, " "), breakMark)
		line = strings.TrimRight(strings.ReplaceAll(before, breakMark, " "), " ")
		if last && strings.Trim(line, "> ") != "" && k+1 < len(lines) &&
			strings.Trim(strings.ReplaceAll(lines[k+1], breakMark, ""), "> ") != "" {
			line += `\`
		}
		lines[k] = line
	}
	return strings.Join(lines, "\n")
}
