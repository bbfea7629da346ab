package web_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
)

// flood sends requests on many connections, each as soon as the one before is answered, until
// stop is called, which says how many were. A request that is not complete holds its connection.
func flood(b *testing.B, h *house, request func(i int64) string) (stop func() int64) {
	const connections = 32
	var sent, answered atomic.Int64
	ended := make(chan bool)
	var all sync.WaitGroup
	one := func() {
		conn, err := net.Dial("tcp", h.Listener.Addr().String())
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		go func() {
			<-ended
			conn.Close()
		}()
		read := bufio.NewReader(conn)
		for {
			if _, err := io.WriteString(conn, request(sent.Add(1))); err != nil {
				return
			}
			res, err := http.ReadResponse(read, nil)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.Close {
				return
			}
			answered.Add(1)
		}
	}
	for range connections {
		all.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
					one()
				}
			}
		})
	}
	return func() int64 {
		close(ended)
		all.Wait()
		return answered.Load()
	}
}

// BenchmarkFloods measures what a page and a submission of one contestant take while another
// one floods the server from the same machine, beside the same without a flood, in turns: at
// most 2 x.
func BenchmarkFloods(b *testing.B) {
	send := func(method, path, more, body string) string {
		return fmt.Sprintf("%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", method, path, more, len(body), body)
	}
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	for _, kind := range []struct {
		name    string
		request func(cookie string, i int64) string
	}{
		{"nothing", nil},
		{"pages", func(cookie string, _ int64) string { return send("GET", "/c/now", cookie, "") }},
		{"boards", func(cookie string, _ int64) string { return send("GET", "/c/now/board", cookie, "") }},
		{"boards-of-nobody", func(string, int64) string { return send("GET", "/c/now/board", "", "") }},
		{"logins", func(_ string, i int64) string {
			return send("POST", "/login", form, fmt.Sprintf("login=guess%d&password=correct-horse", i))
		}},
		{"submissions", func(cookie string, i int64) string {
			return send("POST", "/c/now/p/A", cookie+form, fmt.Sprintf("language=py&text=print(%d)", i))
		}},
		{"bodies", func(cookie string, _ int64) string {
			return "POST /c/now/p/A HTTP/1.1\r\nHost: x\r\n" + cookie + form + "Content-Length: 500\r\n\r\nlanguage=p"
		}},
	} {
		b.Run(kind.name, func(b *testing.B) {
			h := newHouse(b)
			c := &store.Contest{Slug: "now", Name: "Now", Format: store.ICPC, Starts: time.Now(), Length: 1000 * time.Hour, Visibility: store.Public, Settings: store.Settings{Show: judge.ShowSamples}}
			if err := h.store.NewContest(b.Context(), c, []store.NewContestProblem{{Label: "A", Slug: "sum"}}); err != nil {
				b.Fatal(err)
			}
			for range 50 {
				h.judged(h.send(c, "ada"), failing()...)
				h.judged(h.send(c, "bob"), failing()...)
			}
			h.later(time.Hour)
			ada, bob := "Cookie: "+h.cookie("ada")+"\r\n", h.cookie("bob")
			number := 0
			probe := func() (took [2]time.Duration) {
				number++
				h.later(7 * time.Second) // as many as the contest lets a contestant send
				for i, ask := range []func() answer{
					func() answer { return h.ask(bob, "GET", "/c/now", nil) },
					func() answer {
						return h.upload(bob, "/c/now/p/A", nil, map[string]string{"b.py": fmt.Sprint("print(", number, ")")})
					},
				} {
					start := time.Now()
					if got := ask(); got.code >= 400 {
						b.Fatalf("answered %d", got.code)
					}
					took[i] = time.Since(start)
				}
				return took
			}
			const each = 40
			var idle, flooded [2][]time.Duration
			many := func(to *[2][]time.Duration) {
				for range each {
					for i, t := range probe() {
						to[i] = append(to[i], t)
					}
				}
			}
			var answered int64
			var during time.Duration
			for b.Loop() {
				many(&idle)
				stop := func() int64 { return 0 }
				if kind.request != nil {
					stop = flood(b, h, func(i int64) string { return kind.request(ada, i) })
				}
				start := time.Now()
				many(&flooded)
				during += time.Since(start)
				answered += stop()
			}
			for i, what := range []string{"page", "submission"} {
				slices.Sort(idle[i])
				slices.Sort(flooded[i])
				at := func(all []time.Duration, tenths int) float64 { return float64(all[len(all)*tenths/10]) }
				b.ReportMetric(at(idle[i], 5)/1e6, "ms/"+what)
				b.ReportMetric(at(flooded[i], 5)/at(idle[i], 5), "x/"+what)
				b.ReportMetric(at(flooded[i], 9)/at(idle[i], 9), "x-p90/"+what)
			}
			b.ReportMetric(float64(answered)/during.Seconds(), "floods/s")
		})
	}
}
