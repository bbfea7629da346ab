package board

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

// CSV is a board as a table for other programs: a row for each team, and for each problem
// its score or the minute at which it was solved, and its submissions. Names that a
// spreadsheet would take for formulas have a ' before them.
func CSV(c scoring.Contest, places []scoring.Place) []byte {
	var out bytes.Buffer
	w := csv.NewWriter(&out) // into memory: it does not fail
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
		head = append(head, Plain(p.Label+value), Plain(p.Label+" submissions"), Plain(p.Label+" pending"))
	}
	w.Write(head)
	for _, p := range places {
		row := []string{"", Plain(p.Team.Name), Plain(p.Team.About), Plain(strings.Join(p.Team.Groups, ", "))}
		if p.Rank > 0 {
			row[0] = strconv.Itoa(p.Rank)
		}
		switch c.Rules.Kind {
		case scoring.ICPC:
			row = append(row, strconv.Itoa(p.Solved), minutes(p.Time), minutes(p.Last))
		case scoring.Points:
			row = append(row, points(p.Points), strconv.FormatInt(int64(p.Time/time.Second), 10))
		default:
			row = append(row, points(p.Points))
		}
		for _, cell := range p.Cells {
			value := ""
			switch {
			case c.Rules.Kind != scoring.ICPC:
				value = points(cell.Points)
			case cell.Solved:
				value = minutes(cell.Time)
			}
			row = append(row, value, strconv.Itoa(cell.Tries), strconv.Itoa(cell.Pending))
		}
		w.Write(row)
	}
	w.Flush()
	return out.Bytes()
}

func minutes(d time.Duration) string { return strconv.FormatInt(int64(d/time.Minute), 10) }

// Plain keeps a spreadsheet from taking a text for a formula, with a ' before it. Some of
// them look behind blanks, and take the wide letters of East Asia for the usual ones. Where the
// decimal sign is a comma, they divide the cells of a table at semicolons, so a formula may begin
// behind one.
func Plain(s string) string {
	parts := strings.SplitAfter(s, ";")
	for i, part := range parts {
		first, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(part, func(c rune) bool {
			return unicode.IsSpace(c) || !unicode.IsGraphic(c) || i > 0 && c == '"'
		}))
		if strings.ContainsRune("=+-@＝＋－＠", first) && first != utf8.RuneError || i == 0 && s != "" && strings.ContainsRune("\t\r\n", rune(s[0])) {
			parts[i] = "'" + part
		}
	}
	return strings.Join(parts, "")
}

// SendTable sends a table that a browser saves as a file. A byte order mark tells spreadsheet programs
// that it is in UTF-8: without one they take it for the encoding of the system, and show "MÃ¼ller".
func SendTable(w http.ResponseWriter, name string, table []byte) {
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	_, _ = w.Write(append([]byte("\uFEFF"), table...)) // a browser that has gone needs no answer
}
