package server

import (
	"io"
	"net/http"
	"time"
)

// How long a request may take to bring its body, unless its route gives it more or less; and how
// long a connection is held for what was refused, or need not be read.
const (
	bodyWithin = time.Minute
	restWithin = 5 * time.Second
)

// timed answers requests whose bodies come in time: no connection is held for one that never
// comes.
func timed(next http.Handler, within, rest time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		c := http.NewResponseController(w)
		_ = c.SetReadDeadline(time.Now().Add(within)) // a recorder of tests has none
		body := &timedBody{ReadCloser: r.Body, c: c}
		r.Body = body
		next.ServeHTTP(w, r)
		if !body.whole {
			_ = c.SetReadDeadline(time.Now().Add(rest))
		}
	})
}

// timedBody takes the deadline back when the body is there: what is done with it may take
// longer.
type timedBody struct {
	io.ReadCloser
	c     *http.ResponseController
	whole bool
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF && !b.whole {
		b.whole = true
		_ = b.c.SetReadDeadline(time.Time{})
	}
	return n, err
}
