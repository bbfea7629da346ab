package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// OpenStream opens an event stream. The function send writes text and flushes it. It returns false if the reader
// has disconnected.
func OpenStream(w http.ResponseWriter) (send func(text string) bool, ok bool) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	controller := http.NewResponseController(w)
	send = func(text string) bool {
		_ = controller.SetWriteDeadline(time.Now().Add(writeTimeout)) // not supported by test recorders
		_, err := w.Write([]byte(text))
		return err == nil && controller.Flush() == nil
	}
	return send, send("retry: 3000\n\n")
}

// limitStreams handles a stream unless the caller has too many. A stream inside a shared connection does not count
// separately.
func (s *Site) limitStreams(w http.ResponseWriter, r *Request, rt Route) error {
	if _, nested := w.(*topicWriter); !nested {
		leave, err := s.OpenStream(r.Context(), r.Me, r.RemoteAddr)
		if err != nil {
			w.Header().Set("Retry-After", "10")
			return err
		}
		defer leave()
	}
	ctx, end := context.WithCancel(r.Context())
	defer end()
	r.Request = r.WithContext(ctx)
	go s.watchAccess(ctx, end, *r, rt)
	return rt.Handle(w, r)
}

// watchAccess calls end when the session of a stream ends or its reader loses access to it. It checks once per
// KeepAlive.
func (s *Site) watchAccess(ctx context.Context, stop func(), r Request, rt Route) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.KeepAlive):
		}
		now := &Request{Request: r.Request}
		if r.Session != nil {
			var err error
			now.Session, now.Me, err = s.Store.Session(ctx, r.Session.Hash)
			if errors.Is(err, store.ErrNotFound) {
				stop()
				return
			}
			if err != nil {
				continue
			}
		}
		err := s.resolve(now, rt)
		if _, refused := errors.AsType[*intake.Refusal](err); refused || errors.Is(err, ErrLoginRequired) {
			stop()
			return
		}
	}
}

// The times of a stream.
const (
	redrawInterval = 400 * time.Millisecond // at most
	writeTimeout   = 5 * time.Second
	accessInterval = 2 * time.Second // another server may have seen the end of a judgement
)

// A Watch reports events of a job or a workflow, like the watches of package dispatch.
type Watch interface {
	Next(from int) (events [][]byte, changed <-chan struct{}, ended bool)
}

// StreamPart streams a part of a page whenever it changes. It calls draw when a watch has events, and from time to
// time. It ends when draw returns false for open. The argument what names the stream in the log.
func (s *Site) StreamPart(w http.ResponseWriter, r *Request, name string, draw func() (part template.HTML, open bool, err error),
	watches ...Watch) error {
	send, ok := OpenStream(w)
	if !ok {
		return nil
	}
	before, lastSent := template.HTML(""), time.Now()
	for {
		var moved [2]<-chan struct{} // taken before draw, so that no change is missed
		for i, w := range watches {
			_, moved[i], _ = w.Next(0)
		}
		part, open, err := draw()
		if err != nil {
			if r.Context().Err() == nil {
				s.Log.Error("draw what changes", "of", name, "error", err)
			}
			return nil // the browser reconnects
		}
		text := ""
		switch {
		case !open:
			send(FormatEvent("end", string(part)))
			return nil
		case part != before:
			text = FormatEvent("part", string(part))
		case time.Since(lastSent) > s.KeepAlive:
			text = ": still here\n\n"
		}
		if text != "" {
			if !send(text) {
				return nil
			}
			before, lastSent = part, time.Now()
		}
		select { // limits updates to a readable rate
		case <-r.Context().Done():
			return nil
		case <-time.After(redrawInterval):
		}
		select {
		case <-r.Context().Done():
			return nil
		case <-moved[0]:
		case <-moved[1]:
		case <-time.After(accessInterval):
		}
	}
}

// FormatEvent formats an event for a stream.
func FormatEvent(name, data string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "event: %s\n", name)
	for line := range strings.SplitSeq(strings.ReplaceAll(data, "\r", ""), "\n") {
		fmt.Fprintf(&b, "data: %s\n", line)
	}
	b.WriteString("\n")
	return b.String()
}

// maxTopics is the maximum number of streams per connection.
const maxTopics = 32

// topicEvent is an event of one of a connection's streams.
type topicEvent struct {
	Topic string `json:"topic"`
	Event string `json:"event"`
	Data  string `json:"data"`
}

// multiplexEvents carries several streams of this server in one connection, because browsers open only a few connections.
// Each parameter t is the address of a stream. The permissions for a stream are checked as if it were requested
// alone. If the caller may not read a stream, it sends no events.
func (s *Site) multiplexEvents(w http.ResponseWriter, r *Request) error {
	topics := r.URL.Query()["t"]
	if len(topics) == 0 || len(topics) > maxTopics {
		return BadRequest("a connection must request 1 to %d streams", maxTopics)
	}
	addresses := make([]*url.URL, len(topics))
	for i, t := range topics {
		u, err := url.Parse(t)
		if err != nil || u.Host != "" || u.Scheme != "" || !strings.HasPrefix(u.Path, "/") || !s.isStream(u) {
			return BadRequest("%.100q is not a stream of this server", t)
		}
		addresses[i] = u
	}
	send, ok := OpenStream(w)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithCancel(r.Context())
	frames := make(chan string)
	var streams sync.WaitGroup
	defer streams.Wait()
	defer cancel() // ends all streams
	for i, u := range addresses {
		streams.Go(func() {
			request := r.Request.Clone(ctx)
			request.URL, request.RequestURI = u, u.RequestURI()
			request.Header.Del("Last-Event-ID") // it belongs to another stream
			s.mux.ServeHTTP(&topicWriter{ctx: ctx, topic: topics[i], messages: frames, header: http.Header{}}, request)
		})
	}
	still := time.NewTicker(s.KeepAlive)
	defer still.Stop()
	for {
		text := ": still here\n\n"
		select {
		case <-ctx.Done():
			return nil
		case text = <-frames:
		case <-still.C:
		}
		if !send(text) {
			return nil
		}
	}
}

// isStream reports whether u is the address of a single stream.
func (s *Site) isStream(u *url.URL) bool {
	_, pattern := s.mux.Handler(&http.Request{Method: http.MethodGet, URL: u})
	return strings.HasSuffix(pattern, "/events") && pattern != "GET /events"
}

// topicWriter forwards the events of one stream. It discards responses that are not streams.
type topicWriter struct {
	ctx        context.Context
	topic      string
	messages   chan<- string
	header     http.Header
	incomplete []byte // incomplete event
}

func (t *topicWriter) Header() http.Header { return t.header }

func (t *topicWriter) WriteHeader(int) {}

// FlushError does nothing, because events are not buffered. It returns the error of the context.
func (t *topicWriter) FlushError() error { return t.ctx.Err() }

func (t *topicWriter) Write(p []byte) (int, error) {
	if t.header.Get("Content-Type") != "text/event-stream" {
		return len(p), nil
	}
	t.incomplete = append(t.incomplete, p...)
	for {
		event, rest, found := bytes.Cut(t.incomplete, []byte("\n\n"))
		if !found {
			return len(p), nil
		}
		t.incomplete = rest
		e := topicEvent{Topic: t.topic}
		var data []string
		for line := range strings.Lines(string(event)) {
			key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
			switch value = strings.TrimPrefix(value, " "); key {
			case "event":
				e.Event = value
			case "data":
				data = append(data, value)
			}
		}
		if e.Event == "" {
			continue
		}
		e.Data = strings.Join(data, "\n")
		text, err := json.Marshal(e)
		if err != nil {
			return 0, err
		}
		select {
		case t.messages <- FormatEvent("topic", string(text)):
		case <-t.ctx.Done():
			return 0, t.ctx.Err()
		}
	}
}
