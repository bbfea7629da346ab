package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// omission stands for omitted text.
const omission = "…"

// NewSafeWriter returns a writer to w that first makes texts harmless for a terminal.
func NewSafeWriter(w io.Writer) io.Writer { return safeWriter{w} }

type safeWriter struct{ w io.Writer }

func (s safeWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(s.w, sanitize(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// sanitize makes a text harmless on a terminal. Unprintable characters become \xNN. Line feeds stay, CR LF becomes a
// line feed, and a tab becomes blanks. A byte that is not UTF-8 becomes U+FFFD, as in JSON, so that a replayed
// stream looks like the live report.
func sanitize(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '\n':
			b.WriteByte('\n')
		case r == '\t':
			b.WriteString("    ")
		case r == '\r' && strings.HasPrefix(s[i:], "\r\n"):
		case r == utf8.RuneError:
			b.WriteRune(r)
		case !strconv.IsPrint(r):
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02X`, c)
			}
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// sanitizeLine makes a text harmless and joins its lines.
func sanitizeLine(s string) string { return strings.Join(strings.Fields(sanitize(s)), " ") }

// width returns the width of a text in terminal cells. Most East Asian characters and emoji take two cells. A
// combining accent takes none.
func width(s string) int {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return uniseg.StringWidth(s)
		}
	}
	return len(s)
}

// splitCharacters splits a text into characters as seen by a reader. A letter with its accents is one character, and so
// is an emoji of several code points.
func splitCharacters(s string) []string {
	all := make([]string, 0, len(s))
	for state := -1; s != ""; {
		var c string
		c, s, _, state = uniseg.FirstGraphemeClusterInString(s, state)
		all = append(all, c)
	}
	return all
}

// fit shortens a text at the end to at most n cells.
func fit(s string, n int) string {
	if width(s) <= n {
		return s
	}
	head, _ := split(s, n-1)
	return head + omission
}

// split splits a text after the characters that fit into n cells.
func split(s string, n int) (head, rest string) {
	at, used := 0, 0
	for _, c := range splitCharacters(s) {
		if used += width(c); used > n {
			break
		}
		at += len(c)
	}
	return s[:at], s[at:]
}

// fitTail shortens a text at the start, because the end of a path is most important.
func fitTail(s string, n int) string {
	if width(s) <= n {
		return s
	}
	at, used := len(s), 0
	for _, c := range slices.Backward(splitCharacters(s)) {
		if used += width(c); used > n-1 {
			break
		}
		at -= len(c)
	}
	return omission + s[at:]
}

// pad fills a text with blanks up to n cells.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-width(s))) }

// padLeft fills a text with blanks at its start up to n cells.
func padLeft(s string, n int) string { return strings.Repeat(" ", max(0, n-width(s))) + s }

// wrap breaks s into lines of at most n cells, at blanks if possible. Line ends in s are kept.
func wrap(s string, n int) []string {
	n = max(n, 10)
	var lines []string
	for _, line := range strings.Split(strings.TrimRight(s, "\n"), "\n") {
		for width(line) > n {
			head, rest := split(line, n)
			if at := strings.LastIndexByte(head, ' '); at > n/4 && !strings.HasPrefix(rest, " ") {
				head, rest = line[:at], line[at:]
			}
			lines = append(lines, strings.TrimRight(head, " "))
			line = strings.TrimLeft(rest, " ")
		}
		lines = append(lines, line)
	}
	return lines
}

// millis returns d in milliseconds.
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// seconds formats milliseconds with a suitable unit: "0.012 s", "1.5 s", "2 min 5 s".
func seconds(ms float64) string {
	switch {
	case ms < 0.5:
		return "0 s"
	case ms < 9_999.5:
		return strings.TrimSuffix(fmt.Sprintf("%.3f", ms/1000), ".000") + " s"
	case ms < 59_950:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", ms/1000), ".0") + " s"
	}
	s := int64(ms/1000 + 0.5)
	return fmt.Sprintf("%d min %d s", s/60, s%60)
}

// durationText formats the time that a program took. It never returns zero.
func durationText(ms float64) string {
	if ms < 0.5 {
		return "under 1 ms"
	}
	return seconds(ms)
}

// unmeasured is shown if a run was too short for its memory to be measured.
const unmeasured = "too little to be measured"

// formatSize formats a number of bytes with a suitable unit: "12 bytes", "9.1 MiB".
func formatSize(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	if n < 1024 {
		return strconv.FormatInt(n, 10) + " bytes"
	}
	value, unit := float64(n)/1024, "KiB"
	for _, next := range []string{"MiB", "GiB", "TiB"} {
		if value < 1024 {
			break
		}
		value, unit = value/1024, next
	}
	text := fmt.Sprintf("%.1f", value)
	if value >= 100 {
		text = fmt.Sprintf("%.0f", value)
	}
	return strings.TrimSuffix(text, ".0") + " " + unit
}

// Quote quotes an argument for a shell, if necessary.
func Quote(s string) string { return quote(s) }

// quote quotes an argument for a shell, if necessary.
func quote(s string) string {
	plain := s != ""
	for _, r := range s {
		if !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+=:@%,", r) {
			plain = false
		}
	}
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
