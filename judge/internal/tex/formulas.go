package tex

import (
	"strings"

	"assay/judge/internal/pattern"
)

// Formula returns a formula as plain text, such as "10^5", "a/b" or "n ≤ m".
func Formula(source string) string {
	if len(source) > maxFormula {
		source = source[:maxFormula]
	}
	return plainMath(source, 0)
}

// inMarkdown matches formulas and also code, which must not be changed.
var inMarkdown = pattern.New("(?s)```.*?```|`[^`\n]*`|\\\\.|\\$\\$.+?\\$\\$|\\$(?:[^$\\\\]|\\\\.)+\\$")

// plainFormulas writes the formulas of what Markdown wrote as plain text.
func plainFormulas(markdown string) string {
	return inMarkdown().ReplaceAllStringFunc(markdown, func(found string) string {
		if found[0] != '$' {
			return found
		}
		return special.Replace(Formula(strings.Trim(found, "$")))
	})
}
