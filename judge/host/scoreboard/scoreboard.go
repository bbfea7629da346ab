// Package scoreboard holds the live scoreboards of contests: their state in memory, rendered as HTML once for each
// change and view, and sent as bytes.
//
//   - There are two views, for the public and for the jury. Nothing is rendered for a single viewer:
//     groups of teams are filters over rows that were rendered for all.
//   - A scoreboard changes at most twice per second. Without viewers nothing is rendered or read.
//   - A Page is stored both uncompressed and compressed, with an ETag. An open page receives the rows
//     that changed, as bytes that all viewers share. A viewer that missed changes reloads the page.
//   - The HTML needs no script. Each mark has a text for screen readers, no meaning depends on
//     color alone, and all names are escaped.
//
// Package scoring computes scoreboards. This package does not know who may see which view, and does not render the
// page around a scoreboard: the caller's Frame does.
package scoreboard

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/judge/host/scoring"
)

//go:embed scoreboard.css
var style string

// Style returns the style sheet of scoreboards. It uses the colors of the reports' style sheet.
func Style() string { return style }

// A Viewer lists the properties of a viewer that a page depends on.
type Viewer struct {
	Jury      bool // has the jury view
	CanChange bool // may change the contest
	LoggedIn  bool
	Projector bool // the page is for a projector
}

// A Frame returns the HTML before and after a scoreboard on its page. The result must depend only on its
// arguments.
type Frame func(h Heading, to Viewer) (before, after []byte, err error)

// RenderInterval is the minimum time between two renderings of a scoreboard.
const RenderInterval = 500 * time.Millisecond

// maxPatches is the number of recent changes that are kept for the viewers of a scoreboard.
const maxPatches = 64

// A Page is the page of a scoreboard. It never changes.
type Page struct {
	Version int64
	ETag    string // including the quotes
	Plain   []byte
	zip     func() []byte
}

// Gzip returns the compressed page. It is compressed only once.
func (p *Page) Gzip() []byte { return p.zip() }

// State is everything that a scoreboard depends on.
type State struct {
	Heading     Heading
	Contest     scoring.Contest
	Teams       []scoring.Team
	Submissions []scoring.Submission
}

// A Live is the scoreboard of one contest. Its methods are safe for concurrent use.
type Live struct {
	frame    Frame
	mu       sync.Mutex
	views    [2]*view // public and jury view
	nextDraw time.Time
}

// A view is a scoreboard as the public or the jury sees it.
type view struct {
	jury     bool
	board    *scoring.Scoreboard
	renderer renderer
	version  int64
	stale    bool // something changed since it was rendered
	rendered time.Time
	sheet    *sheet
	pages    map[pageKey]*Page // of the current version
	patches  []Patch           // the newest ones
	changed  chan struct{}     // closed when there is a newer version
	watchers int
	timer    *time.Timer // renders for viewers; nil if not set
}

// A pageKey identifies a page of a version of a view.
type pageKey struct {
	group  string // empty for all teams
	viewer Viewer
}

// New returns the scoreboard of a contest. The versions of its pages are higher than those of all earlier
// scoreboards on this machine. They differ by a large number from the versions on other servers, unless both
// scoreboards are created within the same 0.1 ms.
func New(s State, frame Frame) *Live {
	l := &Live{frame: frame}
	for i := range l.views {
		l.views[i] = &view{jury: i == 1, version: time.Now().UnixMicro(), changed: make(chan struct{})}
	}
	l.Reset(s)
	return l
}

// Reset replaces the state. Connected viewers receive the change.
func (l *Live) Reset(s State) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.nextDraw = s.Contest.NextChange(now)
	for _, v := range l.views {
		v.renderer = renderer{head: s.Heading, jury: v.jury}
		v.board = scoring.New(s.Contest, s.Teams, s.Submissions, viewOf(&s.Contest, v.jury, now))
		v.stale = true
		l.wake(v, now)
	}
}

func viewOf(c *scoring.Contest, jury bool, now time.Time) scoring.View {
	if jury {
		return c.Jury()
	}
	return c.Public(now)
}

// Apply updates submissions and teams to their current state.
func (l *Live) Apply(submissions []scoring.Submission, teams []scoring.Team) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for _, v := range l.views {
		v.board.Apply(scoring.Change{Submissions: submissions, Teams: teams})
		v.stale = true
		l.wake(v, now)
	}
}

// wake sets the timer of a view to the next time that the view must be rendered. It does nothing if the view has
// no viewers.
func (l *Live) wake(v *view, now time.Time) {
	if v.watchers == 0 {
		return
	}
	var due time.Time
	switch {
	case v.stale:
		due = v.rendered.Add(RenderInterval)
	case !l.nextDraw.IsZero():
		due = l.nextDraw
	default:
		return
	}
	wait := max(due.Sub(now), 0)
	if v.timer == nil {
		v.timer = time.AfterFunc(wait, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			if v.watchers > 0 {
				l.draw(v, time.Now())
				l.wake(v, time.Now())
			}
		})
		return
	}
	v.timer.Reset(wait)
}

// tick applies changes that depend on the time: the start, the freeze, the end and the unfreezing.
func (l *Live) tick(now time.Time) {
	if l.nextDraw.IsZero() || now.Before(l.nextDraw) {
		return
	}
	for _, v := range l.views {
		c := v.board.Contest()
		if sight := viewOf(&c, v.jury, now); sight != v.board.View() {
			v.board.Apply(scoring.Change{View: &sight})
		}
		v.stale = true
		l.nextDraw = c.NextChange(now)
	}
}

// draw renders a view if a new version is due.
func (l *Live) draw(v *view, now time.Time) {
	l.tick(now)
	if !v.stale && v.sheet != nil || v.sheet != nil && now.Before(v.rendered.Add(RenderInterval)) {
		return
	}
	old := v.sheet
	v.sheet, v.rendered, v.stale = v.renderer.draw(v.board, now), now, false
	if old != nil {
		patch, any := diffSheets(old, v.sheet, v.version)
		if !any {
			return
		}
		if v.patches = append(v.patches, patch); len(v.patches) > maxPatches {
			v.patches = slices.Delete(v.patches, 0, len(v.patches)-maxPatches)
		}
	}
	v.version++
	v.pages = map[pageKey]*Page{}
	close(v.changed)
	v.changed = make(chan struct{})
}

func (l *Live) view(jury bool) *view {
	if jury {
		return l.views[1]
	}
	return l.views[0]
}

// Page returns the page for the viewer, with all teams or with one group. It returns nil if the group does not
// exist. The page is at most RenderInterval old. The error is that of the Frame.
func (l *Live) Page(viewer Viewer, group string) (*Page, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.view(viewer.Jury)
	l.draw(v, time.Now())
	if group != "" && !slices.Contains(v.sheet.groups, group) {
		return nil, nil
	}
	of := pageKey{group, viewer}
	if p := v.pages[of]; p != nil {
		return p, nil
	}
	before, after, err := l.frame(v.renderer.head, viewer)
	if err != nil {
		return nil, err
	}
	plain := slices.Concat(before, v.renderer.html(v.sheet, group, v.version), after)
	sum := sha256.Sum256(plain)
	p := &Page{Version: v.version, ETag: `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`, Plain: plain}
	p.zip = sync.OnceValue(func() []byte {
		var out bytes.Buffer
		w, _ := gzip.NewWriterLevel(&out, gzip.BestSpeed) // the level is valid
		w.Write(plain)                                    // writing to memory does not fail
		w.Close()
		return out.Bytes()
	})
	v.pages[of] = p
	return p, nil
}

// markStale makes the next request of each view render the page, even if the page was rendered recently.
func (l *Live) markStale() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, v := range l.views {
		v.rendered = time.Time{}
	}
}

// Notes returns the sentences above a scoreboard.
func (l *Live) Notes(jury bool) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	v, now := l.view(jury), time.Now()
	l.tick(now)
	c := v.board.Contest()
	return notes(&c, now, jury, v.renderer.head.Final)
}

// PendingCount returns the number of the contest's submissions that are pending for the jury.
func (l *Live) PendingCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.view(true).board.PendingCount()
}

// Scores returns the scoreboard data of one view.
func (l *Live) Scores(jury bool) (c scoring.Contest, places []scoring.RankedRow, columns []scoring.Column) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick(time.Now())
	b := l.view(jury).board
	return b.Contest(), b.Rows(), b.Columns()
}

// Balloons returns the balloons that balloon runners may see, and the problems as in the public view. The jury
// view would show the first solver of a problem, which may depend on submissions that are hidden from runners.
func (l *Live) Balloons(inFreeze int) (scoring.Balloons, []scoring.Column) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick(time.Now())
	public := l.views[0].board
	return l.views[1].board.Balloons(public.View(), inFreeze), public.Columns()
}

// A Watch receives the changes of a view. Call Close when you no longer need it.
type Watch struct {
	l    *Live
	v    *view
	once sync.Once
}

// Watch starts to watch a view.
func (l *Live) Watch(jury bool) *Watch {
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.view(jury)
	v.watchers++
	now := time.Now()
	l.draw(v, now)
	l.wake(v, now)
	return &Watch{l: l, v: v}
}

// Next returns the changes since a version, and a channel that is closed when the view changes again. If ok is
// false, the changes since the version are not known, and the viewer must reload the page.
func (w *Watch) Next(version int64) (patches []Patch, changed <-chan struct{}, ok bool) {
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	behind := w.v.version - version
	if behind < 0 || behind > int64(len(w.v.patches)) {
		return nil, w.v.changed, false
	}
	known := w.v.patches[int64(len(w.v.patches))-behind:]
	return known[:len(known):len(known)], w.v.changed, true
}

// Version returns the current version of the page.
func (w *Watch) Version() int64 {
	w.l.mu.Lock()
	defer w.l.mu.Unlock()
	return w.v.version
}

// Close ends the watch.
func (w *Watch) Close() {
	w.once.Do(func() {
		w.l.mu.Lock()
		defer w.l.mu.Unlock()
		if w.v.watchers--; w.v.watchers == 0 && w.v.timer != nil {
			w.v.timer.Stop()
			w.v.timer = nil
		}
	})
}

// Watchers returns the number of watches.
func (l *Live) Watchers() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.views[0].watchers + l.views[1].watchers
}

// A Patch describes the change from one version of a scoreboard to the next. It is JSON for the page's script, and
// all viewers share it.
type Patch struct {
	Version int64 // after the patch
	Data    []byte
}

// A patch is the content of a Patch. The script first removes the rows in Gone and Rows from the table, and then
// inserts each row of Rows at its index At, in order. Ranks follow from the order and from which rows are tied. If
// All is set, the page must be reloaded.
type patch struct {
	From int64      `json:"from"`
	To   int64      `json:"to"`
	All  bool       `json:"all,omitempty"`
	Gone []string   `json:"gone,omitempty"`
	Rows []patchRow `json:"rows,omitempty"`
	Sums string     `json:"sums,omitempty"`
}

type patchRow struct {
	ID   string `json:"id"`
	At   int    `json:"at"` // index from 0 in the complete table
	HTML string `json:"html"`
}

// diffSheets returns the difference between two sheets as a Patch of version from. It returns false if the sheets are
// equal.
func diffSheets(old, now *sheet, from int64) (Patch, bool) {
	p := patch{From: from, To: from + 1}
	before := make(map[string]*renderedRow, len(old.rows))
	for i := range old.rows {
		before[old.rows[i].id] = &old.rows[i]
	}
	p.All = !old.heading.equal(&now.heading) || !bytes.Equal(old.head, now.head) || !slices.Equal(old.notes, now.notes) ||
		!slices.Equal(old.groups, now.groups)
	for i := range now.rows {
		l := &now.rows[i]
		previous := before[l.id]
		delete(before, l.id)
		if previous != nil && previous.tied == l.tied && (previous.rank == 0) == (l.rank == 0) && bytes.Equal(previous.cells, l.cells) &&
			slices.Equal(previous.groups, l.groups) {
			continue
		}
		p.Rows = append(p.Rows, patchRow{ID: l.id, At: i, HTML: string(l.appendRow(nil, l.rank, l.tied))})
	}
	for id := range before {
		p.Gone = append(p.Gone, id)
	}
	slices.Sort(p.Gone)
	if !bytes.Equal(old.totals, now.totals) {
		p.Sums = string(now.totals)
	}
	if !p.All && len(p.Rows) == 0 && len(p.Gone) == 0 && p.Sums == "" {
		return Patch{}, false
	}
	if p.All || len(p.Rows) > 20 && len(p.Rows) > len(now.rows)/2 {
		p = patch{From: p.From, To: p.To, All: true}
	}
	data, err := json.Marshal(p)
	if err != nil { // cannot happen: it contains only strings and numbers
		data = fmt.Appendf(nil, `{"from":%d,"to":%d,"all":true}`, p.From, p.To)
	}
	return Patch{Version: p.To, Data: data}, true
}
