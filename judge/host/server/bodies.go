package server

import (
	"io"
	"net/http"
	"time"
)

// bodyLimits are how long a request may take to send its body, and how long a connection stays open for a body that
// was rejected or need not be read.
type bodyLimits struct {
	stall time.Duration // without a byte
	all   time.Duration // for a body of less than 1 MiB; each MiB adds one second
	rest  time.Duration // for what no handler has read
}

// defaultBodyLimits end the upload of a laptop that went to sleep. A slow connection that still sends gets more time.
var defaultBodyLimits = bodyLimits{stall: 10 * time.Second, all: time.Minute, rest: 5 * time.Second}

// timed limits the time of request bodies, so that a body that never arrives holds no connection.
func timed(next http.Handler, p bodyLimits) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		body := &timedBody{ReadCloser: r.Body, c: http.NewResponseController(w), stall: p.stall, all: p.all + time.Duration(max(r.ContentLength, 0)>>20)*time.Second}
		r.Body = body
		// net/http reads what the handler has not read before it responds.
		_ = body.c.SetReadDeadline(time.Now().Add(p.stall)) // a test's recorder does not support it
		next.ServeHTTP(w, r)
		if !body.ended {
			_ = body.c.SetReadDeadline(time.Now().Add(p.rest))
		}
	})
}

// A timedBody sets the connection's deadline before each read. It removes the deadline when the body is complete,
// because handling it may take longer.
type timedBody struct {
	io.ReadCloser
	c          *http.ResponseController
	stall, all time.Duration
	end        time.Time // zero until the first read
	ended      bool      // it was read as far as it came
}

func (b *timedBody) Read(p []byte) (int, error) {
	now := time.Now()
	if b.end.IsZero() { // the time starts when a handler reads the body; before, the client waits for the server
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
	b.ended = b.ended || err != nil // after a truncated body there is nothing to wait for
	return n, err
}
