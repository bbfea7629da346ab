package golf

import (
	"fmt"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/contests/golf/drivers"
	"assay/judge/internal/pattern"
	"assay/judge/internal/suggest"
	"assay/judge/running/config"
)

// Submission is a golf submission to check.
type Submission struct {
	File     string
	Language *config.Language
	Driver   *drivers.Driver // driver of its language
	Counted  string          // the counted code
	Code     string          // the code to run, which is the counted code with header and footer
	Size
	Claim int // size in bytes that the author claims; zero if there is no claim

	before int // number of bytes of Code before Counted
}

// NewSubmission makes a submission from the content of a file.
func NewSubmission(
	file string, l *config.Language, d *drivers.Driver, data []byte, encoding string, pages map[string]string,
) (*Submission, error) {
	code, size, err := Count(data, encoding, l.Page, pages)
	if err != nil {
		return nil, fmt.Errorf("count %s: %w", file, err)
	}
	return &Submission{File: file, Language: l, Driver: d, Counted: code, Code: code, Size: size}, nil
}

// CountFlags adds the size of the flags to the submission's size, as golf sites did before 2018. The size of the
// flags is the number of bytes by which they lengthen the shortest command line. A flag such as -p counts one
// byte, because its letter can be added to an existing group of letters.
func (a *Submission) CountFlags(flags []string) {
	more := 0
	for _, f := range flags {
		if letters, ok := strings.CutPrefix(f, "-"); ok && !strings.HasPrefix(letters, "-") {
			more += len(letters)
		} else {
			more += len(f) + 1
		}
	}
	if more > 0 {
		a.Bytes, a.Chars = a.Bytes+more, a.Chars+more
		a.Adjusted = append(a.Adjusted, fmt.Sprintf("flags counted as %s", judge.Quantity(more, "byte")))
	}
}

// Wrap surrounds the submission's code with code that is not counted.
func (a *Submission) Wrap(header, footer string) {
	a.Code, a.before = a.Counted, 0
	if header != "" {
		header = strings.TrimRight(header, "\n") + "\n"
		a.Code, a.before = header+a.Code, len(header)
	}
	if footer != "" {
		a.Code += "\n" + strings.TrimRight(footer, "\n")
	}
}

// LanguageOf finds the language named in a post's header. Headers contain more details than judge.toml, such as
// "Python 3.8 (pre-release)", "JavaScript (Node.js)" and "C (gcc)".
func LanguageOf(cfg *config.Config, header string) (*config.Language, bool) {
	header, _, _ = strings.Cut(header, "(")
	words := strings.Fields(header)
	for n := len(words); n > 0; n-- {
		name := strings.Join(words[:n], " ")
		for _, try := range []string{
			name, strings.ReplaceAll(name, " ", ""), minor().ReplaceAllString(name, "$1"),
			version().ReplaceAllString(name, ""),
		} {
			if l, ok := languageNamed(cfg, try); ok {
				return l, true
			}
		}
	}
	return nil, false
}

// minor matches a version with more than one number, as in "Python 2.7".
var minor = pattern.New(`(\d+)\.[\d.]+\+?$`)

// version matches a number at the end of a language's name.
var version = pattern.New(`\s*[\d.]+\+?$`)

func languageNamed(cfg *config.Config, name string) (*config.Language, bool) {
	if l, ok := cfg.Language(name); ok {
		return l, true
	}
	at := slices.IndexFunc(cfg.Languages, func(l *config.Language) bool { return strings.EqualFold(l.Name, name) })
	if at < 0 {
		return nil, false
	}
	return cfg.Languages[at], true
}

// UnknownLanguageError means that the language in a post's header is unknown, or that the header names none.
type UnknownLanguageError struct {
	Name  string
	Known []string
}

func (e *UnknownLanguageError) Error() string {
	what := fmt.Sprintf("unknown language %q", e.Name)
	if e.Name == "" {
		what = "the language is unknown"
	}
	hint := suggest.List(e.Known)
	if near, ok := suggest.Closest(strings.ToLower(e.Name), e.Known); ok {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return what + "\n    " + hint
}
