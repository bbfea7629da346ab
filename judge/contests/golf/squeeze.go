package golf

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Squeezed is what came of squeezing an answer.
type Squeezed struct {
	First *Result // of the answer as it was
	Code  string  // the shortest text that was proved
	Bytes int
	Steps []Step
}

// Step is one rewrite that was kept.
type Step struct {
	What  string
	Bytes int // afterwards
}

// Squeeze makes a right answer shorter by rewrites that know nothing of its language
// but how a comment starts: blanks, comments, empty lines, indentation, and names of
// one letter. A rewrite that breaks the answer does no harm, for the answer is proved
// again after each, on the quick inputs and then on all. Found is told of each that
// is kept.
func (r *Range) Squeeze(ctx context.Context, a *Answer, o Options, found func(Step)) (*Squeezed, error) {
	first, err := r.Prove(ctx, a, o)
	if err != nil {
		return nil, err
	}
	s := &squeezer{stage: r, answer: a, o: o, found: found, Squeezed: Squeezed{First: first, Code: a.Counted, Bytes: a.Bytes}}
	if first.Verdict != Right || first.Quick || first.Picked {
		return &s.Squeezed, nil
	}
	if first.found.function {
		s.o.As, s.o.Call = "function", first.found.form
	} else {
		s.o.As, s.o.In = "program", first.found.input.name
	}
	for _, rewrite := range rewrites(a.Driver.Comment) {
		if err := s.lines(ctx, rewrite); err != nil {
			return nil, err
		}
	}
	return &s.Squeezed, s.names(ctx)
}

type squeezer struct {
	stage  *Range
	answer *Answer
	o      Options
	found  func(Step)
	Squeezed
}

// try proves a text, and keeps it if it is right and shorter.
func (s *squeezer) try(ctx context.Context, what, code string) (bool, error) {
	if len(code) >= len(s.Code) || strings.TrimSpace(code) == "" {
		return false, nil
	}
	a := *s.answer
	header, footer, around := strings.Cut(a.Code, a.Counted)
	a.Counted = code
	if a.Code = code; around {
		a.Code = header + code + footer
	}
	for _, quick := range []bool{true, false} {
		o := s.o
		o.Quick = quick
		r, err := s.stage.Prove(ctx, &a, o)
		if err != nil {
			return false, err
		}
		if r.Verdict != Right || len(r.Notes) > len(s.First.Notes) {
			return false, nil
		}
	}
	s.Bytes -= len(s.Code) - len(code)
	s.Code = code
	step := Step{what, s.Bytes}
	s.Steps = append(s.Steps, step)
	s.found(step)
	return true, nil
}

// lineRewrite changes one line; one that it drops is "\x00".
type lineRewrite struct {
	what string
	line func(line string) string
}

const dropped = "\x00"

var (
	trailing   = regexp.MustCompile(`[ \t]+$`)
	indent4    = regexp.MustCompile(`^(?:    |\t)+`)
	identifier = regexp.MustCompile(`[A-Za-z_]\w+`)
)

func rewrites(comment string) []lineRewrite {
	list := []lineRewrite{{"blanks at line ends", func(l string) string { return trailing.ReplaceAllString(l, "") }}}
	if comment != "" {
		list = append(list, lineRewrite{"comments", func(l string) string {
			at := strings.LastIndex(l, comment)
			if at < 0 {
				return l
			}
			if l = trailing.ReplaceAllString(l[:at], ""); l == "" {
				return dropped
			}
			return l
		}})
	}
	return append(list,
		lineRewrite{"empty lines", func(l string) string {
			if strings.TrimSpace(l) == "" {
				return dropped
			}
			return l
		}},
		lineRewrite{"indentation", func(l string) string {
			return indent4.ReplaceAllStringFunc(l, func(m string) string {
				return strings.Repeat(" ", strings.Count(m, "    ")+strings.Count(m, "\t"))
			})
		}},
		lineRewrite{"blanks at line starts", func(l string) string { return strings.TrimLeft(l, " \t") }},
		lineRewrite{"blanks", squash})
}

// squash takes blanks out that stand beside punctuation.
func squash(line string) string {
	word := func(c rune) bool {
		return c == '_' || c >= utf8.RuneSelf || 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
	}
	var out []rune
	body := []rune(line)
	for k, c := range body {
		blank := c == ' ' || c == '\t'
		leading := strings.TrimSpace(string(body[:k])) == ""
		if blank && !leading && k+1 < len(body) {
			before, after := out[len(out)-1], body[k+1]
			if !word(before) || !word(after) {
				continue
			}
		}
		out = append(out, c)
	}
	return string(out)
}

// lines applies a rewrite to all lines at once, or where that is wrong, to each.
func (s *squeezer) lines(ctx context.Context, rewrite lineRewrite) error {
	apply := func(only int) string {
		var out []string
		for k, line := range strings.Split(s.Code, "\n") {
			if only < 0 || only == k {
				line = rewrite.line(line)
			}
			if line != dropped {
				out = append(out, line)
			}
		}
		return strings.Join(out, "\n")
	}
	if kept, err := s.try(ctx, rewrite.what, apply(-1)); kept || err != nil {
		return err
	}
	for k := strings.Count(s.Code, "\n"); k >= 0; k-- {
		if _, err := s.try(ctx, fmt.Sprintf("%s, line %d", rewrite.what, k+1), apply(k)); err != nil {
			return err
		}
	}
	return nil
}

// maxRenames bounds how many names are tried.
const maxRenames = 40

// names gives each longer name a letter that the text does not have, the names that
// save most first.
func (s *squeezer) names(ctx context.Context) error {
	count := map[string]int{}
	for _, name := range identifier.FindAllString(s.Code, -1) {
		count[name]++
	}
	var all []string
	for name := range count {
		all = append(all, name)
	}
	slices.SortFunc(all, func(a, b string) int {
		if d := count[b]*(len(b)-1) - count[a]*(len(a)-1); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for _, name := range all[:min(len(all), maxRenames)] {
		letter := freeLetter(s.Code)
		if letter == "" {
			return nil
		}
		whole := regexp.MustCompile(`\b` + name + `\b`)
		if _, err := s.try(ctx, name+" is "+letter, whole.ReplaceAllString(s.Code, letter)); err != nil {
			return err
		}
	}
	return nil
}

// freeLetter is a letter that no name of the text is, "" if there is none.
func freeLetter(code string) string {
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		if !regexp.MustCompile(`\b` + string(c) + `\b`).MatchString(code) {
			return string(c)
		}
	}
	return ""
}
