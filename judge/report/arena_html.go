package report

import (
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/contests/arena"
	"assay/judge/contests/rating"
	"assay/judge/contests/standings"
	"assay/judge/kit/referee"
)

// A gameOnPage is a game that a page shows move by move.
type gameOnPage struct {
	Game      *arena.Game
	First     string // names of the bots
	Second    string
	Positions []referee.Position // before the first move and after each move; may be nil
}

// arenaEventPage writes the page of a tournament.
func arenaEventPage(w io.Writer, e *judge.TournamentFinished, games []*judge.GameShown) error {
	s, err := readStandings(e)
	if err != nil {
		return err
	}
	var pageGames []gameOnPage
	for _, g := range games {
		one := gameOnPage{Game: &arena.Game{}, First: g.First, Second: g.Second}
		if err := json.Unmarshal(g.Game, one.Game); err != nil {
			return fmt.Errorf("a game of the page: %w", err)
		}
		if len(g.Positions) > 0 {
			if err := json.Unmarshal(g.Positions, &one.Positions); err != nil {
				return fmt.Errorf("a game of the page: %w", err)
			}
		}
		pageGames = append(pageGames, one)
	}
	return writeArenaPage(w, s, pageGames)
}

// writeArenaPage writes a self-contained HTML page with the standings of a tournament and some of its games. Only
// the games need a script.
func writeArenaPage(w io.Writer, s *standings.Standings, games []gameOnPage) error {
	page := &arenaPage{Standings: s}
	for _, part := range []struct {
		file string
		to   func(text string)
	}{
		{"page/style.css", func(text string) { page.Style += template.CSS(text) }},
		{"page/arena/arena.css", func(text string) { page.Style += template.CSS(text) }},
		{"page/arena/arena.js", func(text string) { page.Script = template.JS(text) }},
	} {
		text, err := pageFiles.ReadFile(part.file)
		if err != nil {
			return fmt.Errorf("read the page: %w", err)
		}
		part.to(string(text))
	}
	for _, g := range games {
		page.Replays = append(page.Replays, newShownGame(g))
	}
	t, err := template.New("arena.html").Funcs(arenaFuncs).ParseFS(pageFiles, "page/arena/arena.html")
	if err != nil {
		return fmt.Errorf("read the page: %w", err)
	}
	if err := t.Execute(w, page); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// arenaFuncs contains the functions that the template calls.
var arenaFuncs = template.FuncMap{
	"elo": formatElo, "amount": formatPoints, "took": formatMillis, "line": sanitizeLine, "count": judge.Quantity[int],
	"add": func(a, b int) int { return a + b },
}

// arenaPage is the data for the template.
type arenaPage struct {
	*standings.Standings
	Style   template.CSS
	Script  template.JS
	Replays []shownGame
}

func (p *arenaPage) Heading() string { return arenaHeading(p.Standings) }
func (p *arenaPage) Setting() string { return rulesText(p.Standings) }

// Matches reports whether the rules count encounters.
func (p *arenaPage) Matches() bool {
	return p.Rules.Score.Criterion == arena.ByEncounter || p.Rules.Score.Criterion == arena.BySurplus
}

func (p *arenaPage) Interval(b standings.Bot) string         { return intervalText(&b) }
func (p *arenaPage) Timed() bool                             { return hasTimes(p.Standings) }
func (p *arenaPage) Place(b standings.Bot) string            { return rankText(&b) }
func (p *arenaPage) Better(b standings.Bot) string           { return superiorityText(p.Standings, &b) }
func (p *arenaPage) PerMove(b standings.Bot) string          { return moveTimeText(&b) }
func (p *arenaPage) Missed(b standings.Bot) string           { return blunderText(&b) }
func (p *arenaPage) FlagText(b standings.Bot) string         { return flagText(&b) }
func (p *arenaPage) OutText(o standings.Disqualified) string { return disqualifiedText(o) }

// AnyLots reports whether lots decided a rank.
func (p *arenaPage) AnyLots() bool {
	return slices.ContainsFunc(p.Bots, func(b standings.Bot) bool { return b.ByLots })
}

// Flagged returns the bots whose rating is unreliable.
func (p *arenaPage) Flagged() (bots []standings.Bot) {
	for _, b := range p.Bots {
		if b.Flag != rating.Sound {
			bots = append(bots, b)
		}
	}
	return bots
}

// An intervalBar is a confidence interval shown as a bar, in percent of a scale that all bots share.
type intervalBar struct{ Low, Mid, Width float64 }

func (p *arenaPage) Whisker(b standings.Bot) intervalBar {
	least, most := p.span()
	at := func(v float64) float64 { return 100 * (v - least) / (most - least) }
	return intervalBar{at(b.Low), at(b.Elo), at(b.High) - at(b.Low)}
}

// span returns the lower and upper end of all confidence intervals in the table.
func (p *arenaPage) span() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, b := range p.Bots {
		low, high = min(low, b.Low), max(high, b.High)
	}
	if !(high > low) {
		return -1, 1
	}
	return low, high
}

// A cell is a cell in the cross table.
type cell struct {
	Text, Said string
	Class      string
	Heat       int // color strength, from 0 for an even score to 45 percent; more hides the text
}

func (p *arenaPage) Cell(i, j int) cell {
	m, a, b := p.Cross[i][j], sanitizeLine(p.Bots[i].Name), sanitizeLine(p.Bots[j].Name)
	switch {
	case i == j:
		return cell{Class: "self", Said: a}
	case m.Games() == 0:
		return cell{Text: "-", Class: "none", Said: a + " and " + b + " did not meet"}
	}
	score := m.Score()
	c := cell{
		Text: fmt.Sprintf("%.0f", 100*score), Class: "even", Heat: int(math.Round(45 * math.Abs(2*score-1))),
		Said: fmt.Sprintf(
			"%s against %s: %d won, %d drawn, %d lost; stronger with a likelihood of %s", a, b, m.Wins, m.Draws,
			m.Losses, formatShare(m.Superior),
		),
	}
	if score > 0.5 {
		c.Class = "up"
	} else if score < 0.5 {
		c.Class = "down"
	}
	return c
}

// A lossSlice is the part of a bar of lost games that has the same cause.
type lossSlice struct {
	Said  string
	Times int
	Width float64
	Hue   int
}

// Losses returns the slices of a bot's bar. The longest bar has the full width.
func (p *arenaPage) Losses(b standings.Bot) (losses []lossSlice) {
	maximum := 1
	for _, o := range p.Bots {
		maximum = max(maximum, o.Losses)
	}
	for _, c := range b.Reasons {
		losses = append(losses, lossSlice{sanitizeLine(c.What), c.Times, 100 * float64(c.Times) / float64(maximum), p.hue(c.What)})
	}
	return losses
}

// Reasons returns all causes of lost games, for the legend.
func (p *arenaPage) Reasons() (reasons []lossSlice) {
	for i, what := range p.reasons() {
		reasons = append(reasons, lossSlice{Said: sanitizeLine(what), Hue: hueOf(i)})
	}
	return reasons
}

func (p *arenaPage) reasons() (reasons []string) {
	for _, b := range p.Bots {
		for _, c := range b.Reasons {
			if !slices.Contains(reasons, c.What) {
				reasons = append(reasons, c.What)
			}
		}
	}
	slices.Sort(reasons)
	return reasons
}

func (p *arenaPage) hue(reason string) int { return hueOf(slices.Index(p.reasons(), reason)) }

// hueOf returns the i-th hue. It uses the golden angle, so adjacent hues differ clearly.
func hueOf(i int) int { return (205 + i*137) % 360 }

// Sizes of the chart of ratings over time, in SVG units.
const (
	chartWidth  = 700
	chartHeight = 300
	chartLeft   = 46
	chartRight  = 150 // room for names
	chartEdge   = 12
)

// A curve is the line of a bot in the chart.
type curve struct {
	Name   string
	Hue    int
	Points string // points of a polyline
	Band   string // points of a polygon: the confidence interval
	End    float64
	Label  float64 // vertical position of the name
}

type tick struct {
	At   float64
	Text string
}

// chart is the chart of ratings over time.
type chart struct {
	Width, Height, Left, Right, Bottom, Zero float64
	Curves                                   []curve
	Ticks, Rounds                            []tick
}

// Chart returns the chart of the history. It returns nil if the history is too short.
func (p *arenaPage) Chart() *chart {
	if len(p.History) < 2 || len(p.Bots) < 2 {
		return nil
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, then := range p.History[len(p.History)/4:] { // ratings vary too much in the first rounds
		low, high = min(low, slices.Min(then.Elo)), max(high, slices.Max(then.Elo))
	}
	margin := max(20, (high-low)/12)
	low, high = low-margin, high+margin
	height := float64(max(chartHeight, 13*len(p.Bots)+2*chartEdge))
	c := &chart{Width: chartWidth + chartRight, Height: height + 22, Left: chartLeft, Right: chartWidth, Bottom: height}
	last := float64(p.History[len(p.History)-1].Round)
	first := float64(p.History[0].Round)
	x := func(round int) float64 {
		return chartLeft + (chartWidth-chartLeft)*(float64(round)-first)/max(last-first, 1)
	}
	y := func(v float64) float64 {
		v = min(max(v, low), high)
		return height - chartEdge - (height-2*chartEdge)*(v-low)/(high-low)
	}
	c.Zero = y(0)
	step := roundStep(high - low)
	for v := math.Ceil(low/step) * step; v <= high; v += step {
		c.Ticks = append(c.Ticks, tick{y(v), formatElo(v)})
	}
	for _, k := range []int{0, len(p.History) / 2, len(p.History) - 1} {
		c.Rounds = append(c.Rounds, tick{x(p.History[k].Round), fmt.Sprint(p.History[k].Round)})
	}
	for i, b := range p.Bots {
		var points, upper, lower []string
		for _, then := range p.History {
			left := x(then.Round)
			points = append(points, fmt.Sprintf("%.1f,%.1f", left, y(then.Elo[i])))
			upper = append(upper, fmt.Sprintf("%.1f,%.1f", left, y(then.High[i])))
			lower = append(lower, fmt.Sprintf("%.1f,%.1f", left, y(then.Low[i])))
		}
		slices.Reverse(lower)
		c.Curves = append(c.Curves, curve{
			Name: fit(sanitizeLine(b.Name), 22), Hue: hueOf(i), Points: strings.Join(points, " "),
			Band: strings.Join(append(upper, lower...), " "), End: y(b.Elo),
		})
	}
	c.separateLabels(height)
	return c
}

// separateLabels moves overlapping names apart.
func (c *chart) separateLabels(height float64) {
	const apart = 13
	order := make([]*curve, len(c.Curves))
	for i := range c.Curves {
		order[i] = &c.Curves[i]
	}
	slices.SortStableFunc(order, func(a, b *curve) int { return int(math.Copysign(1, a.End-b.End)) })
	bottom := float64(chartEdge)
	for _, o := range order {
		o.Label = max(o.End, bottom)
		bottom = o.Label + apart
	}
	for bottom = height - 2; len(order) > 0; order = order[:len(order)-1] {
		o := order[len(order)-1]
		o.Label = min(o.Label, bottom)
		bottom = o.Label - apart
	}
}

// roundStep returns 1, 2 or 5 times a power of ten, so that the span has about five steps.
func roundStep(span float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(span/5)))
	for _, m := range []float64{1, 2, 5} {
		if span/(unit*m) <= 6 {
			return unit * m
		}
	}
	return 10 * unit
}

// ArenaPage writes an HTML page with the standings of a tournament and some of its games, which can be stepped
// through. The parameter positions contains the positions that the referee has computed for these games.
func ArenaPage(w io.Writer, results *arena.Results, title string, games []*arena.Game, positions arena.GamePositions) error {
	s := standings.Compute(results, nil, nil)
	s.Title = title
	all := make([]gameOnPage, len(games))
	for i, g := range games {
		first, second := results.Bot(g.First), results.Bot(g.Second)
		if first == nil || second == nil {
			return fmt.Errorf("a game of the page refers to an unknown bot")
		}
		all[i] = gameOnPage{Game: g, First: first.Name, Second: second.Name, Positions: positions[g.Key()]}
	}
	return writeArenaPage(w, s, all)
}
