package scoreboard

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/judge/host/scoring"
)

// CSV returns a scoreboard as a table for other programs. Each row describes a team. For each problem, it contains
// the score or the minute of the solution, and the number of attempts. Names that a spreadsheet would read as
// formulas begin with a '.
func CSV(c scoring.Contest, places []scoring.RankedRow) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out) // writing to memory does not fail
	head := []string{"rank", "name", "about", "groups"}
	switch c.Rules.Kind {
	case scoring.ICPC:
		head = append(head, "solved", "penalty", "last")
	case scoring.Points:
		head = append(head, "points", "time")
	default:
		head = append(head, "points")
	}
	for _, p := range c.Problems {
		value := ""
		if c.Rules.Kind == scoring.ICPC {
			value = " minute"
		}
		head = append(head, EscapeFormula(p.Label+value), EscapeFormula(p.Label+" submissions"), EscapeFormula(p.Label+" pending"))
	}
	w.Write(head)
	for _, p := range places {
		row := []string{"", EscapeFormula(p.Team.Name), EscapeFormula(p.Team.Affiliation), EscapeFormula(strings.Join(p.Team.Groups, ", "))}
		if p.Rank > 0 {
			row[0] = strconv.Itoa(p.Rank)
		}
		switch c.Rules.Kind {
		case scoring.ICPC:
			row = append(row, strconv.Itoa(p.Solved), minutes(p.Time), minutes(p.Last))
		case scoring.Points:
			row = append(row, formatPoints(p.Points), strconv.FormatInt(int64(p.Time/time.Second), 10))
		default:
			row = append(row, formatPoints(p.Points))
		}
		for _, cell := range p.Cells {
			value := ""
			switch {
			case c.Rules.Kind != scoring.ICPC:
				value = formatPoints(cell.Points)
			case cell.Solved:
				value = minutes(cell.Time)
			}
			row = append(row, value, strconv.Itoa(cell.Attempts), strconv.Itoa(cell.Pending))
		}
		w.Write(row)
	}
	w.Flush()
	return out.Bytes()
}

func minutes(d time.Duration) string { return strconv.FormatInt(int64(d/time.Minute), 10) }

// EscapeFormula makes a text safe for spreadsheets: it puts a ' before a text that a spreadsheet may read as a formula.
// Some spreadsheets ignore leading blanks, and treat East Asian full-width characters like their ASCII forms. If
// the decimal separator is a comma, spreadsheets split cells at semicolons, so a formula may follow a semicolon.
func EscapeFormula(s string) string {
	parts := strings.SplitAfter(s, ";")
	for i, part := range parts {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(part, func(c rune) bool {
			return unicode.IsSpace(c) || !unicode.IsGraphic(c) || i > 0 && c == '"'
		}))
		if strings.ContainsRune("=+-@＝＋－＠", first) && first != utf8.RuneError ||
			i == 0 && s != "" && strings.ContainsRune("\t\r\n", rune(s[0])) {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, "")
}

// SendTable sends a table that a browser saves as a file. A byte order mark tells spreadsheets that the table is
// in UTF-8. Without it they assume the system's encoding and show "MÃ¼ller".
func SendTable(w http.ResponseWriter, name string, table []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	_, _ = w.Write(append([]byte("\uFEFF"), table...)) // the browser may be gone
}
