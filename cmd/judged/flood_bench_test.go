package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/store"
)

// flood sends requests on many connections until stop is called. On each connection, it sends a request as soon as
// the previous response has arrived. The function stop returns the number of responses. A connection stays busy if
// its request is incomplete, its response does not end, or it is upgraded.
func flood(b *testing.B, address string, connections int, request func(i int64) []byte) (stop func() int64) {
	var sent, answered atomic.Int64
	ended := make(chan bool)
	var all sync.WaitGroup
	one := func() {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Error(err)
			return
		}
		over := make(chan bool)
		defer close(over)
		go func() {
			select {
			case <-ended:
			case <-over:
			}
			conn.Close()
		}()
		read := bufio.NewReader(conn)
		for {
			_, wrong := conn.Write(request(sent.Add(1))) // the server may reject the request before its end
			res, err := http.ReadResponse(read, nil)
			if err != nil {
				return
			}
			answered.Add(1)
			if res.StatusCode == http.StatusSwitchingProtocols {
				res.Body = io.NopCloser(read)
				res.Close = true
			}
			if _, err := io.Copy(io.Discard, res.Body); err != nil || res.Close || wrong != nil {
				return
			}
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

// person is an account with a session and a token to submit.
type person struct {
	cookie, token string
	*client.Client
}

// people creates n accounts. The server must be down.
func (h *harness) people(n int) (all []person) {
	h.t.Helper()
	h.inStore(func(s *store.Store) {
		for i := range n {
			a, err := s.NewAccount(h.t.Context(), fmt.Sprint("person", i), "Person", store.PersonAccount, "")
			must(h.t, err)
			token, hash := auth.NewToken()
			_, err = s.NewToken(h.t.Context(), a.ID, hash, "", []string{string(client.Submit)}, time.Time{})
			must(h.t, err)
			session, hash := auth.NewSession()
			must(h.t, s.NewSession(h.t.Context(), a, hash, ""))
			all = append(all, person{cookie: "assay=" + session, token: token, Client: h.client(token, time.Minute)})
		}
	})
	return all
}

// ask requests a page, and fails the test if the status is an error.
func (h *harness) ask(p person, method, path, kind string, body []byte) {
	h.t.Helper()
	r, err := http.NewRequestWithContext(h.t.Context(), method, "http://"+h.part.Listen+path, bytes.NewReader(body))
	must(h.t, err)
	r.Header.Set("Cookie", p.cookie)
	r.Header.Set("Content-Type", kind)
	res, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(r)
	must(h.t, err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	must(h.t, err)
	if res.StatusCode >= 400 {
		h.t.Fatalf("%s %s answers %s\n%s", method, path, res.Status, text)
	}
}

// send returns a complete request. More contains additional headers; Content-Length is added.
func send(method, path, more, body string) []byte {
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", method, path, more, len(body), body)
}

const form = "Content-Type: application/x-www-form-urlencoded\r\n"

// floods lists the floods that one account sends to a harness. The function in the field requests prepares its
// flood and returns the requests. Cookie and token are header lines.
var floods = []struct {
	name        string
	connections int
	requests    func(h *harness, p person, cookie, token string) func(i int64) []byte
}{
	{"nothing", 0, nil},
	{"pages", 32, func(_ *harness, _ person, cookie, _ string) func(int64) []byte {
		return always(send("GET", "/c/now", cookie, ""))
	}},
	{"boards", 32, func(_ *harness, _ person, cookie, _ string) func(int64) []byte {
		return always(send("GET", "/c/now/scoreboard", cookie, ""))
	}},
	{"boards-anonymous", 32, func(*harness, person, string, string) func(int64) []byte {
		return always(send("GET", "/c/now/scoreboard", "", ""))
	}},
	{"logins", 32, func(*harness, person, string, string) func(int64) []byte {
		return func(i int64) []byte {
			return send("POST", "/login", form, fmt.Sprintf("login=guess%d&password=correct-horse", i))
		}
	}},
	{"pages-submissions", 32, func(_ *harness, _ person, cookie, _ string) func(int64) []byte {
		return func(i int64) []byte {
			return send("POST", "/c/now/p/A", cookie+form, fmt.Sprintf("language=py&text=print(%d)", i))
		}
	}},
	{"pages-bodies", 32, func(_ *harness, _ person, cookie, _ string) func(int64) []byte {
		return always([]byte("POST /c/now/p/A HTTP/1.1\r\nHost: x\r\n" + cookie + form + "Content-Length: 500\r\n\r\nlanguage=p"))
	}},
	{"files", 32, func(*harness, person, string, string) func(int64) []byte {
		paths := []string{"/static/icon.svg", "/nothing"}
		return func(i int64) []byte { return send("GET", paths[i%int64(len(paths))], "", "") }
	}},
	{"wrong-tokens", 32, func(*harness, person, string, string) func(int64) []byte {
		return func(i int64) []byte {
			return send("GET", client.SubmissionsPath, fmt.Sprintf("Authorization: Bearer guess%d\r\n", i), "")
		}
	}},
	{"joins-of-59-MiB", 32, func(*harness, person, string, string) func(int64) []byte {
		return always(send("POST", client.JoinPath, "", `{"code":"`+strings.Repeat("x", 59<<20)))
	}},
	{"wrong-join-codes", 32, func(h *harness, _ person, _, _ string) func(int64) []byte {
		_, key, err := queue.ReadKey(filepath.Join(h.dir, "worker"))
		must(h.t, err)
		return func(i int64) []byte {
			return send("POST", client.JoinPath, "", toJSON(h.t,
				client.JoinRequest{Code: fmt.Sprint("guess", i), Key: key, Capabilities: job.Capabilities{
					Protocol: job.Protocol, Version: "test", Arch: "linux/amd64", IsolationLevel: "root", Languages: map[string]string{"py": "x"},
					Slots: 1, Machine: "m",
				}}))
		}
	}},
	{"blobs-missing", 32, func(h *harness, _ person, _, token string) func(int64) []byte {
		return func(i int64) []byte {
			var n client.Blobs
			for k := range int64(client.MaxBlobs) {
				n.Blobs = append(n.Blobs, client.Blob{Digest: blob.Digest(fmt.Sprintf("%064x", i<<20+k)), Size: 1000})
			}
			return send("POST", client.MissingPath, token, toJSON(h.t, n))
		}
	}},
	{"blobs", 32, func(_ *harness, _ person, _, token string) func(int64) []byte {
		var all [100][]byte // each is sent once, and then repeatedly
		for i := range all {
			data := bytes.Repeat([]byte{byte(i)}, 1<<20) // the largest blob that this harness accepts
			all[i] = send("PUT", client.BlobPath+string(blob.DigestOf(data)), token, string(data))
		}
		return func(i int64) []byte { return all[i%int64(len(all))] }
	}},
	{"submissions", 32, func(h *harness, p person, _, token string) func(int64) []byte {
		data := []byte("print()")
		_, err := p.Upload(h.t.Context(), []client.Source{client.BytesSource(data)})
		must(h.t, err)
		n := client.NewSubmission{Problem: problem, Program: "a.py",
			Files: []job.File{{Path: "a.py", Size: int64(len(data)), Digest: blob.DigestOf(data)}}}
		return func(int64) []byte {
			n := n
			n.Key = rand.Text()
			return send("POST", client.SubmissionsPath, token, toJSON(h.t, n))
		}
	}},
	{"lists", 32, func(_ *harness, _ person, _, token string) func(int64) []byte {
		paths := []string{client.SubmissionsPath, client.ProblemsPath, client.QueuePath, client.ContestsPath + "/now" + client.ScoreboardPath}
		return func(i int64) []byte { return send("GET", paths[i%int64(len(paths))], token, "") }
	}},
	{"anonymous", 32, func(*harness, person, string, string) func(int64) []byte {
		paths := []string{client.ServerPath, "/healthz", "/readyz"}
		return func(i int64) []byte { return send("GET", paths[i%int64(len(paths))], "", "") }
	}},
	{"streams", 1000, func(h *harness, p person, _, token string) func(int64) []byte {
		return always(send("GET", client.SubmissionsPath+"/"+h.submit(p.Client, "stream")+"/events", token, ""))
	}},
	{"upgrades", 32, func(*harness, person, string, string) func(int64) []byte {
		return always(append(upgrade(), "PUB job.0.main.x 100\r\n"...))
	}},
	{"upgrades-held", 1000, func(*harness, person, string, string) func(int64) []byte { return always(upgrade()) }},
	{"bodies", 1000, func(_ *harness, _ person, _, token string) func(int64) []byte {
		return always([]byte("POST " + client.SubmissionsPath + " HTTP/1.1\r\nHost: x\r\n" + token + "Content-Length: 500\r\n\r\n{"))
	}},
	{"blob-bodies", 1000, func(_ *harness, _ person, _, token string) func(int64) []byte {
		return always([]byte("PUT " + client.BlobPath + string(blob.DigestOf(nil)) + " HTTP/1.1\r\nHost: x\r\n" + token +
			"Content-Length: 500\r\n\r\n{"))
	}},
	{"deep-JSON", 32, func(_ *harness, _ person, _, token string) func(int64) []byte {
		return always(send("POST", client.SubmissionsPath, token, `{"files":`+strings.Repeat("[", 1_000_000)))
	}},
	{"huge-JSON", 32, func(_ *harness, _ person, _, token string) func(int64) []byte {
		return always(send("PUT", client.WorkflowsPath+"/"+rand.Text(), token,
			`{"kind":"golf","problem":"p","files":[{}`+strings.Repeat(",{}", 2<<20/3-100)+"]}"))
	}},
}

func always(request []byte) func(int64) []byte { return func(int64) []byte { return request } }

// upgrade returns a request to connect to the queue.
func upgrade() []byte {
	return send("GET", queue.Path, "Connection: Upgrade\r\nUpgrade: "+queue.Protocol+"\r\n", "")
}

func toJSON(t testing.TB, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	must(t, err)
	return string(data)
}

// BenchmarkFloods measures how long a page, a submission through a page, and a submission from the command line
// take while an account floods the server from the same machine. Measurements with and without a flood alternate.
// A flood may double these times, and the server's memory may grow by 100 MiB, but not more.
func BenchmarkFloods(b *testing.B) {
	for _, kind := range floods {
		b.Run(kind.name, func(b *testing.B) {
			h := newHarness(b, nil)
			people := h.people(250)
			h.inStore(func(s *store.Store) {
				must(b, s.NewContest(b.Context(), &store.Contest{
					Slug: "now", Name: "Now", Format: store.ICPC, Starts: time.Now(), Length: 1000 * time.Hour, Visibility: store.VisibilityPublic,
					Settings: store.Settings{Show: judge.ShowSamples},
				}, []store.NewContestProblem{{Label: "A", Slug: problem}}))
			})
			server := h.serve().Process.Pid
			hostile, honest := people[0], people[1:]
			file := filepath.Join(h.dir, "b.py")
			number := 0
			probe := func() (took [3]time.Duration) {
				p := honest[number%len(honest)] // keeps each account below its rate limit
				number++
				must(b, os.WriteFile(file, fmt.Appendln(nil, "# by the command line", number), 0o600))
				var body bytes.Buffer
				m := multipart.NewWriter(&body)
				w, err := m.CreateFormFile("file", "b.py")
				must(b, err)
				fmt.Fprintln(w, "# by a page", number)
				must(b, m.Close())
				for i, do := range []func(){
					func() { h.ask(p, "GET", "/c/now", "", nil) },
					func() { h.ask(p, "POST", "/c/now/p/A", m.FormDataContentType(), body.Bytes()) },
					func() {
						_, err := p.Submit(b.Context(), problem, client.Program{Path: file, Name: "b.py"})
						must(b, err)
					},
				} {
					start := time.Now()
					do()
					took[i] = time.Since(start)
				}
				return took
			}
			const each = 40
			var idle, flooded [3][]time.Duration
			many := func(to *[3][]time.Duration) {
				for range each {
					for i, t := range probe() {
						to[i] = append(to[i], t)
					}
				}
			}
			many(new([3][]time.Duration)) // fills the caches
			var request func(int64) []byte
			if kind.requests != nil {
				request = kind.requests(h, hostile, "Cookie: "+hostile.cookie+"\r\n", "Authorization: Bearer "+hostile.token+"\r\n")
			}
			before, peak := status(b, server, "VmRSS:"), 0.0
			var answered int64
			var during time.Duration
			for b.Loop() {
				many(&idle)
				must(b, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", server), []byte("5"), 0)) // resets VmHWM to the current value
				start := time.Now()
				stop := flood(b, h.part.Listen, kind.connections, request)
				time.Sleep(500 * time.Millisecond)
				many(&flooded)
				during += time.Since(start)
				answered += stop()
				peak = max(peak, status(b, server, "VmHWM:"))
			}
			for i, what := range []string{"page", "page-submission", "submission"} {
				slices.Sort(idle[i])
				slices.Sort(flooded[i])
				at := func(all []time.Duration, tenths int) float64 { return float64(all[len(all)*tenths/10]) }
				b.ReportMetric(at(idle[i], 5)/1e6, "ms/"+what)
				b.ReportMetric(at(flooded[i], 5)/at(idle[i], 5), "x/"+what)
				b.ReportMetric(at(flooded[i], 9)/at(idle[i], 9), "x-p90/"+what)
			}
			b.ReportMetric((peak-before)/(1<<20), "MiB/grown")
			b.ReportMetric(float64(answered)/during.Seconds(), "floods/s")
		})
	}
}
