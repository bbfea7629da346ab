package window

import "strings"

// Printable writes a text as windows show it: control bytes and what is not UTF-8 as
// \xNN. It does not cut it.
func Printable(b []byte) string {
	var out strings.Builder
	for _, c := range split(b) {
		out.WriteString(c.text)
	}
	return out.String()
}
