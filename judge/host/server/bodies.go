package server

import (
	"io"
	"net/http"
	"time"
)

// A bodyLimits contains the time limits for sending a request body, and for keeping a connection open if a handler
// has rejected or not read the body.
type bodyLimits struct {
	stall  time.Duration // maximum time without a byte
	total  time.Duration // for a body of less than 1 MiB; plus one second per MiB
	unread time.Duration // for the part that no handler has read
}

// defaultBodyLimits end an upload that stalls, for example because a laptop went to sleep. A slow connection that
// still sends data may continue until the limit for the whole body.
var defaultBodyLimits = bodyLimits{stall: 10 * time.Second, total: time.Minute, unread: 5 * time.Second}

// limitBodies limits the time for request bodies, so that a body that never arrives does not block a connection.
func limitBodies(next http.Handler, limits bodyLimits) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		body := &timedBody{
			ReadCloser: r.Body, c: http.NewResponseController(w), stall: limits.stall,
			total: limits.total + time.Duration(max(r.ContentLength, 0)>>20)*time.Second,
		}
		r.Body = body
		// Before it responds, net/http reads the part of the body that the handler has not read.
		_ = body.c.SetReadDeadline(time.Now().Add(limits.stall)) // fails with a test's response recorder
		next.ServeHTTP(w, r)
		if !body.ended {
			_ = body.c.SetReadDeadline(time.Now().Add(limits.unread))
		}
	})
}

// A timedBody sets the connection's read deadline before each read. It removes the deadline when the body is
// complete, because handling the request may take longer.
type timedBody struct {
	io.ReadCloser
	c            *http.ResponseController
	stall, total time.Duration
	end          time.Time // zero until the first read
	ended        bool      // EOF or an error occurred
}

func (b *timedBody) Read(p []byte) (int, error) {
	now := time.Now()
	if b.end.IsZero() { // start the clock with the first read: until then, the client waits for us
		b.end = now.Add(b.total)
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
	b.ended = b.ended || err != nil // after an error, no more data will arrive
	return n, err
}
