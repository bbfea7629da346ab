package web

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/report"
)

//go:embed templates static
var files embed.FS

// Templates returns the templates of a package by page name. It parses them once.
type Templates func() (map[string]*template.Template, error)

// sharedTemplates returns the templates that all pages share.
var sharedTemplates = sync.OnceValues(func() (*template.Template, error) {
	t, err := template.New("").Funcs(functions).ParseFS(files, "templates/base.html", "templates/parts.html")
	if err != nil {
		return nil, fmt.Errorf("read the templates: %w", err)
	}
	return t, nil
})

var templates = NewTemplates(files)

// NewTemplates returns the templates in the files templates/*.html. Each is a page with its own "body" inside the
// common frame.
func NewTemplates(files fs.FS) Templates {
	return sync.OnceValues(func() (map[string]*template.Template, error) {
		around, err := sharedTemplates()
		if err != nil {
			return nil, err
		}
		names, err := fs.Glob(files, "templates/*.html")
		if err != nil {
			return nil, err
		}
		parsed := map[string]*template.Template{}
		for _, path := range names {
			t, err := around.Clone()
			if err == nil {
				t, err = t.ParseFS(files, path)
			}
			if err != nil {
				return nil, fmt.Errorf("read the template %s: %w", path, err)
			}
			parsed[strings.TrimSuffix(strings.TrimPrefix(path, "templates/"), ".html")] = t
		}
		return parsed, nil
	})
}

// template returns the template of a page.
func (s *Site) template(name string) (*template.Template, error) {
	for _, parse := range s.templates {
		parsed, err := parse()
		if err != nil {
			return nil, err
		}
		if t := parsed[name]; t != nil {
			return t, nil
		}
	}
	return nil, fmt.Errorf("there is no template %s", name)
}

// RenderPage renders a page and sends it. If code is that of an error, such as for a refused form, the page's title
// begins with "Error:". If Page returns an error, it has sent nothing.
func (s *Site) RenderPage(w http.ResponseWriter, r *Request, code int, name, title string, view any) error {
	asks := name == "login" && code == http.StatusUnauthorized // a form came without a session
	if v, is := view.(confirmView); is {
		asks = len(v.Errors) == 0
	}
	if code >= http.StatusBadRequest && name != "refused" && !asks && !strings.HasPrefix(title, "Error: ") {
		title = "Error: " + title
	}
	page, err := s.drawPage(r, name, title, view)
	if err != nil {
		return err
	}
	s.sendPage(w, r.Request, code, page)
	return nil
}

// drawPage draws a page.
func (s *Site) drawPage(r *Request, name, title string, view any) ([]byte, error) {
	t, err := s.template(name)
	if err != nil {
		return nil, err
	}
	p := newPageView(s.Name, title, view)
	can := func(a auth.Action) bool { return auth.Can(intake.ServerRole(r.Me), a, auth.State{}) }
	p.Me, p.Insecure = r.Me, s.Insecure(r) && can(auth.ManageAccounts)
	if r.Me == nil {
		p.Return = r.currentPath()
	} else {
		p.Role = roleText(intake.ServerRole(r.Me))
	}
	if r.Access != nil {
		if p.Head, err = r.Access.Head(r); err != nil {
			return nil, err
		}
	}
	if p.Nav.Tabs == nil {
		object := p.Nav.Object
		p.Nav = siteNav(r.URL.Path, can)
		p.Nav.Object = object
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "base", p); err != nil {
		return nil, fmt.Errorf("draw the page %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// RenderPart renders a part of a page that the page's template defines.
func (s *Site) RenderPart(page, name string, view any) (template.HTML, error) {
	t, err := s.template(page)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.ExecuteTemplate(&b, name, view); err != nil {
		return "", fmt.Errorf("draw a part of the page %s: %w", page, err)
	}
	return template.HTML(b.String()), nil
}

// RenderShared renders a page for all readers. The page differs only in whether the reader is logged in.
func (t Templates) RenderShared(server, name, title string, loggedIn bool, head Head, view any) ([]byte, error) {
	parsed, err := t()
	if err != nil {
		return nil, err
	}
	p := newPageView(server, title, view)
	p.Head, p.LoggedIn = head, loggedIn
	var b bytes.Buffer
	if err := parsed[name].ExecuteTemplate(&b, "base", p); err != nil {
		return nil, fmt.Errorf("draw the page %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// Insecure reports whether other users of the network could read what the browser sends, because it does not use
// HTTPS.
func (s *Site) Insecure(r *Request) bool { return !s.Secure && !loopback(r.Host) }

// IsLoopback reports whether the address of the server works only on this machine.
func (s *Site) IsLoopback() bool {
	address, err := url.Parse(s.URL)
	return err == nil && loopback(address.Host)
}

// loopback reports whether host refers to the machine itself.
func loopback(host string) bool {
	name := strings.TrimSuffix(host, ":"+(&url.URL{Host: host}).Port())
	return name == "localhost" || strings.HasPrefix(name, "127.") || name == "[::1]"
}

// serverZone returns the abbreviation of the server's time zone.
func serverZone() string {
	name, _ := time.Now().Zone()
	return name
}

// functions are the template functions. html/template escapes their results.
var functions = template.FuncMap{
	"iso":     func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"local":   func(t time.Time) string { return t.Local().Format("2 Jan 2006, 15:04:05") },
	"clock":   func(t time.Time) string { return t.Local().Format("2 Jan, 15:04") },
	"span":    formatDuration,
	"class":   report.VerdictClass,
	"visible": visible,
	"bytes":   formatSize,
	"seconds": func(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) + " s" },
	"join":    strings.Join,
	"add":     func(a, b int) int { return a + b },
	"counted": CountText,
	"percent": func(share float64) string { return fmt.Sprintf("%.0f", 100*share) },
	"rows":    func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") },
}

// visible escapes invisible and confusable characters in untrusted text, as in reports. It keeps the characters
// that join letters and emoji in names.
func visible(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexFunc(text, func(c rune) bool { return auth.IsJoiner(c) || unicode.Is(unicode.Zs, c) })
		if i < 0 {
			return b.String() + report.EscapeText(text)
		}
		_, n := utf8.DecodeRuneInString(text[i:])
		b.WriteString(report.EscapeText(text[:i]) + text[i:i+n])
		text = text[i+n:]
	}
}

// formatDuration formats a duration to the minute, or to the second if it is shorter than a minute.
func formatDuration(d time.Duration) string {
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

func formatSize(n int64) string {
	switch {
	case n < 10<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 10<<20 && n%(1<<20) != 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// The names of static files contain a digest, so that browsers can cache the files forever.
var (
	style      = []byte(report.Style() + mustReadFile("style.css") + report.BookletStyle() + scoreboard.Style())
	script     = []byte(mustReadFile("stream.js") + mustReadFile("live.js") + scoreboard.Script())
	shared     = []byte(mustReadFile("stream.js") + mustReadFile("shared.js"))
	styleName  = "style-" + string(blob.DigestOf(style))[:12] + ".css"
	scriptName = "live-" + string(blob.DigestOf(script))[:12] + ".js"
	sharedName = "shared-" + string(blob.DigestOf(shared))[:12] + ".js"
)

func mustReadFile(name string) string {
	data, err := files.ReadFile("static/" + name)
	if err != nil {
		panic(err) // the file is embedded in the program
	}
	return string(data)
}

func (s *Site) static(w http.ResponseWriter, r *Request) error {
	static := map[string]struct {
		kind string
		data []byte
	}{
		styleName: {"text/css", style}, scriptName: {"text/javascript", script}, sharedName: {"text/javascript", shared},
		"icon.svg": {"image/svg+xml", []byte(mustReadFile("icon.svg"))},
	}
	f, found := static[r.PathValue("file")]
	if !found {
		return ErrNotFound
	}
	w.Header().Set("Content-Type", f.kind+"; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	send(w, http.StatusOK, f.data, len(f.data) >= minCompressed && scoreboard.AcceptsGzip(r.Header.Get("Accept-Encoding")))
	return nil
}

// pageView holds the data that every page needs.
type pageView struct {
	Title, Site            string
	Me                     *store.Account
	Role                   string // display name of the role of Me
	Styles, Script, Worker string
	Zone                   string
	Insecure               bool // passwords are readable on the network
	Head
	LoggedIn bool   // the reader of a shared page is logged in
	Return   string // page to return to after a login; empty for the home page
	View     any
}

func newPageView(site, title string, view any) pageView {
	return pageView{Title: title, Site: site, Styles: styleName, Script: scriptName, Worker: sharedName, Zone: serverZone(), View: view}
}

// A Head is the part above a page that depends on the object in its address.
type Head struct {
	Nav Nav // if it has no tabs, the site's are used
	// Clock is the clock of the contest. If nil, the page has none.
	Clock *Clock
}

// A Clock shows the time until a contest starts or ends.
type Clock struct {
	Before, After string    // text before and after the time
	Until         time.Time // end of the countdown; zero if there is none
	Text          string    // shown if scripts are disabled
}

// ClockAt returns the clock of a contest at now. Zero times mean that the start or end is not set.
func ClockAt(now, starts, ends time.Time) Clock {
	switch {
	case starts.IsZero():
		return Clock{Text: "not scheduled"}
	case now.Before(starts):
		return Clock{Before: "starts in ", Until: starts, Text: "starts in " + formatDuration(starts.Sub(now))}
	case ends.IsZero():
		return Clock{Text: "open"}
	case now.Before(ends):
		return Clock{After: " left", Until: ends, Text: formatDuration(ends.Sub(now)) + " left"}
	}
	return Clock{Text: "ended"}
}

// WithoutCountdown returns the clock for a cached page. Without scripts, it shows when the contest starts or ends, because a
// cached time left would be outdated.
func (c Clock) WithoutCountdown() Clock {
	switch at := c.Until.Local().Format("2 Jan, 15:04 MST"); {
	case c.Until.IsZero():
	case c.Before != "":
		c.Text = "starts " + at
	default:
		c.Text = "ends " + at
	}
	return c
}

// UnreadCount counts the clarifications that the reader has not read. For the jury, it counts the requests without an
// answer.
type UnreadCount struct {
	Count int
	Words string
}

// errorView is an error page.
type errorView struct {
	Text, Hint string
	FormSent   bool // the request sent a form, which the browser still holds
	Back       *Tab // the previous page; nil if unknown
}
