package scoreboard

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/scoring"
)

// A Heading is the contest data that appears above the table of a scoreboard.
type Heading struct {
	Name   string    // of the contest
	Slug   string    // of the contest; its pages are below /c/<slug>
	Final  bool      // the results are final
	Starts time.Time // zero if not set
	Ends   time.Time // zero if not set, or if there is no end
}

// equal reports whether two headings result in the same page around the table.
func (h *Heading) equal(other *Heading) bool {
	return h.Name == other.Name && h.Slug == other.Slug && h.Final == other.Final && h.Starts.Equal(other.Starts) &&
		h.Ends.Equal(other.Ends)
}

// base returns the path of the contest's pages, safe in HTML.
func (h *Heading) base() string { return text("/c/" + pathPart(h.Slug)) }

// A renderer renders the successive scoreboards of one view. It does not render unchanged rows again.
type renderer struct {
	head     Heading
	jury     bool
	kind     scoring.Kind
	rowCache map[*scoring.Row][]byte
	// If static is set, pages are files without links to the server.
	static bool
}

// A sheet is a rendered scoreboard.
type sheet struct {
	heading Heading
	head    []byte // the table above the first row
	rows    []renderedRow
	totals  []byte // the row with the totals
	notes   []string
	groups  []string
}

// A renderedRow is a row of a sheet.
type renderedRow struct {
	id     string
	rank   int
	tied   bool // tied with the ranked row above it
	groups []string
	cells  []byte // without the rank
	row    *scoring.Row
}

// draw renders a scoreboard.
func (p *renderer) draw(b *scoring.Scoreboard, now time.Time) *sheet {
	c := b.Contest()
	if p.kind != c.Rules.Kind {
		p.rowCache, p.kind = nil, c.Rules.Kind
	}
	s := &sheet{heading: p.head, notes: notes(&c, now, p.jury, p.head.Final), head: p.tableHead(c.Problems)}
	kept := make(map[*scoring.Row][]byte, len(b.Rows()))
	above := 0
	for _, place := range b.Rows() {
		cells := p.rowCache[place.Row]
		if cells == nil {
			cells = p.cells(place.Row)
		}
		kept[place.Row] = cells
		s.rows = append(s.rows, renderedRow{
			id: place.Team.ID, rank: place.Rank, tied: place.Rank > 0 && place.Rank == above, groups: place.Team.Groups,
			cells: cells, row: place.Row,
		})
		if place.Rank > 0 {
			above = place.Rank
		}
		for _, g := range place.Team.Groups {
			if at, there := slices.BinarySearch(s.groups, g); !there {
				s.groups = slices.Insert(s.groups, at, g)
			}
		}
	}
	p.rowCache = kept
	s.totals = p.totals(b.Columns())
	return s
}

// freezeNote begins the note about a freeze to come.
const freezeNote = "The scoreboard freezes at "

// notes returns the sentences above a scoreboard.
func notes(c *scoring.Contest, now time.Time, jury, final bool) (all []string) {
	switch {
	case c.Start.IsZero():
		return []string{"The start time has not been set."}
	case !c.Started(now):
		return []string{"The contest has not started yet."}
	}
	minutes := strconv.FormatInt(int64((c.Length - c.Freeze).Minutes()), 10)
	since := "Frozen since " + ContestTime(c.Freeze) + "."
	switch frozen := c.Frozen(now); {
	case frozen && jury:
		all = append(all, "The public scoreboard is frozen; this one is not. "+since)
	case frozen && c.Length > 0:
		// The ICPC requires this wording.
		all = append(all, "The scoreboard was frozen with "+minutes+" minutes remaining - submissions in the last "+minutes+
			" minutes of the contest are still shown as pending. "+since)
	case frozen:
		all = append(all, "The scoreboard was frozen - submissions since then are still shown as pending. "+since)
	case c.Freeze > 0 && c.Length > 0 && !c.Ended(now):
		all = append(all, freezeNote+ContestTime(c.Freeze)+", "+minutes+" minutes before the end.")
	case c.Rules.HideVerdicts && !jury && !c.Ended(now):
		all = append(all, "Verdicts are shown when the contest is over.")
	}
	if c.Ended(now) && !final {
		all = append(all, "The contest is over. The results are not final.")
	}
	return all
}

// ContestTime writes a time since the start of a contest: 1:02:15.
func ContestTime(d time.Duration) string {
	s := int64(d / time.Second)
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// text escapes a name for HTML and its attributes. In HTML, the name needs an element of its own, so that it
// cannot change the direction of the surrounding text.
func text(s string) string { return html.EscapeString(strings.ToValidUTF8(s, "\uFFFD")) }

// colorPattern matches valid balloon colors, such as "#ff0000" or "red".
var colorPattern = regexp.MustCompile(`^(#[0-9a-fA-F]{6}|[a-zA-Z]{1,30})$`)

// ValidColor reports whether a scoreboard can show a color.
func ValidColor(text string) bool { return colorPattern.MatchString(text) }

// tableHead renders the table above its first row.
func (p *renderer) tableHead(problems []scoring.Problem) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, `<table class="board"><caption class="said">Scoreboard of %s</caption><thead><tr><th `+
		`scope="col">Rank</th><th scope="col">Name</th>`, text(p.head.Name))
	switch p.kind {
	case scoring.ICPC:
		out.WriteString(`<th scope="col">Solved</th><th scope="col"><abbr title="minutes of the accepted submissions, and ` +
			`what rejected ones before them cost">Penalty</abbr></th>`)
	case scoring.Points:
		out.WriteString(`<th scope="col">Points</th><th scope="col"><abbr title="of the last accepted submission, and what ` +
			`rejected ones before accepted ones cost">Time</abbr></th>`)
	default:
		out.WriteString(`<th scope="col">Points</th>`)
	}
	for _, q := range problems {
		if p.static {
			fmt.Fprintf(&out, `<th scope="col"><abbr title="%s">%s</abbr>`, text(q.Title), text(q.Label))
		} else {
			fmt.Fprintf(&out, `<th scope="col"><a href="%s/p/%s" title="%s">%s</a>`, p.head.base(), text(pathPart(q.Label)),
				text(q.Title), text(q.Label))
		}
		if colorPattern.MatchString(q.Color) {
			fmt.Fprintf(&out, `<svg viewBox="0 0 2 2" aria-hidden="true"><circle cx="1" cy="1" r=".9" fill="%s"/></svg>`, q.Color)
		}
		out.WriteString(`</th>`)
	}
	out.WriteString("</tr></thead><tbody>\n")
	return out.Bytes()
}

// totals renders the row with the totals.
func (p *renderer) totals(columns []scoring.Column) []byte {
	var out bytes.Buffer
	wide := 4
	if p.kind == scoring.IOI {
		wide = 3
	}
	fmt.Fprintf(&out, `<tr id="sums"><th scope="row" colspan="%d">solved by / tried by</th>`, wide)
	for _, c := range columns {
		fmt.Fprintf(&out, `<td>%d / %d</td>`, c.Solved, c.Attempted)
	}
	out.WriteString(`</tr>`)
	return out.Bytes()
}

// cells renders a row without its rank.
func (p *renderer) cells(r *scoring.Row) []byte {
	out := make([]byte, 0, 200+80*len(r.Cells))
	out = append(out, `<th scope="row">`...)
	out = p.emblems(out, r.Team)
	out = append(out, `<bdi>`...)
	out = append(out, text(r.Team.Name)...)
	out = append(out, `</bdi>`...)
	if r.Team.Affiliation != "" {
		out = append(out, `<small><bdi>`...)
		out = append(out, text(r.Team.Affiliation)...)
		out = append(out, `</bdi></small>`...)
	}
	out = append(out, `</th><td>`...)
	if p.kind == scoring.ICPC {
		out = strconv.AppendInt(out, int64(r.Solved), 10)
		out = append(out, `</td><td>`...)
		out = strconv.AppendInt(out, int64(r.Time/time.Minute), 10)
	} else {
		out = append(out, formatPoints(r.Points)...)
		if p.kind == scoring.Points {
			out = append(out, `</td><td>`...)
			out = appendClock(out, r.Time)
		}
	}
	out = append(out, `</td>`...)
	for i := range r.Cells {
		out = p.cell(out, &r.Cells[i])
	}
	return append(out, "</tr>\n"...)
}

// cell renders a cell. Signs and words carry the meaning, never color alone: "+2" means accepted after 2 rejected
// attempts, "-3" 3 rejected attempts, "?1" 1 pending submission, and a star the first solution.
func (p *renderer) cell(out []byte, c *scoring.Cell) []byte {
	if c.Attempts == 0 && c.Pending == 0 {
		return append(out, `<td></td>`...)
	}
	out = append(out, `<td class="`...)
	switch {
	case c.First:
		out = append(out, `first">`...)
	case c.Solved:
		out = append(out, `ac">`...)
	case c.Pending > 0:
		out = append(out, `open">`...)
	case c.Points > 0:
		out = append(out, `part">`...)
	default:
		out = append(out, `wa">`...)
	}
	word := func(s string) {
		out = append(out, `<span class="said">`...)
		out = append(out, s...)
		out = append(out, `</span>`...)
	}
	number := func(before string, n int) {
		out = append(out, before...)
		out = strconv.AppendInt(out, int64(n), 10)
	}
	if c.First {
		word("first to solve: ")
		out = append(out, `<b aria-hidden="true">★</b>`...)
	}
	switch {
	case p.kind == scoring.IOI && c.Attempts > 0:
		out = append(out, `<b>`...)
		out = append(out, formatPoints(c.Points)...)
		out = append(out, `</b>`...)
		word(" points, ")
		number(`<small>`, c.Attempts)
		out = append(out, `×</small>`...)
	case p.kind == scoring.IOI:
	case c.Solved:
		word("accepted ")
		if c.Attempts == 1 {
			out = append(out, `<b>+</b>`...)
		} else {
			number(`<b>+`, c.Attempts-1)
			out = append(out, `</b>`...)
		}
		out = append(out, `<small>`...)
		if p.kind == scoring.ICPC {
			out = strconv.AppendInt(out, int64(c.Time/time.Minute), 10)
		} else {
			out = appendClock(out, c.Time)
		}
		out = append(out, `</small>`...)
	case c.Attempts > 0:
		word("rejected ")
		number("<b>\u2212", c.Attempts)
		out = append(out, `</b>`...)
	}
	if c.Pending > 0 {
		word(" pending ")
		number(`<i>?`, c.Pending)
		out = append(out, `</i>`...)
	}
	return append(out, `</td>`...)
}

// formatPoints formats a score, such as "100" or "33.5".
func formatPoints(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// appendClock appends a duration, such as "1:05:09".
func appendClock(out []byte, d time.Duration) []byte {
	if d < 0 {
		out, d = append(out, "\u2212"...), -d
	}
	two := func(n int64) {
		out = append(out, ':', byte('0'+n/10), byte('0'+n%10))
	}
	out = strconv.AppendInt(out, int64(d/time.Hour), 10)
	two(int64(d/time.Minute) % 60)
	two(int64(d/time.Second) % 60)
	return out
}

// pathPart escapes a label for use as a part of a path.
func pathPart(label string) string {
	var out strings.Builder
	for _, b := range []byte(label) {
		if b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9' || b == '-' || b == '_' {
			out.WriteByte(b)
		} else {
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

// appendRow appends a row of the table.
func (l *renderedRow) appendRow(out []byte, rank int, tied bool) []byte {
	out = append(out, `<tr id="t-`...)
	out = append(out, text(l.id)...)
	switch {
	case rank == 0:
		out = append(out, `" data-rank="none"><td><span class="said">not ranked</span>`...)
	case tied:
		out = append(out, `" data-rank="tied"><td>`...)
		out = strconv.AppendInt(out, int64(rank), 10)
	default:
		out = append(out, `"><td>`...)
		out = strconv.AppendInt(out, int64(rank), 10)
	}
	out = append(out, `</td>`...)
	return append(out, l.cells...)
}

// html returns the HTML of a sheet. It contains all teams, or one group with its own ranks.
func (p *renderer) html(s *sheet, group string, version int64) []byte {
	size := len(s.head) + len(s.totals) + 2000
	for i := range s.rows {
		size += len(s.rows[i].cells) + 80
	}
	out := make([]byte, 0, size)
	view := ""
	if p.jury {
		view = "?view=jury"
	}
	out = append(out, `<section class="scores"`...)
	if !p.static {
		out = fmt.Appendf(out, ` data-version="%d" data-board="%s/scoreboard/events%s"`, version, p.head.base(), view)
	}
	if group != "" {
		out = append(out, ` data-group`...)
	}
	out = append(out, '>')
	for _, note := range s.notes {
		class := "box warn"
		if strings.HasPrefix(note, freezeNote) {
			class = "soft" // nothing is hidden yet
		}
		out = append(out, `<p class="`+class+`">`...)
		out = append(out, text(note)...)
		out = append(out, "</p>\n"...)
	}
	if len(s.groups) > 0 {
		out = p.filters(out, s.groups, group)
	}
	out = append(out, `<div class="scroll" tabindex="0" role="region" aria-label="Scoreboard">`...)
	out = append(out, s.head...)
	ranked, rank, above := 0, 0, -1
	var shown []*scoring.Row
	for i := range s.rows {
		l := &s.rows[i]
		if group != "" && !slices.Contains(l.groups, group) {
			continue
		}
		tied := l.rank == above
		if l.rank == 0 {
			out = l.appendRow(out, 0, false)
			continue
		}
		if ranked++; !tied {
			rank = ranked
		}
		out = l.appendRow(out, rank, tied)
		above = l.rank
		shown = append(shown, l.row)
	}
	sums := s.totals
	if group != "" {
		sums = p.totals(columnTotals(shown))
	}
	out = append(out, "</tbody><tfoot>"...)
	out = append(out, sums...)
	out = append(out, "</tfoot></table></div>\n"...)
	if len(s.rows) == 0 {
		out = append(out, "<p>No teams yet.</p>\n"...)
	}
	out = append(out, p.legend()...)
	return append(out, "</section>\n"...)
}

// columnTotals returns the totals of the given teams' rows.
func columnTotals(rows []*scoring.Row) []scoring.Column {
	var teams []scoring.Column
	for _, r := range rows {
		if teams == nil {
			teams = make([]scoring.Column, len(r.Cells))
		}
		for i, c := range r.Cells {
			if c.Solved {
				teams[i].Solved++
			}
			if c.Attempts > 0 || c.Pending > 0 {
				teams[i].Attempted++
			}
		}
	}
	return teams
}

// filters renders links to the scoreboards of groups.
func (p *renderer) filters(out []byte, groups []string, group string) []byte {
	out = append(out, `<nav aria-label="Groups"><ul class="filters">`...)
	for i, g := range append([]string{""}, groups...) {
		out = append(out, `<li><a href="`...)
		out = append(out, p.link(i-1, g)...)
		out = append(out, '"')
		if g == group {
			out = append(out, ` aria-current="page"`...)
		}
		out = append(out, `><bdi>`...)
		if g == "" {
			g = "All"
		}
		out = append(out, text(g)...)
		out = append(out, `</bdi></a></li>`...)
	}
	return append(out, "</ul></nav>\n"...)
}

// link returns the address of the page of a group, safe in HTML. The group is given by its index and its name. If
// group is empty, link returns the address of the page of all teams.
func (p *renderer) link(depth int, group string) string {
	if p.static {
		return staticName(depth)
	}
	address, query := p.head.base()+"/scoreboard", "?"
	if p.jury {
		address, query = address+"?view=jury", "&amp;"
	}
	if group != "" {
		address += query + "group=" + pathPart(group)
	}
	return address
}

// legend returns the explanation of the signs.
func (p *renderer) legend() string {
	if p.kind == scoring.IOI {
		return `<p class="key"><b>60</b> points, after so many submissions (<small>3×</small>) · <i>?1</i> pending</p>`
	}
	return `<p class="key"><b>+</b> accepted, and when · <b>+2</b> after 2 rejected submissions · <b>★</b> first to ` +
		`solve · <b>` + "\u2212" + `3</b> rejected · <i>?1</i> pending</p>`
}
