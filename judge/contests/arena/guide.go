package arena

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/kit/referee"
)

// A Guide is the documentation of a game for bot authors.
type Guide struct {
	Game      string            // id of the problem directory, for commands
	Statement string            // Markdown statement of the game; if empty, the guide has only the rules
	Files     bool              // bots are files that the referee reads
	Tester    bool              // whether the game has a tester, a bot against which others are tested
	Adapted   []string          // file extensions of bots for which the game has an adapter
	Meanings  map[string]string // descriptions of the referee's options
	Examples  []Example
}

// An Example is a bot that authors can copy.
type Example struct {
	File     string // file name
	Language string // name of its language; empty if bots are files
	Text     string
}

// DescribedRules is a rule set in the form for bot authors.
type DescribedRules struct {
	Rules
	Title string
	// Schedule describes which games are played and how they are scored. If empty, the description is generated
	// from the rules.
	Schedule string
	// Cost returns a description of the penalty for a fault. If nil, the descriptions follow from the rules.
	Cost func(Fault) string
}

// Markdown formats the guide. It contains the game's statement, how bots are run, the limits and options of each
// rule set, the faults and their penalties, and the bots to copy.
func (g *Guide) Markdown(sets []DescribedRules) []byte {
	var b strings.Builder
	if text := strings.TrimSpace(g.Statement); text != "" {
		b.WriteString(text + "\n\n")
	}
	g.running(&b)
	if len(sets) > 0 {
		g.rules(&b, sets)
		g.options(&b, sets)
		g.faults(&b, sets)
	}
	g.examples(&b)
	return []byte(b.String())
}

// running describes how bots are run.
func (g *Guide) running(b *strings.Builder) {
	b.WriteString("## How a bot is run\n\n")
	if g.Files {
		b.WriteString("A bot is a text file that the game's referee reads and plays. It is not a program: it has no input, no\n" +
			"output and no time limit.\n\n")
		return
	}
	fmt.Fprintf(b, `A bot is a program. It reads lines from standard input and writes lines to standard output.

- One process plays many games, one after another. It starts again if it has ended.
- It answers each request with one line, and writes nothing if it was not asked.
- A line must be written at once. Most languages keep output back until it is flushed.
- It can write at most %s at a time.
- A line that starts with %s is a comment. Comments go to the log of the game and are no answers.
- The line %s is the last one: the bot must end within %s.
- The log keeps the end of its standard error for its author.
- It has no network and cannot read the judge's files or those of another bot.
`, size(referee.MaxOutput), "`#`", "`quit`", seconds(quitTimeout))
	if len(g.Adapted) > 0 {
		var all []string
		for _, e := range g.Adapted {
			all = append(all, code("."+e))
		}
		fmt.Fprintf(
			b, "- A file that ends in %s need not read and write lines: the game has an adapter for it.\n",
			strings.Join(all, " or "),
		)
	}
	b.WriteString("\n")
}

// rules describes the games of each rule set, and their limits.
func (g *Guide) rules(b *strings.Builder, sets []DescribedRules) {
	b.WriteString("## Rules and limits\n\n")
	for i := range sets {
		s := &sets[i]
		fmt.Fprintf(b, "- %s", code(s.Name))
		if s.Title != "" {
			fmt.Fprintf(b, " (%s)", s.Title)
		}
		schedule := s.Schedule
		if schedule == "" {
			schedule = s.schedule()
		}
		fmt.Fprintf(b, ": %s\n", schedule)
	}
	b.WriteString("\n")
	if g.Files {
		return
	}
	table(b, "limit", sets, []row{
		{"CPU time for an answer", func(r *Rules) string { return limit(r.Move) }},
		{"CPU time of a bot for a game", func(r *Rules) string { return limit(r.Clock) }},
		{"CPU time to get ready", func(r *Rules) string { return limit(r.Start) }},
		{"wall time for each of these", func(r *Rules) string { return fmt.Sprintf("%v × CPU time + %s", r.Wall, seconds(wallExtra)) }},
		{"memory", func(r *Rules) string { return size(r.Memory) }},
	})
	fmt.Fprintf(b, "Time that a busy machine keeps a bot waiting does not count. A bot can have %d processes and threads.\n\n",
		botLimits(0).Processes)
}

// schedule describes the games that are played by the rules, and how they are scored.
func (r *Rules) schedule() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s. Two bots meet for %s", r.Format, judge.Quantity(r.Rounds, "round"), judge.Quantity(r.Games, "game"))
	if r.Games > 1 {
		b.WriteString(" and take turns in going first")
	}
	b.WriteString(". ")
	points := fmt.Sprintf("%v for a win, %v for a draw, %v for a loss", r.Score.Win, r.Score.Draw, r.Score.Loss)
	switch r.Score.Criterion {
	case ByEncounter:
		fmt.Fprintf(&b, "The bot that wins more of these games wins the encounter. Points of an encounter: %s.", points)
	case BySurplus:
		fmt.Fprintf(&b, "What counts are the points above half of an encounter's, and then encounters won. Points of a game: %s.", points)
	case ByPayoff:
		b.WriteString("What counts is the sum of what a bot gets in its games.")
	default:
		fmt.Fprintf(&b, "Points of a game: %s.", points)
	}
	return b.String()
}

// options lists the referee's options with their values.
func (g *Guide) options(b *strings.Builder, sets []DescribedRules) {
	names := map[string]bool{}
	for i := range sets {
		for name := range sets[i].Options {
			names[name] = true
		}
	}
	if len(names) == 0 {
		return
	}
	b.WriteString("## Options of the game\n\n")
	var rows []row
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if text := strings.Join(strings.Fields(g.Meanings[name]), " "); text != "" {
			fmt.Fprintf(b, "- %s: %s\n", code(name), text)
		}
		rows = append(rows, row{cell(code(name)), func(r *Rules) string {
			if value, ok := r.Options[name]; ok && value != "" {
				return cell(code(value))
			}
			return "-"
		}})
	}
	b.WriteString("\n")
	table(b, "option", sets, rows)
}

// faults lists the faults with their penalties, and what a bot does to commit each of them.
func (g *Guide) faults(b *strings.Builder, sets []DescribedRules) {
	b.WriteString("## What is charged as a fault\n\n")
	fmt.Fprintf(b, "| fault |%s\n| --- |%s\n", headingRow(sets), strings.Repeat(" --- |", len(sets)))
	var known []Fault
	for _, f := range Faults {
		if g.Files && f != InitFailed {
			continue
		}
		known = append(known, f)
		fmt.Fprintf(b, "| %s |", code(string(f)))
		for i := range sets {
			b.WriteString(" " + cell(sets[i].costText(f)) + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\nA bot has the fault\n\n")
	for _, f := range known {
		fmt.Fprintf(b, "- %s if it %s\n", code(string(f)), g.faultText(f))
	}
	b.WriteString("\nA referee can name other faults of an answer. Such a fault costs the game.")
	for i := range sets {
		if sets[i].Cost == nil {
			b.WriteString(" A bot that loses the event is disqualified: the event goes on as if it had not taken part.")
			break
		}
	}
	b.WriteString("\n\n")
}

// costText returns the penalty for a fault.
func (t *DescribedRules) costText(f Fault) string {
	switch {
	case t.Cost != nil:
		return t.Cost(f)
	case t.Rules.cost(f) == CostTournament:
		return "the event"
	case f == LearnFault:
		return "nothing: the result is known"
	}
	return "the game"
}

// faultText describes what a bot that commits the fault does.
func (g *Guide) faultText(f Fault) string {
	if g.Files && f == InitFailed {
		return "is a file that the referee cannot read as a bot"
	}
	return faultDescriptions[f]
}

// faultDescriptions maps faults to descriptions of what a bot that commits them does.
var faultDescriptions = map[Fault]string{
	Illegal:     "gives an answer that the rules of the game forbid",
	Malformed:   "gives an answer without the required form",
	Unsolicited: "writes a line without a request",
	Flood:       "writes more than " + size(referee.MaxOutput) + " at a time",
	TimeoutCPU:  "uses more CPU time than it has",
	TimeoutWall: "uses more wall time than it has, without using the CPU; if it used the CPU, the game is repeated first",
	Crashed:     "ends before `quit`, by itself or by a signal",
	Closed:      "closes its standard output and does not end",
	NotReading:  "does not read its standard input",
	OutOfMemory: "uses more memory than it has",
	InitFailed:  "cannot be built, or does not get ready in time as the game requires",
	LearnFault:  "has one of these faults after the game, when it gets the result",
}

// examples writes the bots to copy.
func (g *Guide) examples(b *strings.Builder) {
	if len(g.Examples) == 0 {
		return
	}
	b.WriteString("## A first bot to copy\n\n")
	first := path.Base(g.Examples[0].File)
	if g.Tester {
		fmt.Fprintf(b, "Save a bot under the name above it. %s reports its errors.\n\n",
			code("judge arena check "+g.Game+" "+first))
	} else {
		fmt.Fprintf(b, "Save a bot under the name above it. %s lets it play itself.\n\n",
			code("judge arena "+g.Game+" "+first+" "+first))
	}
	for _, e := range g.Examples {
		title := code(path.Base(e.File))
		if e.Language != "" {
			title = e.Language + ", " + title
		}
		fence := strings.Repeat("`", max(3, longestRun(e.Text)+1))
		fmt.Fprintf(b, "### %s\n\n%s\n%s\n%s\n\n", title, fence, strings.TrimRight(e.Text, "\r\n"), fence)
	}
}

// row is a line of a table with a column for each rule set.
type row struct {
	title string
	value func(*Rules) string
}

func table(b *strings.Builder, title string, sets []DescribedRules, rows []row) {
	fmt.Fprintf(b, "| %s |%s\n| --- |%s\n", title, headingRow(sets), strings.Repeat(" --- |", len(sets)))
	for _, r := range rows {
		fmt.Fprintf(b, "| %s |", r.title)
		for i := range sets {
			b.WriteString(" " + r.value(&sets[i].Rules) + " |")
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
}

// headingRow returns the column headings of rule sets.
func headingRow(sets []DescribedRules) (all string) {
	for i := range sets {
		all += " " + cell(code(sets[i].Name)) + " |"
	}
	return all
}

func limit(d time.Duration) string {
	if d == 0 {
		return "no limit"
	}
	return seconds(d)
}

// seconds formats a time with its unit.
func seconds(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%v ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%v s", d.Seconds())
}

// size formats a number of bytes with its unit.
func size(n int64) string {
	for _, u := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.bytes && n%u.bytes == 0 {
			return fmt.Sprintf("%d %s", n/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// code formats a text as code in Markdown.
func code(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if n := longestRun(s); n > 0 {
		fence := strings.Repeat("`", n+1)
		return fence + " " + s + " " + fence
	}
	return "`" + s + "`"
}

// cell escapes Markdown text for a table cell.
func cell(s string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(s), " "), "|", `\|`)
}

// longestRun returns the length of the longest run of backticks.
func longestRun(s string) (longest int) {
	run := 0
	for i := range len(s) {
		if run++; s[i] != '`' {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
