package scoreboard

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/scoring"
)

// large returns a contest with the given number of teams and 15 problems, 5 hours after its start.
func large(teams int) State {
	rng := rand.New(rand.NewPCG(1, 1))
	start := time.Now().Add(-10 * time.Hour)
	s := State{Heading: Heading{Name: "Regional", Slug: "regional"},
		Contest: scoring.Contest{Rules: scoring.DefaultRules(scoring.ICPC), Start: start, Length: 5 * time.Hour}}
	for i := range 15 {
		s.Contest.Problems = append(s.Contest.Problems,
			scoring.Problem{Label: string(rune('A' + i)), Title: fmt.Sprint("Problem ", i), Color: "#ff0000"})
	}
	for i := range teams {
		s.Teams = append(s.Teams, scoring.Team{ID: fmt.Sprintf("0198f2a4-0000-7000-8000-%012d", i), Name: fmt.Sprintf("The team number %d", i),
			Affiliation: "University of Somewhere"})
	}
	for n := range 30 * teams {
		s.Submissions = append(s.Submissions, scoring.Submission{
			Number: int64(n + 1), Team: s.Teams[rng.IntN(teams)].ID, Problem: s.Contest.Problems[rng.IntN(15)].Label,
			At:      start.Add(time.Duration(n) * 5 * time.Hour / time.Duration(30*teams)),
			Verdict: []judge.Verdict{"AC", "WA", "TLE"}[rng.IntN(3)],
		})
	}
	return s
}

// BenchmarkDraw measures rendering a whole scoreboard, rendering it after one verdict changes, and, for
// comparison, writing its bytes once.
func BenchmarkDraw(b *testing.B) {
	for _, teams := range []int{200, 1000} {
		s := large(teams)
		l := New(s, frame)
		drawn := page(b, l, false, "")
		name := fmt.Sprintf("%dx15/", teams)
		b.Run(name+"write", func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "page")
			for b.Loop() {
				if err := os.WriteFile(file, drawn.Plain, 0o600); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"whole", func(b *testing.B) {
			for b.Loop() {
				p := renderer{head: s.Heading}
				p.html(p.draw(l.views[0].board, time.Now()), "", 1)
			}
			b.ReportMetric(float64(len(drawn.Plain)), "bytes")
		})
		b.Run(name+"gzip", func(b *testing.B) {
			for b.Loop() {
				v := l.views[0]
				v.pages = map[pageKey]*Page{}
				page(b, l, false, "").Gzip()
			}
			b.ReportMetric(float64(len(page(b, l, false, "").Gzip())), "bytes")
		})
		b.Run(name+"patch", func(b *testing.B) {
			rng := rand.New(rand.NewPCG(2, 2))
			v := l.views[0]
			sheet, size, n := v.sheet, 0, 0
			for b.Loop() {
				x := s.Submissions[rng.IntN(len(s.Submissions))]
				x.Verdict = []judge.Verdict{"AC", "WA"}[rng.IntN(2)]
				v.board.Apply(scoring.Change{Submissions: []scoring.Submission{x}})
				next := v.renderer.draw(v.board, time.Now())
				p, _ := diffSheets(sheet, next, 1)
				sheet, size, n = next, size+len(p.Data), n+1
			}
			b.ReportMetric(float64(size/n), "bytes")
		})
	}
}

// BenchmarkServe measures loading a scoreboard page and, for comparison, a file of the same size.
func BenchmarkServe(b *testing.B) {
	l := New(large(200), frame)
	drawn := page(b, l, false, "")
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "page.html"), drawn.Plain, 0o600); err != nil {
		b.Fatal(err)
	}
	for name, handler := range map[string]http.Handler{
		"file":  http.FileServer(http.Dir(dir)),
		"board": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { l.ServePage(w, r, Viewer{}) }),
	} {
		b.Run(name, func(b *testing.B) {
			web := httptest.NewServer(handler)
			defer web.Close()
			client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
			for b.Loop() {
				resp, err := client.Get(web.URL + "/page.html")
				if err != nil {
					b.Fatal(err)
				}
				if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != int64(len(drawn.Plain)) {
					b.Fatal(n, err)
				}
				_ = resp.Body.Close() // the body was read to EOF
			}
		})
	}
}

// BenchmarkWatchers measures how long a change takes to reach the last viewer, and how much memory viewers need.
// The memory includes the clients, because they run in the same process.
func BenchmarkWatchers(b *testing.B) {
	for _, clients := range []int{1, 1000} {
		b.Run(fmt.Sprint(clients), func(b *testing.B) {
			s := large(200)
			s.Contest.Start = time.Now().Add(-time.Hour)
			l := New(s, frame)
			hall := NewRegistry(RegistryOptions{})
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hall.ServeEvents(w, r, l, false) }))
			version := page(b, l, false, "").Version
			used := func() int64 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return int64(m.HeapInuse + m.StackInuse)
			}
			before := used()
			var reached sync.WaitGroup
			var ends []net.Conn
			for range clients {
				c, err := net.Dial("tcp", strings.TrimPrefix(web.URL, "http://"))
				if err != nil {
					b.Fatal(err)
				}
				ends = append(ends, c)
				fmt.Fprintf(c, "GET /?version=%d HTTP/1.1\r\nHost: x\r\n\r\n", version)
				go func() { // ends with the connection
					for in := bufio.NewReaderSize(c, 512); ; {
						line, err := in.ReadSlice('\n')
						switch {
						case err == bufio.ErrBufferFull: // the patch exceeds the read buffer
						case err != nil:
							return
						case bytes.HasPrefix(line, []byte("event: board")):
							reached.Done()
						}
					}
				}()
			}
			for l.Watchers() < clients {
				time.Sleep(time.Millisecond)
			}
			each := float64(used()-before) / float64(clients) / 1024
			rng := rand.New(rand.NewPCG(4, 4))
			number := int64(1 << 40)
			var slowest time.Duration
			for b.Loop() {
				b.StopTimer()
				time.Sleep(RenderInterval) // let the next change follow a quiet period
				b.StartTimer()
				reached.Add(clients)
				at := time.Now()
				number++
				l.Apply([]scoring.Submission{{Number: number, Team: s.Teams[rng.IntN(200)].ID, Problem: "A",
					At: s.Contest.Start.Add(59 * time.Minute), Verdict: ""}}, nil)
				reached.Wait()
				slowest = max(slowest, time.Since(at))
			}
			b.ReportMetric(float64(slowest.Microseconds())/1000, "ms/slowest")
			b.ReportMetric(each, "KiB/client")
			for _, c := range ends {
				_ = c.Close() // this client is done
			}
			web.Close()
		})
	}
}
