package server

import (
	"io"
	"net/http"
	"time"
)

// patience is how long a request may take to send its body, and how long a connection is held for
// a body that was refused or need not be read.
type patience struct {
	stall time.Duration // without a byte
	all   time.Duration // for a body of less than a MiB; each MiB has another second
	rest  time.Duration // for what no handler has read
}

// usualPatience ends the upload of a laptop that went to sleep. A slow line that still sends has
// more time.
var usualPatience = patience{stall: 10 * time.Second, all: time.Minute, rest: 5 * time.Second}

// timed serves requests whose bodies come in time: no connection is held for one that never
// comes.
func timed(next http.Handler, p patience) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		body := &timedBody{ReadCloser: r.Body, c: http.NewResponseController(w), stall: p.stall, all: p.all + time.Duration(max(r.ContentLength, 0)>>20)*time.Second}
		r.Body = body
		// net/http itself reads what no handler has read before it answers.
		_ = body.c.SetReadDeadline(time.Now().Add(p.stall)) // a recorder of tests has none
		next.ServeHTTP(w, r)
		if !body.ended {
			_ = body.c.SetReadDeadline(time.Now().Add(p.rest))
		}
	})
}

// timedBody sets the connection's deadline before each read. It removes the deadline when the body
// is there: what is done with it may take longer, and the deadline would end the request.
type timedBody struct {
	io.ReadCloser
	c          *http.ResponseController
	stall, all time.Duration
	end        time.Time // zero until the first read
	ended      bool      // it was read as far as it came
}

func (b *timedBody) Read(p []byte) (int, error) {
	now := time.Now()
	if b.end.IsZero() { // the time starts when a handler reads the body: before, the client waits for the server
		b.end = now.Add(b.all)
	}
	deadline := now.Add(b.stall)
	if deadline.After(b.end) {
		deadline = b.end
	}
	if !b.ended {
		_ = b.c.SetReadDeadline(deadline)
	}
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && !b.ended {
		_ = b.c.SetReadDeadline(time.Time{})
	}
	b.ended = b.ended || err != nil // of one that was cut nothing is waited for any more
	return n, err
}
