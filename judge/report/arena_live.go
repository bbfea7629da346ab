package report

import (
	"fmt"
	"strconv"
	"strings"

	"assay/judge/contests/arena"
)

// ArenaLive draws the table of an event that is under way, and a line on its progress
// below it. It fits into so many rows; the bots in the middle of a long table are left
// out, the best and the last are shown.
func ArenaLive(so *arena.Results, progress string, o TerminalOptions, rows int) string {
	t := &terminal{o: o, paint: paint(o.Colour), record: &record{}}
	table := arena.Table(so)
	room := max(rows-3, 0) // the head, the line of progress, and the cursor's
	var shown []int
	for i := range table {
		if len(table) <= room || i < room-2 || i == len(table)-1 {
			shown = append(shown, i)
		}
	}
	if room < 3 {
		shown = nil
	}
	row := func(k int) *arena.Row { return &table[shown[k]] }
	number := func(head string, value func(r *arena.Row) string) column {
		return column{head: head, cell: func(k int) string { return value(row(k)) }}
	}
	if len(shown) > 0 {
		t.columns([]column{
			{head: "#", cell: func(k int) string { return strconv.Itoa(shown[k] + 1) }},
			{head: "bot", left: true, style: bold, cell: func(k int) string { return oneLine(so.Bot(row(k).Bot).Name) }},
			number("points", func(r *arena.Row) string { return amount(r.Points) }),
			number("games", func(r *arena.Row) string { return strconv.Itoa(r.Games) }),
			number("won", func(r *arena.Row) string { return strconv.Itoa(r.Wins) }),
			number("drawn", func(r *arena.Row) string { return strconv.Itoa(r.Draws) }),
			number("lost", func(r *arena.Row) string { return strconv.Itoa(r.Losses) }),
		}, len(shown))
	}
	if left := len(table) - len(shown); left > 0 && len(shown) > 0 {
		progress = fmt.Sprintf("(%d more)  ", left) + progress
	}
	t.printf("%s", fit(oneLine(progress), o.Width-1))
	return t.page.String()
}

// Over is what clears a text from a terminal that was drawn last, so that the next one
// takes its place.
func Over(drawn string) string {
	if drawn == "" {
		return ""
	}
	up := ""
	if n := strings.Count(drawn, "\n"); n > 0 {
		up = fmt.Sprintf("\x1b[%dA", n)
	}
	return "\r" + up + "\x1b[J"
}
