package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestBodiesThatNeverCome checks that a connection is closed if its request body does not arrive, whether the
// request was rejected before or a handler waited for the body. Other requests are not affected, even if they take
// longer than a body may.
func TestBodiesThatNeverCome(t *testing.T) {
	const within = 300 * time.Millisecond
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/refused") {
			r.Body = http.MaxBytesReader(w, r.Body, 1000)
			size, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/refused/"))
			http.Error(w, strings.Repeat("no", size), http.StatusUnauthorized) // a large response is sent before the handler returns
			return
		}
		data, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "cut", http.StatusBadRequest)
			return
		}
		select { // a deadline that was not removed would end this
		case <-r.Context().Done():
			return
		case <-time.After(2 * within):
		}
		fmt.Fprintf(w, "%d bytes", len(data))
	})
	server := httptest.NewServer(limitBodies(answer, bodyLimits{within, within, within}))
	defer server.Close()
	for _, path := range []string{"/refused/1", "/refused/5000", "/read"} {
		for _, framing := range []string{"Content-Length: 200", "Transfer-Encoding: chunked"} {
			c, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\n%s\r\n\r\n", path, framing)
			r := bufio.NewReader(c)
			said, err := http.ReadResponse(r, nil)
			if err != nil || said.StatusCode/100 != 4 {
				t.Fatalf("%s, %s: %v, %v", path, framing, said, err)
			}
			if _, err := io.Copy(io.Discard, r); err != nil { // until the server closes the connection
				t.Errorf("%s, %s: %v", path, framing, err)
			}
		}
	}
	for range 2 { // on the same connection
		said, err := http.Post(server.URL+"/read", "text/plain", strings.NewReader("hello"))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(said.Body)
		said.Body.Close()
		if err != nil || string(text) != "5 bytes" {
			t.Errorf("a body that came is answered %q, %v", text, err)
		}
	}
}

// A slowBody sends a byte after each pause. Like a connection, it fails at its deadline.
type slowBody struct {
	http.ResponseWriter
	pauses   []time.Duration
	deadline time.Time
}

func (b *slowBody) SetReadDeadline(t time.Time) error { b.deadline = t; return nil }
func (b *slowBody) Close() error                      { return nil }
func (b *slowBody) Read(p []byte) (int, error) {
	if len(b.pauses) == 0 {
		return 0, io.EOF
	}
	if left := time.Until(b.deadline); left < b.pauses[0] {
		time.Sleep(left)
		return 0, os.ErrDeadlineExceeded
	}
	time.Sleep(b.pauses[0])
	b.pauses = b.pauses[1:]
	return 1, nil
}

// TestBodiesThatStall checks that the body of an upload may take long while it arrives. It is cut off if it
// stalls, or if it exceeds the total time.
func TestBodiesThatStall(t *testing.T) {
	const s = time.Second
	usual := bodyLimits{stall: 10 * s, total: 60 * s, unread: 5 * s}
	every := func(pause time.Duration, n int) []time.Duration { return slices.Repeat([]time.Duration{pause}, n) }
	for _, tt := range []struct {
		it     string
		length int64
		waits  time.Duration // before the handler starts to read
		pauses []time.Duration
		cut    time.Duration // time after which it is cut off; 0 if it is not
	}{
		{"cuts a body that never comes", 100, 0, every(time.Hour, 1), 10 * s},
		{"cuts a body that stops", 100, 0, append(every(s, 3), time.Hour), 13 * s},
		{"reads a body that comes slowly", 100, 0, every(9*s, 6), 0},
		{"cuts a body that comes too slowly", 100, 0, every(9*s, 8), 60 * s},
		{"gives each MiB of a large body a second", 30 << 20, 0, every(9*s, 9), 0},
		{"cuts a large body that comes too slowly", 30 << 20, 0, every(9*s, 11), 90 * s},
		{"gives a body of unknown length a minute", -1, 0, every(9*s, 8), 60 * s},
		{"does not count what the handler waited for", 100, time.Hour, every(9*s, 6), 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			body := &slowBody{ResponseWriter: httptest.NewRecorder(), pauses: tt.pauses}
			limitBodies(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				time.Sleep(tt.waits)
				began := time.Now()
				_, err := io.ReadAll(r.Body)
				took := time.Since(began)
				if cut := errors.Is(err, os.ErrDeadlineExceeded); cut != (tt.cut > 0) || cut && took != tt.cut {
					t.Errorf("it %s: %v after %v, want it cut after %v", tt.it, err, took, tt.cut)
				}
				if err == nil && !body.deadline.IsZero() {
					t.Errorf("it %s: the deadline stays after the body", tt.it)
				}
			}), usual).ServeHTTP(body, &http.Request{Body: body, ContentLength: tt.length})
			if left := time.Until(body.deadline); tt.cut > 0 && left > 0 {
				t.Errorf("it %s: the connection is held for another %v", tt.it, left)
			}
		})
	}
}
