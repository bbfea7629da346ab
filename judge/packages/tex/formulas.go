package tex

import (
	"regexp"
	"strings"
)

// inMarkdown finds code, which is left alone, and formulas. A dollar that a digit
// follows on both sides of the text is money.
var inMarkdown = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`|\\\\\\$|\\$\\$.+?\\$\\$|\\$[^$\\s][^$]*?\\$|\\$[^$\\s]\\$")

// Formulas writes the formulas of a text in Markdown, between dollars, as plain
// text.
func Formulas(markdown string) string {
	r := &reader{macros: map[string]macro{}, commands: commands()}
	return inMarkdown.ReplaceAllStringFunc(markdown, func(found string) string {
		switch {
		case strings.HasPrefix(found, "`"), strings.HasPrefix(found, `\`):
			return found
		case strings.HasPrefix(found, "$$"):
			return "\n\n> " + special.Replace(r.plainMath(strings.Trim(found, "$"), 0)) + "\n\n"
		}
		return special.Replace(r.plainMath(strings.Trim(found, "$"), 0))
	})
}
