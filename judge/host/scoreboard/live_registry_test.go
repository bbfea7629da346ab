package scoreboard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/scoring"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// A registryHarness is a Registry of a database with one contest.
type registryHarness struct {
	*testing.T
	*Registry
	id  string
	dir string
	log bytes.Buffer
}

func newRegistry(t *testing.T) *registryHarness {
	h := &registryHarness{T: t, dir: storetest.Dir(t)}
	h.Registry = NewRegistry(RegistryOptions{Store: h.openStore(), Frame: signed, Log: slog.New(slog.NewTextHandler(&h.log, nil))})
	c := &store.Contest{
		Slug: "spring", Name: "Spring", Format: store.ICPC, Starts: time.Now(), Length: time.Hour, Visibility: store.VisibilityPublic,
	}
	h.must(h.o.Store.NewContest(t.Context(), c, nil))
	h.id = c.ID
	return h
}

func (h *registryHarness) openStore() *store.Store {
	h.Helper()
	s, err := store.Open(h.T.Context(), store.Options{Dir: h.dir, Version: "test"})
	h.must(err)
	h.Cleanup(func() { _ = s.Close() })
	return s
}

func (h *registryHarness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// board returns the scoreboard as a page would get it.
func (h *registryHarness) board() *Live {
	h.Helper()
	l, err := h.Scoreboard(h.T.Context(), h.id)
	h.must(err)
	return l
}

// set changes the penalty in the database, and expect checks that of a scoreboard, both in minutes.
func (h *registryHarness) set(minutes int) {
	h.Helper()
	c, err := h.o.Store.Contest(h.T.Context(), h.id)
	h.must(err)
	c.Settings.Penalty, c.Name = minutes, fmt.Sprint("Spring ", minutes)
	h.must(h.o.Store.SetContest(h.T.Context(), c, nil))
}

func (h *registryHarness) expect(when string, l *Live, minutes int) {
	h.Helper()
	if c, _, _ := l.Scores(true); c.Rules.Penalty != time.Duration(minutes)*time.Minute {
		h.Errorf("%s: the penalty is %v, want %d min", when, c.Rules.Penalty, minutes)
	}
}

// TestScoreboardsAreReadWhenNeeded checks that a scoreboard is at most Lag old for readers and viewers, and at once for a
// caller that has changed the contest. The database is not asked more often, and not at all without viewers.
func TestScoreboardsAreReadWhenNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRegistry(t)
		h.must(h.Refresh(t.Context(), h.id))
		if len(h.entries) != 0 {
			t.Error("a refresh loads a scoreboard without readers")
		}
		l := h.board()
		h.set(7)
		time.Sleep(Lag - time.Nanosecond)
		h.expect("within the lag", h.board(), 20)
		time.Sleep(time.Nanosecond)
		h.expect("after the lag", h.board(), 7)
		page := func(minutes int) {
			t.Helper()
			want := fmt.Sprintf("Spring %d>", minutes)
			if p, err := l.Page(Viewer{}, ""); err != nil || !strings.Contains(string(p.Plain), want) {
				t.Errorf("the page is not that of %q: %v", want, err)
			}
		}
		page(7)
		h.set(8)
		h.must(h.Refresh(t.Context(), h.id))
		h.expect("refreshed", l, 8)
		page(8) // although the page was rendered just now
		if h.board() != l {
			t.Error("the scoreboard is another one after a change")
		}

		ctx, cancel := context.WithCancel(t.Context())
		go h.Registry.Run(ctx)
		h.set(9)
		time.Sleep(5 * Lag)
		h.expect("without viewers", l, 8)
		watch := l.Watch(false)
		time.Sleep(2 * Lag)
		h.expect("with a viewer", l, 9)
		watch.Close()
		h.set(10)
		time.Sleep(5 * Lag)
		h.expect("after the viewer has left", l, 9)
		cancel()
		<-h.done
	})
}

// TestAScoreboardCatchesUp checks that one request reads all events since the last one, however many, and reads none of them
// again.
func TestAScoreboardCatchesUp(t *testing.T) {
	h := newRegistry(t)
	a, err := h.o.Store.NewAccount(t.Context(), "ann", "Ann", store.PersonAccount, "")
	h.must(err)
	team, err := h.o.Store.Enter(t.Context(), h.id, a)
	h.must(err)
	for _, events := range []int{1, maxEvents + 1} {
		h.board()
		for i := range events {
			team.Name = fmt.Sprint("Ants ", i)
			h.must(h.o.Store.SetTeam(t.Context(), team, ""))
		}
		h.set(events)
		h.must(h.Refresh(t.Context(), h.id))
		h.expect(fmt.Sprint(events, " events later"), h.board(), events)
		team.Name = "Bees"
		h.must(h.o.Store.SetTeam(t.Context(), team, "")) // is applied to the scoreboard in memory
		h.must(h.Refresh(t.Context(), h.id))
		c, err := h.o.Store.Contest(t.Context(), h.id)
		if h.must(err); h.entries[h.id].seq != c.LastSeq {
			t.Errorf("the scoreboard is at event %d of %d", h.entries[h.id].seq, c.LastSeq)
		}
	}
}

// TestIdleScoreboardsAreDropped checks that a scoreboard stays in memory for as long as it has viewers, and idleTimeout
// after its last use.
func TestIdleScoreboardsAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRegistry(t)
		kept := func(when string, want bool) {
			t.Helper()
			h.watched()
			if _, is := h.entries[h.id]; is != want {
				t.Errorf("%s: kept: %v", when, is)
			}
		}
		l := h.board()
		for range 2 {
			time.Sleep(idleTimeout)
			kept("until now", true)
			if h.board() != l {
				t.Error("a kept scoreboard is loaded again")
			}
		}
		watch := l.Watch(true)
		time.Sleep(2 * idleTimeout)
		kept("with a viewer", true)
		if all := h.watched(); len(all) != 1 || all[h.id] == nil {
			t.Errorf("%d scoreboards have viewers", len(all))
		}
		watch.Close()
		if all := h.watched(); len(all) != 0 {
			t.Errorf("%d scoreboards have viewers after the last one left", len(all))
		}
		time.Sleep(idleTimeout)
		kept("as long as after a use", true)
		time.Sleep(time.Nanosecond)
		b := h.entries[h.id]
		b.mu.Lock() // an update is running
		kept("during an update", true)
		b.mu.Unlock()
		kept("later", false)
		if h.board() == l {
			t.Error("a dropped scoreboard is still used")
		}
	})
}

// TestOutOfDateScoreboards checks that readers get the last state while the database does not respond. The first of
// successive errors is logged, unless the reader has left. A scoreboard that was never loaded is an error.
func TestOutOfDateScoreboards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newRegistry(t)
		l := h.board()
		fails := func(want int) {
			t.Helper()
			for range 3 {
				time.Sleep(Lag)
				if h.board() != l {
					t.Error("the old state is lost")
				}
			}
			if got := strings.Count(h.log.String(), "a scoreboard is out of date"); got != want {
				t.Errorf("%d errors are logged, want %d: %s", got, want, h.log.String())
			}
		}
		h.set(7)
		h.must(h.o.Store.Close())
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		time.Sleep(Lag)
		if got, err := h.Scoreboard(gone, h.id); got != l || err != nil {
			t.Errorf("for a reader who has left: %v, %v", got, err)
		}
		fails(1)
		h.expect("while the database is closed", l, 20)
		if err := h.Refresh(t.Context(), h.id); err == nil {
			t.Error("a refresh that read nothing succeeds")
		}
		if got, err := h.Scoreboard(t.Context(), "other"); got != nil || err == nil {
			t.Errorf("a scoreboard that cannot be loaded: %v, %v", got, err)
		}
		h.o.Store = h.openStore()
		fails(1)
		h.expect("once the database is back", l, 7)
		h.must(h.o.Store.Close())
		fails(2)
	})
}

// TestContestForScoring checks how the settings of a contest become its rules.
func TestContestForScoring(t *testing.T) {
	start, thaw := time.Unix(1000, 0), time.Unix(9000, 0)
	c := &store.Contest{Format: store.ICPC, Starts: start, Length: time.Hour, Freeze: time.Minute, Thaw: thaw}
	problems := []*store.ContestProblem{
		{Label: "A", Color: "red", Problem: &store.Problem{Title: "Apples"}}, {Label: "B", Points: 1, Problem: &store.Problem{Title: "Bees"}},
	}
	got := Contest(c, problems)
	if got.Rules != scoring.DefaultRules(scoring.ICPC) || !got.Start.Equal(start) || got.Length != time.Hour || got.Freeze != time.Minute ||
		!got.Unfreeze.Equal(thaw) || got.Removed != nil {
		t.Errorf("without settings: %+v", got)
	}
	if want := []scoring.Problem{{Label: "A", Title: "Apples", Color: "red", Points: 100}, {Label: "B", Title: "Bees", Points: 1}}; len(
		got.Problems) != 2 || got.Problems[0] != want[0] || got.Problems[1] != want[1] {
		t.Errorf("the problems are %+v", got.Problems)
	}
	c.Settings = store.Settings{Penalty: 1, CompileErrors: true, Removed: []store.Interval{{From: start, To: thaw}}}
	if got = Contest(c, nil); got.Rules.Penalty != time.Minute || !got.Rules.CompileErrors || got.Rules.BestGroups || got.Rules.HideVerdicts ||
		len(got.Removed) != 1 || got.Removed[0] != (scoring.Interval{From: start, To: thaw}) {
		t.Errorf("with settings: %+v", got)
	}
	c.Settings = store.Settings{Groups: true}
	if got = Contest(c, nil); !got.Rules.BestGroups || got.Rules.HideVerdicts || got.Rules.CompileErrors {
		t.Errorf("with groups: %+v", got.Rules)
	}
	c.Settings = store.Settings{Blind: true}
	if got = Contest(c, nil); !got.Rules.HideVerdicts || got.Rules.BestGroups {
		t.Errorf("blind: %+v", got.Rules)
	}
	for _, s := range []store.ScoredSubmission{{}, {Cancelled: true}, {Ignored: true}, {Unverified: true}} {
		if got := submission(&s); got.Ignored != (s.Cancelled || s.Ignored) || got.Unverified != s.Unverified {
			t.Errorf("%+v becomes %+v", s, got)
		}
	}
}

func TestAcceptsGzip(t *testing.T) {
	for accept, want := range map[string]bool{
		"": false, "gzip": true, "*": true, " gzip ;q=0.5": true, "br, gzip": true, "gzip;q=0": false, "gzip; q = 0.001": true,
		"*;q=0": false, "gzip;q=x": false, "gzip;q=-1": false, "gzip;other=1": true, "xgzip": false, "br": false, "gzip;q=0, *": false,
		"br;q=1, *;q=0.1": true,
	} {
		if got := AcceptsGzip(accept); got != want {
			t.Errorf("%q accepts gzip: %v", accept, got)
		}
	}
}

// A viewerStream is the response to a viewer of a stream, who may stop reading.
type viewerStream struct {
	mu     sync.Mutex
	text   bytes.Buffer
	header http.Header
	code   int
	gone   bool
}

func (v *viewerStream) Header() http.Header  { return v.header }
func (v *viewerStream) WriteHeader(code int) { v.code = code }
func (v *viewerStream) Flush()               {}
func (v *viewerStream) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.gone {
		return 0, errors.New("the viewer has left")
	}
	return v.text.Write(p)
}

// read returns the text since the last call.
func (v *viewerStream) read() string {
	synctest.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	defer v.text.Reset()
	return v.text.String()
}

// TestEventStream checks the stream of a scoreboard: where it begins, what each change sends, when it says that it is still
// there, and that it ends with its viewer.
func TestEventStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := classroom(scoring.ICPC, time.Now().Add(-time.Minute))
		l, h := New(s, signed), newRegistry(t)
		begin := func(query, last string) (v *viewerStream, end func()) {
			v = &viewerStream{header: http.Header{}}
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, "GET", "/events?"+query, nil)
			r.Header.Set("Last-Event-ID", last)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				h.ServeEvents(v, r, l, false)
			}()
			return v, func() { cancel(); <-ended }
		}
		rename := func(name string) {
			team := s.Teams[0]
			team.Name = name
			l.Apply(nil, []scoring.Team{team})
		}
		p, err := l.Page(Viewer{}, "")
		h.must(err)
		version := strconv.FormatInt(p.Version, 10)

		for _, bad := range [][2]string{{"", ""}, {"version=", ""}, {"version=x", ""}, {"version=" + version, "x"}} {
			v, end := begin(bad[0], bad[1])
			if text := v.read(); v.code != http.StatusBadRequest || strings.Contains(text, "retry") {
				t.Errorf("%q: %d %q", bad, v.code, text)
			}
			end()
		}
		v, end := begin("version=1", version)
		if got := v.read(); !regexp.MustCompile(`^retry: [23]\d\d\d\n\n$`).MatchString(got) {
			t.Errorf("the stream begins with %q", got)
		}
		if v.header.Get("Content-Type") != "text/event-stream" || v.header.Get("Cache-Control") != "no-store" ||
			v.header.Get("X-Accel-Buffering") != "no" {
			t.Errorf("the headers are %v", v.header)
		}
		time.Sleep(keepAliveEvery - time.Nanosecond)
		if got := v.read(); got != "" {
			t.Errorf("nothing has changed: %q", got)
		}
		time.Sleep(time.Nanosecond)
		if got := v.read(); got != ":\n\n" {
			t.Errorf("a stream that is still is told %q", got)
		}
		time.Sleep(keepAliveEvery / 2)
		rename("Bats")
		time.Sleep(RenderInterval)
		got := v.read()
		if !strings.HasPrefix(got, "event: board\nid: "+strconv.FormatInt(p.Version+1, 10)+"\ndata: {") || !strings.HasSuffix(got, "}\n\n") ||
			!strings.Contains(got, "Bats") || strings.Count(got, "event: ") != 1 {
			t.Errorf("a change sends %q", got)
		}
		time.Sleep(keepAliveEvery - RenderInterval - time.Nanosecond)
		if got := v.read(); got != "" {
			t.Errorf("less than %v after a change: %q", keepAliveEvery, got)
		}
		time.Sleep(RenderInterval)
		if got := v.read(); got != ":\n\n" {
			t.Errorf("%v after a change: %q", keepAliveEvery, got)
		}

		// A viewer with an older version gets all changes since, and one with an unknown version is asked to reload.
		old, endOld := begin("version="+version, "")
		if got := old.read(); strings.Count(got, "event: ") != 1 || !strings.Contains(got, "Bats") {
			t.Errorf("a viewer who missed a change gets %q", got)
		}
		unknown, endUnknown := begin("version=5", "")
		if want := fmt.Sprintf("id: %d\ndata: {\"from\":5,\"to\":%d,\"all\":true}\n\n", p.Version+1, p.Version+1); !strings.HasSuffix(
			unknown.read(), want) {
			t.Errorf("a viewer with another version does not get %q", want)
		}
		if n := l.Watchers(); n != 3 {
			t.Errorf("%d viewers, want 3", n)
		}
		endOld()
		endUnknown()
		end()
		if n := l.Watchers(); n != 0 {
			t.Errorf("%d viewers after all have left", n)
		}

		// A viewer who cannot be reached is given up at the next text: a change, or a sign that the stream is still there.
		for _, change := range []bool{false, true} {
			v, end := begin("", strconv.FormatInt(p.Version+1, 10))
			v.read()
			v.mu.Lock()
			v.gone = true
			v.mu.Unlock()
			if change {
				rename("Cats")
			}
			time.Sleep(keepAliveEvery)
			synctest.Wait()
			if n := l.Watchers(); n != 0 {
				t.Errorf("a viewer who is gone is kept (a change: %v)", change)
			}
			end()
		}
		// The end of the server ends all streams.
		ctx, cancel := context.WithCancel(t.Context())
		go h.Registry.Run(ctx)
		last, endLast := begin("version=5", "")
		last.read()
		cancel()
		synctest.Wait()
		if n := l.Watchers(); n != 0 {
			t.Error("a stream outlives the server")
		}
		endLast()
	})
}
