package server

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestBodiesThatNeverCome: a connection ends whose body does not come, whether its request was
// refused before or waited for it; the others are not touched, also where they take longer than
// a body may.
func TestBodiesThatNeverCome(t *testing.T) {
	const within = 300 * time.Millisecond
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/refused" {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		data, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, "cut", http.StatusBadRequest)
			return
		}
		select { // which a deadline that is left in force would end
		case <-r.Context().Done():
			return
		case <-time.After(2 * within):
		}
		fmt.Fprintf(w, "%d bytes", len(data))
	})
	server := httptest.NewServer(timed(answer, within, within))
	defer server.Close()
	for _, path := range []string{"/refused", "/read"} {
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
			if _, err := io.Copy(io.Discard, r); err != nil { // until the server ends the connection
				t.Errorf("%s, %s: %v", path, framing, err)
			}
		}
	}
	for range 2 { // on one connection
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
