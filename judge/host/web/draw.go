package web

import (
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/report"
)

//go:embed templates static
var files embed.FS

// templates are the pages by their names, each with what is around it.
var templates = sync.OnceValues(func() (map[string]*template.Template, error) {
	names, err := files.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	base, err := template.New("").Funcs(functions).ParseFS(files, "templates/base.html", "templates/parts.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	all := map[string]*template.Template{}
	for _, n := range names {
		name := strings.TrimSuffix(n.Name(), ".html")
		if name == "base" || name == "parts" {
			continue
		}
		t, err := base.Clone()
		if err == nil {
			t, err = t.ParseFS(files, "templates/"+n.Name())
		}
		if err != nil {
			return nil, fmt.Errorf("read the template of %s: %w", name, err)
		}
		all[name] = t
	}
	return all, nil
})

// functions are what templates call. html/template does the quoting.
var functions = template.FuncMap{
	"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"local":   func(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04:05") },
	"clock":   func(t time.Time) string { return t.Local().Format("2 Jan, 15:04") },
	"span":    span,
	"class":   report.VerdictClass,
	"visible": visible,
	"bytes":   size,
	"seconds": func(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() },
	"or":      func(a, b string) string { return cmp.Or(a, b) },
	"join":    strings.Join,
	"add":     func(a, b int) int { return a + b },
	"percent": func(share float64) string { return fmt.Sprintf("%.0f", 100*share) },
	"lines":   func(lines []lineView, all bool) linesView { return linesView{lines, all} },
}

// visible makes a text of others harmless to look at, as in reports, but leaves what joins
// letters and pictures in a name as it is.
func visible(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexFunc(text, func(c rune) bool { return auth.Joins(c) || unicode.Is(unicode.Zs, c) })
		if i < 0 {
			return b.String() + report.Visible(text)
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		b.WriteString(report.Visible(text[:i]) + text[i:i+n])
		text = text[i+n:]
	}
}

// span is a length of time as people say it, to the minute, or to the second where it is
// short.
func span(d time.Duration) string {
	d = max(d, 0)
	if d < time.Minute {
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	var parts []string
	for _, unit := range []struct {
		d    time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}} {
		if n := d / unit.d; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
			d -= n * unit.d
		}
	}
	return strings.Join(parts, " ")
}

func size(n int64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// static files are named by what they hold, so that browsers keep them for ever.
var (
	style      = []byte(report.Style() + read("style.css") + board.Style())
	script     = []byte(read("stream.js") + read("live.js") + board.Script())
	shared     = []byte(read("stream.js") + read("shared.js"))
	styleName  = "style-" + string(blob.Of(style))[:12] + ".css"
	scriptName = "live-" + string(blob.Of(script))[:12] + ".js"
	sharedName = "shared-" + string(blob.Of(shared))[:12] + ".js"
)

func read(name string) string {
	data, err := files.ReadFile("static/" + name)
	if err != nil {
		panic(err) // it is part of the program
	}
	return string(data)
}

func (s *site) static(w http.ResponseWriter, r *ask) error {
	of := map[string]struct {
		kind string
		data []byte
	}{styleName: {"text/css", style}, scriptName: {"text/javascript", script}, sharedName: {"text/javascript", shared}, "icon.svg": {"image/svg+xml", []byte(read("icon.svg"))}}
	f, known := of[r.PathValue("file")]
	if !known {
		return errNothing
	}
	w.Header().Set("Content-Type", f.kind+"; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(f.data) // to one who may be gone
	return nil
}

// pageView is what every page has.
type pageView struct {
	Title, Site               string
	Me                        *store.Account
	Styles, Script, Worker    string
	Path                      string
	Zone                      string
	Insecure                  bool // passwords are readable on the network
	Accounts, Machines, Makes bool
	Audit                     bool
	Contest                   *contestHead
	Ladder                    *ladderHead
	Shared                    bool // the page is the same for all readers, but for LoggedIn
	LoggedIn                  bool // the reader is; of a Shared page
	View                      any
}

// contestHead is what stands above each page of a contest.
type contestHead struct {
	Slug, Name   string
	All, Changes bool
	Team         string     // id of the own one; "" for none
	Clock        *clockView // nil where it would be an old one
	News         *newsView  // nil for readers who may read none, and where it would be an old one
}

// clockView says where a contest is.
type clockView struct {
	Words string
	Until time.Time // what is counted down to; zero for nothing
	Left  time.Duration
}

func (s *site) clock(seat *desk.Seat) clockView {
	now, c := s.Time(), seat.Contest
	end := seat.Ends()
	switch {
	case c.Starts.IsZero():
		return clockView{Words: "no start is set yet"}
	case now.Before(c.Starts):
		return clockView{Words: "begins in", Until: c.Starts, Left: c.Starts.Sub(now)}
	case end.IsZero():
		return clockView{Words: "is open"}
	case now.Before(end):
		return clockView{Words: "ends in", Until: end, Left: end.Sub(now)}
	}
	return clockView{Words: "is over"}
}

// refusedView is a page that says what went wrong.
type refusedView struct {
	Text, Hint string
	Back       bool // a form was sent, which the browser still has
}

// lineView is a submission in a list.
type lineView struct {
	Slug     string // of the contest
	Number   int64
	Label    string // of the problem
	Who      string
	Program  string
	Received time.Time
	Late     bool // after the end, as practice
	State    stateView
}

// linesView is a list of submissions; All says that they are of several people.
type linesView struct {
	Lines []lineView
	All   bool
}

// stateView says what is thought of a submission, as far as who looks may know.
type stateView struct {
	Class string // of the style sheet
	Code  string // "" while there is no verdict
	Words string
	Score string
	Open  bool
	Note  string // what the staff decided; "" for nothing
}

// stateOfSent says what is thought of a submission that counts.
func stateOfSent(sub *store.Submission, staff bool) (v stateView) {
	if v = stateOf(sub.State, sub.Verdict, sub.Score, staff); sub.Given {
		v = stateOf(store.Done, sub.Verdict, sub.Score, true)
		v.Note = "by the staff"
	}
	if sub.Ignored {
		v.Note = "does not count"
	}
	return v
}

// stateOf says what is thought of a submission. To its author a judge error is a delay.
func stateOf(state store.JobState, v judge.Verdict, score string, staff bool) stateView {
	switch {
	case state == store.Cancelled:
		return stateView{Class: "none", Words: "cancelled"}
	case (state == store.Failed || v == judge.JudgeError) && !staff:
		return stateView{Class: "none", Words: "delayed: the staff look into it"}
	case v != judge.NotJudged:
		return stateView{Class: report.VerdictClass(v), Code: string(v), Words: v.Words(), Score: score}
	case state == store.Failed:
		return stateView{Class: "je", Code: string(judge.JudgeError), Words: "no worker could judge it"}
	case state == store.Out:
		return stateView{Class: "none", Words: "judging", Open: true}
	}
	return stateView{Class: "none", Words: "waiting", Open: true}
}
