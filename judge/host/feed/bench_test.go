package feed_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// BenchmarkFeed measures event feeds and scoreboards over HTTP in a contest of 120 teams with 1,200 submissions and
// 20,400 runs.
func BenchmarkFeed(b *testing.B) {
	const teams, problems, submissions, runs, feeds = 120, 12, 1200, 17, 50
	p := &replayed{TB: b, replay: replay{Dir: storetest.Dir(b)}}
	w := &world{TB: b}
	w.contest, p.tokens = p.set(b, draw(teams, problems, 0))
	var err error
	w.store, w.intake, err = p.open(b.Context(), func() time.Time { return start.Add(time.Hour) })
	w.must(err)
	defer func() { w.must(w.store.Close()) }()
	w.teams, err = w.store.Teams(b.Context(), w.contest)
	w.must(err)
	w.teams = slices.DeleteFunc(w.teams, func(t *store.Team) bool { return t.Hidden })
	chief, err := w.store.AccountByLogin(b.Context(), "chief")
	w.must(err)
	w.people = slices.Repeat([]*store.Account{chief}, teams)
	submit := func() { w.submit(len(w.sent)%len(w.teams), fmt.Sprintf("p%02d", len(w.sent)%problems)) }
	for range submissions {
		submit()
		w.accept(acceptedRuns(runs))
	}
	serve := func() func() {
		server := httptest.NewServer(contestAPI(w.intake))
		p.url = server.URL
		return server.Close
	}
	get := func(who, path string) []byte {
		answer, err := p.request(b.Context(), who, "GET", path, "")
		w.must(err)
		data, err := io.ReadAll(answer.Body)
		w.must(err)
		w.must(answer.Body.Close())
		return data
	}
	const snapshot = "/event-feed?stream=false"
	b.Run("snapshot", func(b *testing.B) { // from a server that has just started
		for b.Loop() {
			b.StopTimer()
			stop := serve()
			b.StartTimer()
			if n := bytes.Count(get("judge", snapshot), []byte("\n")); n < submissions*(runs+2) {
				b.Fatalf("%d lines", n)
			}
			b.StopTimer()
			stop()
			b.StartTimer()
		}
	})
	defer serve()()
	b.Run("scoreboard", func(b *testing.B) {
		get("", "/scoreboard") // the first request reads the contest from the database
		for b.Loop() {
			get("", "/scoreboard")
		}
	})
	b.Run("change", func(b *testing.B) { // from the commit of a submission to its line in each feed
		opened, arrived := make(chan bool), make(chan time.Time)
		readers := []string{"", "judge", "team"}
		for i := range feeds {
			who := readers[i%len(readers)]
			lines := bytes.Split(bytes.TrimSpace(get(who, snapshot)), []byte("\n"))
			_, token, _ := bytes.Cut(lines[len(lines)-1], []byte(`"token":"`))
			answer, err := p.request(b.Context(), who, "GET", "/event-feed?since_token="+string(bytes.TrimSuffix(token, []byte(`"}`))), "")
			w.must(err)
			go func() { // ends with the server
				defer answer.Body.Close()
				in := bufio.NewReader(answer.Body)
				for first := true; ; first = false {
					line, err := in.ReadBytes('\n')
					if err != nil {
						return
					}
					if first {
						opened <- true
					}
					if bytes.HasPrefix(line, []byte(`{"type":"submissions"`)) {
						arrived <- time.Now()
					}
				}
			}()
			<-opened
		}
		var took []time.Duration
		for b.Loop() {
			b.StopTimer()
			time.Sleep(rand.N(100 * time.Millisecond))
			b.StartTimer()
			submit()
			at := time.Now()
			for range feeds {
				took = append(took, (<-arrived).Sub(at))
			}
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms/median")
		b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "ms/p95")
	})
}
