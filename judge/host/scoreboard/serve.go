package scoreboard

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

//go:embed scoreboard.js
var script string

// Script returns the script that keeps a scoreboard page up to date in a browser. The page also works without it.
func Script() string { return script }

const (
	// keepAliveEvery is the interval after which an idle stream sends a comment.
	keepAliveEvery = 15 * time.Second
	// sendTimeout is the maximum time for a viewer to receive data.
	sendTimeout = 5 * time.Second
)

// ServePage responds with a scoreboard page of all teams, or of the group in the query. If the group does not
// exist, it returns false and writes nothing.
func (l *Live) ServePage(w http.ResponseWriter, r *http.Request, viewer Viewer) (exists bool, err error) {
	p, err := l.Page(viewer, r.URL.Query().Get("group"))
	if p == nil {
		return false, err
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("ETag", p.ETag)
	h.Set("Cache-Control", "no-cache") // stored, and revalidated each time
	h.Add("Vary", "Accept-Encoding, Cookie")
	if match := r.Header.Get("If-None-Match"); match == "*" || strings.Contains(match, p.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return true, nil
	}
	body := p.Plain
	if AcceptsGzip(r.Header.Get("Accept-Encoding")) {
		h.Set("Content-Encoding", "gzip")
		body = p.Gzip()
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body) // the viewer may be gone
	return true, nil
}

// AcceptsGzip reports whether an Accept-Encoding header accepts gzip.
func AcceptsGzip(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name = strings.TrimSpace(name); name != "gzip" && name != "*" {
			continue
		}
		q, weighed := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		value, err := strconv.ParseFloat(q, 64)
		return !weighed || err == nil && value > 0
	}
	return false
}

// ServeCSV responds with a scoreboard as a table.
func (l *Live) ServeCSV(w http.ResponseWriter, _ *http.Request, jury bool) {
	c, places, _ := l.Scores(jury)
	SendTable(w, "board.csv", CSV(c, places))
}

// ServeEvents streams the changes of a scoreboard. It starts at the version in the query, or after the last change
// that the viewer received. It ends when the viewer disconnects or the Registry closes.
func (h *Registry) ServeEvents(w http.ResponseWriter, r *http.Request, l *Live, jury bool) {
	text := r.URL.Query().Get("version")
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		text = last
	}
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		http.Error(w, "the version of a board is a number", http.StatusBadRequest)
		return
	}
	out := http.NewResponseController(w)
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	send := func(format string, args ...any) bool {
		// Setting a deadline fails with a test's response recorder.
		_ = out.SetWriteDeadline(time.Now().Add(sendTimeout))
		_, err := fmt.Fprintf(w, format, args...)
		return err == nil && out.Flush() == nil
	}
	watch := l.Watch(jury)
	defer watch.Close()
	if !send("retry: %d\n\n", 2000+rand.IntN(2000)) {
		return
	}
	still := time.NewTimer(keepAliveEvery)
	defer still.Stop()
	for {
		patches, changed, ok := watch.Next(version)
		if !ok {
			known := watch.Version()
			patches = []Patch{{Version: known, Data: fmt.Appendf(nil, `{"from":%d,"to":%d,"all":true}`, version, known)}}
		}
		for _, p := range patches {
			if !send("event: board\nid: %d\ndata: %s\n\n", p.Version, p.Data) {
				return
			}
			version = p.Version
		}
		still.Reset(keepAliveEvery)
		select {
		case <-r.Context().Done():
			return
		case <-h.done:
			return
		case <-changed:
		case <-still.C:
			if !send(":\n\n") {
				return
			}
		}
	}
}
