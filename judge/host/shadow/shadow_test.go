package shadow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/clics"
	"assay/judge/host/client"
	"assay/judge/host/dispatch"
	"assay/judge/host/feed"
	"assay/judge/host/intake"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
)

// patience is the timeout of a test for expected events.
const patience = 3 * time.Minute

// A machine is a server that follows primaries.
type machine struct {
	testing.TB
	dir    string
	db     *store.Store
	intake *intake.Service
	admin  *store.Account
	stop   func()
}

// start opens the database in a directory, and starts to follow the primaries.
func start(t testing.TB, dir string) *machine {
	t.Helper()
	m := &machine{TB: t, dir: dir}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	blobs, err := blob.Open(filepath.Join(dir, "blobs"), 0)
	must(err)
	m.db, err = store.Open(t.Context(), store.Options{Dir: dir, Version: "v1"})
	must(err)
	log := slog.New(slog.DiscardHandler)
	m.intake = &intake.Service{Store: m.db, Blobs: blobs, MaxSize: 1000, MaxFiles: 3, Class: "main",
		FreeDisk: func() (int64, error) { return 1 << 40, nil },
		Dispatch: dispatch.New(dispatch.Options{Store: m.db, Blobs: blobs, Log: log, Holder: dir, Class: "main"})}
	if m.admin, err = m.db.AccountByLogin(t.Context(), "admin"); err != nil {
		m.admin, err = m.db.NewAccount(t.Context(), "admin", "Admin", store.PersonAccount, "admin")
		must(err)
		sheet, err := json.Marshal(client.ProblemInfo{Format: client.ProblemInfoFormat, Title: "Sum",
			Languages: []client.OfferedLanguage{{ID: "sh", Name: "Shell", Extensions: []string{"sh"}}}})
		must(err)
		digest, _, err := blobs.Add(bytes.NewReader(sheet))
		must(err)
		some := blob.DigestOf([]byte("a bundle"))
		_, err = m.db.PutBundle(t.Context(), store.NewBundle{Problem: "sum", Title: "Sum", Owner: m.admin.ID, ID: some, Manifest: some,
			Config: some, ProblemInfo: digest, MadeBy: m.admin.ID})
		must(err)
	}
	// Release the leader lease of the previous server, as package server does at its start.
	if leader, err := m.db.LeaseHolder(t.Context(), store.ShadowLease); err == nil {
		must(m.db.ReleaseLease(t.Context(), store.ShadowLease, leader.Holder))
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	s := shadow.New(shadow.Options{Service: m.intake, Log: log, Holder: fmt.Sprint(time.Now().UnixNano()), Pause: 5 * time.Millisecond})
	go func() { defer close(done); s.Run(ctx) }()
	m.stop = sync.OnceFunc(func() {
		cancel()
		<-done
		_ = m.db.Close()
	})
	t.Cleanup(m.stop)
	return m
}

// kill stops a server as a machine failure would: its database immediately stops responding.
func (m *machine) kill() {
	_ = m.db.Close()
	m.stop()
}

func (m *machine) contest() *store.Contest {
	m.Helper()
	c, err := m.db.ContestBySlug(m.Context(), "wf-2026")
	if err != nil {
		m.Fatal(err)
	}
	return c
}

// wait waits until check returns an empty string. If that takes too long, the test fails with the last text that
// check returned.
func (m *machine) wait(check func() string) {
	m.Helper()
	last := ""
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(20 * time.Millisecond) {
		if last = check(); last == "" {
			return
		}
	}
	m.Fatal(last)
}

// state formats all relevant data of a contest.
func (m *machine) state() string {
	m.Helper()
	ctx, c := m.Context(), m.contest()
	all, err := m.db.ShadowSubmissions(ctx, c.ID)
	if err != nil {
		m.Fatal(err)
	}
	// The order of import depends on when the files could be fetched.
	slices.SortFunc(all, func(a, b store.ShadowSubmission) int { return strings.Compare(a.ExtID, b.ExtID) })
	var out strings.Builder
	for _, s := range all {
		if s.Ignored { // a deleted submission remains only if it was imported before
			continue
		}
		sub, err := m.db.Submission(ctx, s.ID)
		if err != nil {
			m.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %s %s %v files, given %s, judged here %v\n", s.ExtID, sub.Problem, clics.FormatTime(sub.Received),
			len(sub.Files), s.Override, !s.Ended)
	}
	wrong, err := m.db.ExternalProblems(ctx, c.ID)
	if err != nil {
		m.Fatal(err)
	}
	for _, p := range wrong {
		fmt.Fprintf(&out, "%s %s: %s\n", p.Type, p.ID, strings.ReplaceAll(p.Text, "127.0.0.1", "primary"))
	}
	return out.String()
}

// results returns a contest's scoreboard and awards in the jury's view.
func (m *machine) results() string {
	m.Helper()
	feeds := feed.Registry{Intake: m.intake}
	c, err := feeds.Contest(m.Context(), m.contest().ID)
	if err != nil {
		m.Fatal(err)
	}
	to := feed.Reader{Version: clics.V2023, Role: clics.Admin}
	board, _ := c.Scoreboard(to, "")
	data, err := json.Marshal(board["rows"])
	if err != nil {
		m.Fatal(err)
	}
	var rows []struct {
		Rank  int                      `json:"rank"`
		Team  string                   `json:"team_id"`
		Score map[string]time.Duration `json:"score"`
	}
	_ = json.Unmarshal(data, &rows)
	var out strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&out, "%d %s %d/%v\n", r.Rank, r.Team, r.Score["num_solved"], r.Score["total_time"])
	}
	awards, err := c.List(to, clics.Awards)
	if err != nil {
		m.Fatal(err)
	}
	slices.SortFunc(awards, func(a, b feed.Line) int { return strings.Compare(a.ID, b.ID) })
	for _, a := range awards {
		fmt.Fprintf(&out, "%s %v\n", a.ID, a.Object["team_ids"])
	}
	return out.String()
}

// begin makes a contest follow a primary.
func (m *machine) begin(p *primary, ours bool) {
	m.Helper()
	slug, err := shadow.Start(m.Context(), m.intake, store.ExternalSource{URL: p.address(), Account: m.admin.ID, UseOwnVerdicts: ours}, "")
	if err != nil || slug != "wf-2026" {
		m.Fatal(slug, err)
	}
}

// whole waits until the contest contains all data of its primary, including the final state.
func (m *machine) whole() {
	m.Helper()
	m.wait(func() string {
		objects, err := m.db.ExternalObjects(m.Context(), m.contest().ID, "")
		if err != nil {
			m.Fatal(err)
		}
		last, fresh, which := false, 0, ""
		for _, o := range objects {
			last = last || o.Type == "state" && strings.Contains(o.Data, "finalized")
			if o.Uncopied {
				fresh++
				which = o.Type + " " + o.ID
			}
		}
		c := m.contest()
		source, err := m.db.ExternalSource(m.Context(), c.ID)
		if err != nil {
			m.Fatal(err)
		}
		if !last || fresh > 0 || c.Finalized.IsZero() != source.UseOwnVerdicts {
			return fmt.Sprintf("%s: the contest has not all: %d objects are fresh, such as %s, final %v", source.Failure, fresh, which, c.Finalized)
		}
		return ""
	})
}

// TestStateFirst checks a feed that starts after the contest, in which the final state precedes the submissions.
// The results must become final only after all submissions have been imported.
func TestStateFirst(t *testing.T) {
	p := newPrimary(t, false)
	p.fill()
	m := start(t, t.TempDir())
	m.begin(p, false)
	m.whole()
	want, results := m.state(), m.results()
	m.stop()
	for _, cuts := range []string{"none", "anywhere", "between lines"} {
		p := newPrimary(t, false)
		p.fill()
		p.wholeLines = cuts == "between lines"
		first := slices.IndexFunc(p.lines, func(line string) bool { return strings.HasPrefix(line, `{"type":"state"`) })
		last := len(p.lines) - 1
		p.lines[first] = strings.Replace(p.lines[last], fmt.Sprintf(`"t%d"`, last+1), fmt.Sprintf(`"t%d"`, first+1), 1)
		p.lines = p.lines[:last]
		if cuts != "none" {
			p.cuts = rand.New(rand.NewPCG(3, 3))
		}
		m := start(t, t.TempDir())
		m.begin(p, false)
		m.whole()
		if got := m.state() + m.results(); got != want+results {
			t.Errorf("with cuts %s:\n%s\nwant\n%s", cuts, got, want+results)
		}
		m.stop()
	}
}

// TestFollow follows a primary whose feed breaks off after random bytes, on a server that is killed repeatedly.
// The resulting contest must equal that of an uninterrupted run, in each version of the feed.
func TestFollow(t *testing.T) {
	for _, old := range []bool{false, true} {
		t.Run(fmt.Sprint("old ", old), func(t *testing.T) {
			quiet := newPrimary(t, old)
			quiet.fill()
			m := start(t, t.TempDir())
			m.begin(quiet, false)
			m.whole()
			want, results := m.state(), m.results()
			quiet.mu.Lock()
			if quiet.most > 8 || quiet.most < 2 {
				t.Errorf("%d files were fetched at once", quiet.most)
			}
			quiet.mu.Unlock()
			check(t, want, results)
			c := m.contest()
			m.stop()

			p := newPrimary(t, old)
			p.cuts = rand.New(rand.NewPCG(7, 7))
			p.fill()
			dir := t.TempDir()
			m = start(t, dir)
			m.begin(p, false)
			for i := range 8 {
				time.Sleep(time.Duration(p.cuts.IntN(60)) * time.Millisecond)
				m.kill()
				if m = start(t, dir); i == 4 { // also restart the primary
					p.mu.Lock()
					p.forgets = true
					p.mu.Unlock()
				}
			}
			p.mu.Lock()
			p.forgets = false
			p.mu.Unlock()
			m.whole()
			if got := m.state(); got != want {
				t.Errorf("with kills:\n%s\nwithout:\n%s", got, want)
			}
			if got := m.results(); got != results {
				t.Errorf("with kills:\n%s\nwithout:\n%s", got, results)
			}
			now := m.contest()
			c.ID, c.Revision, c.LastSeq, c.Phase, c.Epoch = now.ID, now.Revision, now.LastSeq, now.Phase, now.Epoch
			if fmt.Sprintf("%+v", c) != fmt.Sprintf("%+v", now) {
				t.Errorf("with kills %+v\nwithout %+v", now, c)
			}
		})
	}
}

// check compares the contest with the data from fill.
func check(t *testing.T, state, results string) {
	t.Helper()
	for _, want := range []string{
		"100 sum 2026-01-01T09:01:00.500Z 1 files, given AC, judged here true\n",
		"102 wf-2026-b 2026-01-01T09:03:00.500Z 1 files, given CE, judged here false\n", // the problem has no package
		"103 wf-2026-b 2026-01-01T09:04:00.500Z 1 files, given open, judged here false\n",
		"106 wf-2026-b 2026-01-01T09:07:00.500Z 1 files, given open, judged here false\n", // JE
		"broken sum 2026-01-01T10:00:00.500Z 0 files, given WA, judged here false\n",
		"submissions broken: its files cannot be used: the files are not a zip archive: zip: not a valid zip file: it is not judged here\n",
		"submissions empty: its files cannot be used: the archive has no files: it is not judged here\n",
		"submissions large: its files cannot be used: the submission is too large: it is not judged here\n",
		"submissions names: its files cannot be used: ",
		"submissions missing: its files cannot be used: the primary answers 404 Not Found: no files: it is not judged here\n",
		"submissions never: its files cannot be used: the primary answers 503 Service Unavailable: busy: it is not judged here\n",
		"submissions elsewhere: its files cannot be used: the primary answers 403 Forbidden: the files are on another server: other.example: " +
			"it is not judged here\n",
		"submissions hidden: the primary does not show its files: it is not judged here\n",
		"cobol sum 2026-01-01T10:00:00.500Z 1 files, given open, judged here false\n",
		`submissions cobol: no problem of the contest takes the language "cobol": it is not judged here` + "\n",
		"late wf-2026-b 2026-01-01T14:00:00.500Z 1 files, given AC, judged here false\n",
		"submissions late: the primary received it after the end of the contest: it is not judged here\n",
		"submissions no-team: the contest has no team t9\n",
		"submissions nothing: the contest has no problem 9\n",
		"submissions four: the contest has no team t@4\n",
		"submissions a@b: its id is not one of the Contest API\n",
		"late-team wf-2026-b 2026-01-01T11:00:00.500Z 0 files, given AC, judged here false\n",
		"organizations bad: ", "teams t@4: ", "problems again: another problem has the label A, too\n",
	} {
		if strings.Count(state, want) != 1 {
			t.Errorf("%q is %d times in\n%s", want, strings.Count(state, want), state)
		}
	}
	for _, never := range []string{"taken ", "no-team ", "nothing ", "submissions late-team", "submissions taken", "submissions 1",
		"teams t2"} {
		if strings.Contains("\n"+state, "\n"+never) {
			t.Errorf("%q is in\n%s", never, state)
		}
	}
	for _, want := range []string{"1 t1 2/", "best [t7]\n", "winner [t1]\n", "first-to-solve-sum [t1]\n", "gold-medal [t1 t2 t7]\n"} {
		if !strings.Contains(results, want) {
			t.Errorf("the results have no %q:\n%s", want, results)
		}
	}
}

// TestPassword checks that the password is read from its file and sent to the primary, and that a missing file is
// reported.
func TestPassword(t *testing.T) {
	p := newPrimary(t, false)
	p.password = "sesame"
	m := start(t, t.TempDir())
	_, err := shadow.Start(t.Context(), m.intake, store.ExternalSource{URL: p.address(), Account: m.admin.ID}, "")
	if refusal, is := err.(*intake.Refusal); !is || !strings.Contains(refusal.Text, "401 Unauthorized: who are you?") {
		t.Errorf("without a password: %v", err)
	}
	file := filepath.Join(m.dir, "secret")
	for name, want := range map[string]string{file: "no such file", "secret": "not an absolute path", m.dir: "is a directory"} {
		_, err := shadow.Start(t.Context(), m.intake,
			store.ExternalSource{URL: p.address(), Login: "x", SecretFile: name, Account: m.admin.ID}, "")
		if refusal, is := err.(*intake.Refusal); !is || !strings.Contains(refusal.Text, "read the password of the primary: ") ||
			!strings.Contains(refusal.Text, want) || !strings.Contains(refusal.Hint, "on the server's machine") {
			t.Errorf("with the file %s: %v", name, err)
		}
	}
	for _, tt := range [][2]string{{"other\n", "401"}, {"sesame\nmore", "on one line"}, {strings.Repeat("x", 300), "on one line"},
		{"sesame\n", ""}} {
		text, want := tt[0], tt[1]
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		slug, err := shadow.Start(t.Context(), m.intake,
			store.ExternalSource{URL: p.address(), Login: "x", SecretFile: file, Account: m.admin.ID}, "")
		if want == "" && (err != nil || slug != "wf-2026") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("with %.20q: %q %v", text, slug, err)
		}
	}
	p.fill()
	m.whole()
	if err := os.Remove(file); err != nil { // the file is read when the feed is opened again
		t.Fatal(err)
	}
	p.CloseClientConnections()
	m.wait(func() string {
		if s, err := m.db.ExternalSource(t.Context(), m.contest().ID); err != nil ||
			!strings.Contains(s.Failure, "read the password of the primary") || s.LastReceived.IsZero() {
			return fmt.Sprintf("the trouble is %+v, %v", s, err)
		}
		return ""
	})
}

// TestOurs checks contests in which this server's verdicts count. The primary's verdicts have no effect, and a
// submission that no worker judges is pending. The setting can be changed at any time. The results do not become
// final automatically.
func TestOurs(t *testing.T) {
	p := newPrimary(t, false)
	p.closed = true // so that the jury can still change verdicts
	p.fill()
	m := start(t, t.TempDir())
	m.begin(p, true)
	m.whole()
	given := func() string {
		all, err := m.db.ShadowSubmissions(t.Context(), m.contest().ID)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range all {
			if slices.Contains([]string{"100", "101", "102", "cobol", "late-team"}, s.ExtID) {
				got = append(got, fmt.Sprintf("%s=%s", s.ExtID, s.Override))
			}
		}
		slices.Sort(got)
		return strings.Join(got, " ")
	}
	is := func(want string) {
		t.Helper()
		m.wait(func() string {
			if got := given(); got != want {
				return fmt.Sprintf("%s, want %s", got, want)
			}
			return ""
		})
	}
	is("100= 101= 102=open cobol=open late-team=open")
	all, err := m.db.ShadowSubmissions(t.Context(), m.contest().ID)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all { // verdict overrides remain in effect
		if s.ExtID == "101" {
			if err := m.db.AddOverride(t.Context(), s.ID, m.admin.ID, store.Override{Verdict: judge.TimeLimit, Why: "x"}, -1); err != nil {
				t.Fatal(err)
			}
		}
	}
	is("100= 101=TLE 102=open cobol=open late-team=open")
	m.begin(p, false)
	is("100=AC 101=WA 102=CE cobol=open late-team=AC")
	m.wait(func() string {
		if m.contest().Finalized.IsZero() {
			return "the results of the primary are not final"
		}
		return ""
	})
	m.begin(p, true)
	is("100= 101=TLE 102=open cobol=open late-team=open")
	if err := m.db.Unfollow(t.Context(), m.contest().ID); err != nil {
		t.Fatal(err)
	}
	if _, err := m.db.ExternalSource(t.Context(), m.contest().ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it follows still: %v", err)
	}
	_, err = shadow.Start(t.Context(), m.intake, store.ExternalSource{URL: p.address(), Account: m.admin.ID}, "")
	if refusal, is := err.(*intake.Refusal); !is || !strings.Contains(refusal.Text, "submissions of its own") {
		t.Errorf("a contest with submissions follows another primary: %v", err)
	}
}
