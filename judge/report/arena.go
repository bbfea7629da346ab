package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/contests/standings"
)

// writeStandings writes the standings of a tournament.
func (t *terminal) writeStandings(e *judge.TournamentFinished) {
	s, err := readStandings(e)
	if err != nil {
		t.writeParagraph(err.Error(), "", warningStyle)
		return
	}
	t.writeArena(s)
}

// readStandings decodes the standings in an event.
func readStandings(e *judge.TournamentFinished) (*standings.Standings, error) {
	var s standings.Standings
	if err := json.Unmarshal(e.Standings, &s); err != nil {
		return nil, fmt.Errorf("the standings cannot be read: %w", err)
	}
	if s.Version > standings.Version {
		return nil, fmt.Errorf("the standings are of version %d, from a newer judge; this one reads up to %d", s.Version, standings.Version)
	}
	return &s, nil
}

func (t *terminal) writeArena(s *standings.Standings) {
	t.printf("%s\n", t.paint.style(bold, fit(arenaHeading(s), t.options.Width)))
	t.writeParagraph(rulesText(s), "", faint)
	if s.Verdict != "" {
		t.printf("\n")
		t.writeParagraph(s.Verdict, "", bold)
	}
	t.printf("\n")
	t.writeColumns(standingColumns(s), len(s.Bots))
	if slices.ContainsFunc(s.Bots, func(b standings.Bot) bool { return b.ByLots }) {
		t.printf("%s\n", t.paint.style(faint, "= equal by the rules: drawn by lots"))
	}
	for _, b := range s.Bots {
		if b.Flag != rating.Sound {
			t.writeParagraph(flagText(&b), "", faint)
		}
	}
	for _, out := range s.Disqualified {
		t.writeParagraph(disqualifiedText(out), "  ", warningStyle)
	}
	if len(s.Bots) > 1 && s.Games > 0 {
		t.printf("\n")
		t.writeCrossTable(s)
		t.printf("\n")
		t.writeColumns(lossColumns(s), len(s.Bots))
		if s.Looked > 0 && s.Looked < s.Games {
			t.printf("%s\n", t.paint.style(faint, fmt.Sprintf("chances were counted in %d of %d games", s.Looked, s.Games)))
		}
	}
}

func arenaHeading(s *standings.Standings) string {
	text := sanitizeLine(s.Game)
	if s.Title != "" && s.Title != s.Game {
		text += ": " + sanitizeLine(s.Title)
	}
	return text
}

// rulesText describes the rules of a tournament.
func rulesText(s *standings.Standings) string {
	text := fmt.Sprintf("rules %s, %s", sanitizeLine(s.Rules.Name), strings.ReplaceAll(sanitizeLine(s.Rules.Format), "-", " "))
	if s.Rules.Rounds > 0 {
		text += ", "
		if _, known := arena.Formats()[s.Rules.Format]; !known { // the run has no schedule, and ends when the result is certain enough
			text += "at most "
		}
		text += judge.Quantity(s.Rules.Rounds, "round") + " of " + judge.Quantity(s.Rules.Games, "game")
	}
	text += fmt.Sprintf(", seed %d; %s", s.Seed, judge.Quantity(s.Games, "game"))
	if !s.Over {
		text += " so far"
	}
	return text
}

func disqualifiedText(out standings.Disqualified) string {
	text := fmt.Sprintf("%s is disqualified: %s", sanitizeLine(out.Name), sanitizeLine(string(out.Fault.Kind)))
	if out.Fault.Text != "" {
		text += ", " + sanitizeLine(out.Fault.Text)
	}
	if out.Fault.Bytes != "" && out.Fault.Bytes != `""` {
		text += "; it sent " + sanitizeLine(out.Fault.Bytes)
	}
	return text + sanitizeLine(out.Fault.StderrLine())
}

// A column is a column of a table: a heading, and a cell for each line.
type column struct {
	head  string
	left  bool // left-aligned; numbers are right-aligned
	cell  func(line int) string
	style []attribute
}

// writeColumns writes a table. If the table is too wide, a left-aligned column is narrowed.
func (t *terminal) writeColumns(columns []column, lines int) {
	const least = 8
	widths := make([]int, len(columns))
	total := 2 * (len(columns) - 1)
	for k, c := range columns {
		widths[k] = width(c.head)
		for i := range lines {
			widths[k] = max(widths[k], width(c.cell(i)))
		}
		total += widths[k]
	}
	for k, c := range columns {
		if c.left && total > t.options.Width {
			cut := min(total-t.options.Width, max(widths[k]-least, 0))
			widths[k], total = widths[k]-cut, total-cut
		}
	}
	line := func(text func(c column) string, style func(c column) []attribute) {
		var b strings.Builder
		for k, c := range columns {
			cell := fit(text(c), widths[k])
			switch {
			case c.left && k < len(columns)-1:
				cell = pad(cell, widths[k])
			case !c.left:
				cell = padLeft(cell, widths[k])
			}
			if k > 0 {
				b.WriteString("  ")
			}
			b.WriteString(t.paint.style(style(c), cell))
		}
		t.printf("%s\n", strings.TrimRight(b.String(), " "))
	}
	line(func(c column) string { return c.head }, func(column) []attribute { return faint })
	for i := range lines {
		line(func(c column) string { return c.cell(i) }, func(c column) []attribute { return c.style })
	}
}

// standingColumns returns the columns for the criteria of the rule set, followed by those for the ratings.
func standingColumns(s *standings.Standings) []column {
	number := func(head string, value func(b *standings.Bot) string) column {
		return column{head: head, cell: func(i int) string { return value(&s.Bots[i]) }}
	}
	columns := []column{
		number("#", func(b *standings.Bot) string { return rankText(b) }),
		{head: "bot", left: true, style: bold, cell: func(i int) string { return sanitizeLine(s.Bots[i].Name) }},
		number("points", func(b *standings.Bot) string { return formatPoints(b.Points) }),
	}
	if by := s.Rules.Score.Criterion; by == arena.ByEncounter || by == arena.BySurplus {
		columns = append(columns, number("matches", func(b *standings.Bot) string {
			return fmt.Sprintf("%d of %d", b.Won, b.Encounters)
		}))
	}
	return append(columns,
		number("won", func(b *standings.Bot) string { return strconv.Itoa(b.Wins) }),
		number("drawn", func(b *standings.Bot) string { return strconv.Itoa(b.Draws) }),
		number("lost", func(b *standings.Bot) string { return strconv.Itoa(b.Losses) }),
		number("Elo", func(b *standings.Bot) string { return formatElo(b.Elo) + flagMark(b) }),
		number("95 %", func(b *standings.Bot) string { return intervalText(b) }),
		number("better", func(b *standings.Bot) string { return superiorityText(s, b) }),
	)
}

func rankText(b *standings.Bot) string {
	if b.ByLots {
		return "=" + strconv.Itoa(b.Place)
	}
	return strconv.Itoa(b.Place)
}

// formatPoints formats points with as few digits as possible.
func formatPoints(points float64) string { return strconv.FormatFloat(points, 'f', -1, 64) }

// formatElo formats a rating relative to the average.
func formatElo(points float64) string {
	if points > -0.5 && points < 0.5 {
		return "0"
	}
	return fmt.Sprintf("%+.0f", points)
}

func intervalText(b *standings.Bot) string {
	if b.Flag == rating.NoGames {
		return ""
	}
	return formatElo(b.Low) + " to " + formatElo(b.High)
}

// flagMark returns the mark for an unreliable rating.
func flagMark(b *standings.Bot) string {
	if b.Flag != rating.Sound {
		return "*"
	}
	return ""
}

// flagText explains why a rating is unreliable.
func flagText(b *standings.Bot) string {
	means := map[rating.Flag]string{
		rating.WonEverything:  "won everything: it may be stronger by far than its rating",
		rating.LostEverything: "lost everything: it may be weaker by far than its rating",
		rating.NoGames:        "has played no game",
	}[b.Flag]
	return "* " + sanitizeLine(b.Name) + " " + means
}

// superiorityText returns the likelihood that a bot is stronger than the next one in the table. It returns an empty string
// for the last bot.
func superiorityText(s *standings.Standings, b *standings.Bot) string {
	if b.Place >= len(s.Bots) {
		return ""
	}
	return formatShare(b.Better)
}

// formatShare formats a likelihood. It never returns 0% or 100%.
func formatShare(p float64) string {
	switch {
	case p > 0.9995:
		return ">99.9 %"
	case p < 0.0005:
		return "<0.1 %"
	}
	return fmt.Sprintf("%.1f %%", 100*p)
}

// lossColumns returns the columns for lost games by cause, blunders, and time.
func lossColumns(s *standings.Standings) []column {
	columns := []column{{head: "bot", left: true, style: bold, cell: func(i int) string { return sanitizeLine(s.Bots[i].Name) }}}
	if s.Looked > 0 {
		columns = append(columns,
			column{head: "chances", cell: func(i int) string { return strconv.Itoa(s.Bots[i].Chances) }},
			column{head: "missed", cell: func(i int) string { return blunderText(&s.Bots[i]) }},
		)
	}
	if hasTimes(s) {
		columns = append(columns,
			column{head: "CPU a move", cell: func(i int) string { return moveTimeText(&s.Bots[i]) }},
			column{head: "slowest", cell: func(i int) string { return formatMillis(s.Bots[i].SlowestMS) }},
		)
	}
	return append(columns, column{head: "lost by", left: true, cell: func(i int) string { return reasonList(s.Bots[i].Reasons) }})
}

// hasTimes reports whether the bots' CPU time was measured. It is not measured if bots are files.
func hasTimes(s *standings.Standings) bool {
	return slices.ContainsFunc(s.Bots, func(b standings.Bot) bool { return b.UsedMS > 0 || b.SlowestMS > 0 })
}

// blunderText returns the number of blunders, and their share of the winning positions.
func blunderText(b *standings.Bot) string {
	if b.Chances == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%.0f %%)", b.Blunders, 100*float64(b.Blunders)/float64(b.Chances))
}

func moveTimeText(b *standings.Bot) string {
	if b.Moves == 0 {
		return ""
	}
	return formatMillis(b.UsedMS / float64(b.Moves))
}

// formatMillis formats milliseconds with a suitable unit.
func formatMillis(ms float64) string {
	switch {
	case ms <= 0:
		return "0"
	case ms < 1:
		return fmt.Sprintf("%.0f us", 1000*ms)
	case ms < 10:
		return fmt.Sprintf("%.1f ms", ms)
	case ms < 1000:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f s", ms/1000)
}

func reasonList(counts []standings.ReasonCount) string {
	var words []string
	for _, c := range counts {
		words = append(words, fmt.Sprintf("%s %d", sanitizeLine(c.What), c.Times))
	}
	return strings.Join(words, ", ")
}

// writeCrossTable writes the cross table: the percentage of the points that each bot won against each other bot. If the
// table is too wide, it contains only the best bots.
func (t *terminal) writeCrossTable(s *standings.Standings) {
	name := 0
	for _, b := range s.Bots {
		name = max(name, width(sanitizeLine(b.Name)))
	}
	name = min(name, t.options.Width/3)
	shown := min(len(s.Bots), (t.options.Width-name-4)/5)
	line := func(number, bot string, cell func(j int) string) {
		t.printf("%s %s", padLeft(number, 3), pad(fit(bot, name), name))
		for j := range shown {
			t.printf("%s", cell(j))
		}
		t.printf("\n")
	}
	t.printf("%s\n", t.paint.style(faint, "score in %, row against column"))
	line("", "", func(j int) string { return t.paint.style(faint, padLeft(strconv.Itoa(j+1), 5)) })
	for i, b := range s.Bots {
		line(strconv.Itoa(i+1), sanitizeLine(b.Name), func(j int) string {
			m := s.Cross[i][j]
			if m.Games() == 0 {
				return padLeft("-", 5)
			}
			return t.paint.style(crossStyle(m), padLeft(fmt.Sprintf("%.0f", 100*m.Score()), 5))
		})
	}
	if shown < len(s.Bots) {
		t.printf("%s\n", t.paint.style(faint, fmt.Sprintf("against the best %d of %d; --html has them all", shown, len(s.Bots))))
	}
}

func crossStyle(m standings.HeadToHead) []attribute {
	switch score := m.Score(); {
	case score > 0.5:
		return expectedStyle
	case score < 0.5:
		return outputStyle
	}
	return nil
}
