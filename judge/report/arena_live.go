package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"assay/judge"
)

// ArenaLive returns the report of a running tournament for a terminal. Each update replaces the previous one, and
// the last one is cleared at the end. Size is called for each update.
func ArenaLive(w io.Writer, o TerminalOptions, size func() (width, rows int)) Report {
	return &arenaLive{out: w, options: o, size: size}
}

type arenaLive struct {
	out     io.Writer
	options TerminalOptions
	size    func() (width, rows int)
	shown   string
	err     error
}

func (l *arenaLive) Event(e judge.Event) {
	p, is := e.(*judge.TournamentProgressed)
	if !is || l.err != nil {
		return
	}
	var rows int
	l.options.Width, rows = l.size()
	text := l.format(p, rows)
	_, l.err = io.WriteString(l.out, clearText(l.shown)+text)
	l.shown = text
}

func (l *arenaLive) Close() error {
	if l.err == nil {
		_, l.err = io.WriteString(l.out, clearText(l.shown))
	}
	return l.err
}

// format formats the table with a progress line below it. If the table has more lines than rows, draw omits bots in
// the middle.
func (l *arenaLive) format(p *judge.TournamentProgressed, rows int) string {
	t := &terminal{options: l.options, paint: paint(l.options.Color), record: &record{}}
	room := max(rows-3, 0) // without the heading, the progress line, and the line of the cursor
	var shown []int
	for i := range p.Table {
		if len(p.Table) <= room || i < room-2 || i == len(p.Table)-1 {
			shown = append(shown, i)
		}
	}
	if room < 3 {
		shown = nil
	}
	row := func(k int) *judge.TournamentRow { return &p.Table[shown[k]] }
	number := func(head string, value func(r *judge.TournamentRow) string) column {
		return column{head: head, cell: func(k int) string { return value(row(k)) }}
	}
	if len(shown) > 0 {
		t.writeColumns([]column{
			{head: "#", cell: func(k int) string { return strconv.Itoa(shown[k] + 1) }},
			{head: "bot", left: true, style: bold, cell: func(k int) string { return sanitizeLine(row(k).Name) }},
			number("points", func(r *judge.TournamentRow) string { return formatPoints(r.Points) }),
			number("games", func(r *judge.TournamentRow) string { return strconv.Itoa(r.Games) }),
			number("won", func(r *judge.TournamentRow) string { return strconv.Itoa(r.Wins) }),
			number("drawn", func(r *judge.TournamentRow) string { return strconv.Itoa(r.Draws) }),
			number("lost", func(r *judge.TournamentRow) string { return strconv.Itoa(r.Losses) }),
		}, len(shown))
	}
	line := ArenaProgress(p)
	if left := len(p.Table) - len(shown); left > 0 && len(shown) > 0 {
		line = fmt.Sprintf("(%d more)  ", left) + line
	}
	t.printf("%s", fit(sanitizeLine(line), l.options.Width-1))
	return t.page.String()
}

// ArenaProgress describes the progress of a tournament in one line, which a terminal can redraw.
func ArenaProgress(p *judge.TournamentProgressed) string {
	line := fmt.Sprintf("%d of %d games", p.Done, p.Total)
	if s := float64(p.TookMS) / 1000; p.Played > 0 && s > 0 {
		rate := float64(p.Played) / s
		left := time.Duration(float64(p.Total-p.Done) / rate * float64(time.Second))
		line += fmt.Sprintf("  %.0f games/s  %.0f moves/s  %v left", rate, float64(p.Moves)/s, left.Round(time.Second))
	}
	if p.Disqualified > 0 {
		line += fmt.Sprintf("  %d disqualified", p.Disqualified)
	}
	return line
}

// clearText returns the control characters that clear a text from a terminal. The text drawn must be the last text that
// was written.
func clearText(drawn string) string {
	if drawn == "" {
		return ""
	}
	up := ""
	if n := strings.Count(drawn, "\n"); n > 0 {
		up = fmt.Sprintf("\x1b[%dA", n)
	}
	return "\r" + up + "\x1b[J"
}
