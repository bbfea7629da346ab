package window

import "strings"

// Printable returns a text in the form in which windows show it: control characters and invalid UTF-8 become \xNN.
// It does not crop the text.
func Printable(b []byte) string {
	var out strings.Builder
	for _, c := range split(b) {
		out.WriteString(c.text)
	}
	return out.String()
}
