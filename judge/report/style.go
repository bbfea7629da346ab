package report

import (
	"fmt"

	"assay/judge"

	"github.com/fatih/color"
)

// attribute is a color or style of text on the terminal.
type attribute = color.Attribute

// A verdictLook is how a verdict is displayed. Its words are judge.Verdict.Words.
type verdictLook struct {
	attrs []attribute // on the terminal
	class string      // of the page's style sheet
	mark  string      // one character, for a grid of many cases; unique for each verdict
}

// verdictLooks contains the look of every verdict.
var verdictLooks = map[judge.Verdict]verdictLook{
	judge.NotJudged:     {[]attribute{color.Faint}, "none", " "},
	judge.Accepted:      {[]attribute{color.FgGreen}, "ac", "."},
	judge.Skipped:       {[]attribute{color.Faint}, "sk", "-"},
	judge.WrongAnswer:   {[]attribute{color.FgRed}, "wa", "W"},
	judge.RunTimeError:  {[]attribute{color.FgMagenta}, "rte", "R"},
	judge.OutputLimit:   {[]attribute{color.FgBlue}, "ole", "O"},
	judge.MemoryLimit:   {[]attribute{color.FgCyan}, "mle", "M"},
	judge.TimeLimit:     {[]attribute{color.FgYellow}, "tle", "T"},
	judge.IdlenessLimit: {[]attribute{color.FgYellow, color.Faint}, "ile", "I"},
	judge.CompileError:  {[]attribute{color.FgMagenta, color.Bold}, "ce", "C"},
	judge.JudgeError:    {[]attribute{color.FgWhite, color.BgRed}, "je", "J"},
}

// lookOf returns the look of a verdict, even of an unknown one.
func lookOf(v judge.Verdict) verdictLook {
	if l, ok := verdictLooks[v]; ok {
		return l
	}
	return verdictLook{[]attribute{color.Bold}, "none", "?"}
}

// verdictCode returns the abbreviation of a verdict, such as "WA". For NotJudged, it is "--".
func verdictCode(v judge.Verdict) string {
	if v == judge.NotJudged {
		return "--"
	}
	return sanitizeLine(string(v))
}

// Styles for the terminal that do not belong to a verdict.
var (
	bold          = []attribute{color.Bold}
	faint         = []attribute{color.Faint}
	expectedStyle = []attribute{color.FgGreen}
	outputStyle   = []attribute{color.FgRed}
	warningStyle  = []attribute{color.FgYellow}
)

// paint colors texts if it is true.
type paint bool

func (p paint) style(attrs []attribute, text string) string {
	if !p || len(attrs) == 0 || text == "" {
		return text
	}
	c := color.New(attrs...)
	c.EnableColor() // otherwise the library would examine standard output
	return c.Sprint(text)
}

// highlight highlights the part of a line that differs, in the line's own color.
func (p paint) highlight(attrs []attribute, text string) string {
	return p.style(append(append([]attribute{}, attrs...), color.ReverseVideo), text)
}

// verdict paints a verdict's code or words.
func (p paint) verdict(v judge.Verdict, text string) string {
	return p.style(lookOf(v).attrs, text)
}

// UseColor reports whether to use colors. The mode is "auto", "always" or "never". In the mode "auto", colors are
// used on a terminal if noColor, the value of NO_COLOR, is empty.
func UseColor(mode string, terminal bool, noColor string) (bool, error) {
	switch mode {
	case "always":
		return true, nil
	case "never":
		return false, nil
	case "auto", "":
		return terminal && noColor == "", nil
	}
	return false, fmt.Errorf("color %q is not known: want auto, always or never", mode)
}

// VerdictClass returns the CSS class of a verdict in the style sheet that Style returns.
func VerdictClass(v judge.Verdict) string { return lookOf(v).class }

// VerdictMark returns the character for a verdict in the case grid of HTML.
func VerdictMark(v judge.Verdict) string { return lookOf(v).mark }

// EscapeText makes an untrusted text safe to display. It replaces unprintable characters with \xNN.
func EscapeText(text string) string { return sanitize(text) }
