package feed_test

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/api"
	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/client"
	"assay/judge/host/dispatch"
	"assay/judge/host/feed"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// replayEnv is set for a child process that runs a server until it is killed.
const replayEnv = "ASSAY_TEST_REPLAY"

// A replay is a contest whose clock runs faster than the machine's.
type replay struct {
	Dir   string
	Begun int64 // start on the machine's clock, in microseconds
	Speed int64
}

// now returns the time of the contest's clock.
func (r *replay) now() time.Time {
	return start.Add(time.Duration(time.Now().UnixMicro()-r.Begun) * time.Microsecond * time.Duration(r.Speed))
}

func TestMain(m *testing.M) {
	if text := os.Getenv(replayEnv); text != "" {
		var r replay
		err := json.Unmarshal([]byte(text), &r)
		if err == nil {
			err = r.serve()
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// open opens the database of the replay with the clock now.
func (r *replay) open(ctx context.Context, now func() time.Time) (*store.Store, *intake.Service, error) {
	db, err := store.Open(ctx, store.Options{Dir: r.Dir, Version: "test", Now: now})
	if err != nil {
		return nil, nil, err
	}
	blobs, err := blob.Open(filepath.Join(r.Dir, "blobs"), 0)
	if err != nil {
		return nil, nil, err
	}
	log := slog.New(slog.DiscardHandler)
	d := dispatch.New(dispatch.Options{Store: db, Blobs: blobs, Log: log, Holder: "test", Class: "main"})
	return db, &intake.Service{Store: db, Blobs: blobs, Dispatch: d, Now: now, MaxSize: 1 << 20, MaxFiles: 3, Class: "main",
		FreeDisk: func() (int64, error) { return 1 << 40, nil }}, nil
}

// contestAPI returns the Contest API of a server.
func contestAPI(d *intake.Service) http.Handler {
	log := slog.New(slog.DiscardHandler)
	boards := scoreboard.NewRegistry(scoreboard.RegistryOptions{Store: d.Store, Log: log})
	return api.New(api.Options{Service: d, Scoreboards: boards, Name: "Test", Version: "test", Passwords: auth.NewPasswords(), Log: log,
		URL: client.Address{URL: "http://test.example"}})
}

// serve runs the Contest API and a worker that gives each submission the verdict in its file name. It prints the
// address of the API.
func (r *replay) serve() error {
	ctx := context.Background()
	db, d, err := r.open(ctx, r.now)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("http://" + listener.Addr().String())
	ended := make(chan error)
	go func() {
		ended <- http.Serve(listener, contestAPI(d))
	}()
	go func() {
		for ; ; time.Sleep(5 * time.Millisecond) {
			var waiting []*job.Spec
			var err error
			for _, priority := range job.Priorities {
				some, err2 := db.NextJobs(ctx, priority, "main", 10)
				waiting, err = append(waiting, some...), errors.Join(err, err2)
			}
			for _, s := range waiting {
				v := judge.Verdict(strings.TrimSuffix(s.Work.Program, path.Ext(s.Work.Program)))
				_, err2 := db.RecordResult(ctx, &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w", State: job.Done,
					Finished: &judge.Finished{Verdict: v}, Rows: []job.CaseRow{{Case: "secret/1", Verdict: v, CPUUS: 1500}}}, "")
				err = errors.Join(err, err2)
			}
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	return <-ended
}

// set creates the contest. It returns the contest's id, and the tokens of its accounts by username.
func (r *replay) set(t testing.TB, rec *recording) (contest string, tokens map[string]string) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	db, d, err := r.open(t.Context(), func() time.Time { return start.Add(-time.Hour) })
	must(err)
	defer func() { must(db.Close()) }()
	sheet, err := json.Marshal(client.ProblemInfo{Format: client.ProblemInfoFormat, Title: "x", Languages: rec.languages})
	must(err)
	at, _, err := d.Blobs.Add(bytes.NewReader(sheet))
	must(err)
	c := rec.contest
	c.Slug, c.Name, c.Format, c.Starts, c.Visibility = "wf", "WF", store.ICPC, start, store.VisibilityPublic
	n := &store.ContestImport{Contest: &c, Groups: rec.groups, Teams: rec.teams}
	tokens = map[string]string{"": ""}
	account := func(login, typ string, role auth.Role, team string) *store.Account {
		a, err := db.NewAccount(t.Context(), login, login, store.PersonAccount, "")
		must(err)
		text, hash := auth.NewToken()
		_, err = db.NewToken(t.Context(), a.ID, hash, "", []string{"submit"}, time.Time{})
		must(err)
		tokens[login] = text
		n.Accounts = append(n.Accounts, store.ImportedAccount{ID: login, Type: typ, Role: string(role), Team: team, Account: a})
		return a
	}
	chief := account("chief", "admin", auth.ContestAdmin, "")
	for i, p := range rec.problems {
		slug := fmt.Sprintf("p%02d", i)
		_, err := db.PutBundle(t.Context(), store.NewBundle{Problem: slug, Title: slug, Owner: chief.ID, ID: digest, Manifest: digest,
			Config: digest, ProblemInfo: at, MadeBy: chief.ID})
		must(err)
		n.Problems = append(n.Problems, store.NewContestProblem{Label: p.Label, Slug: slug, ExtID: p.ExtID})
	}
	account("judge", "judge", auth.Judge, "")
	account("team", "team", "", rec.team)
	contest, _, err = db.ImportContest(t.Context(), n)
	must(err)
	return contest, tokens
}

// A replayed is a replay whose server is killed and restarted.
type replayed struct {
	testing.TB
	replay
	rec    *recording
	tokens map[string]string

	mu   sync.Mutex
	url  string
	kill func()
}

// start starts the server.
func (p *replayed) start() {
	text, err := json.Marshal(p.replay)
	if err != nil {
		p.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		p.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), replayEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	kill := sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	p.Cleanup(kill)
	if err != nil {
		p.Fatalf("the server does not start: %v", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.url, p.kill = strings.TrimSpace(line), kill
}

// request sends a request to the current server.
func (p *replayed) request(ctx context.Context, who, method, path, body string) (*http.Response, error) {
	p.mu.Lock()
	url := p.url
	p.mu.Unlock()
	r, err := http.NewRequestWithContext(ctx, method, url+"/api/2026-01/contests/wf"+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	if token := p.tokens[who]; token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return http.DefaultClient.Do(r)
}

// send repeats a submission until the server has accepted it.
func (p *replayed) send(s played) error {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	i := slices.IndexFunc(p.rec.languages, func(l client.OfferedLanguage) bool { return l.ID == s.language })
	if i < 0 || len(p.rec.languages[i].Extensions) == 0 {
		return fmt.Errorf("submission %s: the recorded contest has no language %q with an extension", s.id, s.language)
	}
	f, err := z.Create(string(s.verdict) + "." + p.rec.languages[i].Extensions[0])
	if err == nil {
		_, err = io.WriteString(f, "x")
	}
	if err := errors.Join(err, z.Close()); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"id": %q, "problem_id": %q, "language_id": %q, "team_id": %q, "time": %q, "files": [{"data": %q}]}`,
		s.id, s.problem, s.language, s.team, clics.FormatTime(start.Add(s.at)), base64.StdEncoding.EncodeToString(packed.Bytes()))
	for again := false; ; again = true {
		answer, err := p.request(p.Context(), "chief", "PUT", "/submissions/"+s.id, body)
		if err != nil { // the server was killed
			if p.Context().Err() != nil || p.Failed() {
				return err
			}
			time.Sleep(5 * time.Millisecond)
			continue
		}
		said, _ := io.ReadAll(answer.Body) // a kill may truncate the body
		_ = answer.Body.Close()
		switch {
		case answer.StatusCode == 429: // too many pending submissions, because the machine is busy
			time.Sleep(100 * time.Millisecond)
			continue
		case answer.StatusCode != 200 && !(again && answer.StatusCode == 409):
			return fmt.Errorf("submission %s: %d %s", s.id, answer.StatusCode, said)
		}
		return nil
	}
}

// follow reads the feed of the account who and applies its lines to a state. If the feed breaks off, follow
// resumes it from the last token. When done returns true for the state, follow returns the state.
func (p *replayed) follow(who string, done func(has map[string]string) bool) (has map[string]string, err error) {
	has = map[string]string{}
	token := ""
	for {
		ctx, cancel := context.WithCancel(p.Context())
		path := "/event-feed"
		if token != "" {
			path += "?since_token=" + token
		}
		answer, err := p.request(ctx, who, "GET", path, "")
		if err == nil && answer.StatusCode != 200 {
			cancel()
			return nil, fmt.Errorf("the feed of %q after %s: %d", who, token, answer.StatusCode)
		}
		if err == nil {
			lines := bufio.NewReader(answer.Body)
			for {
				line, err := lines.ReadBytes('\n')
				if err != nil {
					break // also for a truncated line
				}
				var e struct {
					Type, Token string
					ID          *string
					Data        json.RawMessage
				}
				if len(bytes.TrimSpace(line)) == 0 {
					continue
				}
				if err := json.Unmarshal(line, &e); err != nil {
					cancel()
					return nil, fmt.Errorf("%v: %s", err, line)
				}
				key := e.Type + " "
				if e.ID != nil {
					key += *e.ID
				}
				if has[key] = string(e.Data); string(e.Data) == "null" {
					delete(has, key)
				}
				last := e.Token != token // last line of a batch
				if token = e.Token; last && done(has) {
					cancel()
					_ = answer.Body.Close()
					return has, nil
				}
			}
			_ = answer.Body.Close()
		}
		cancel()
		if p.Context().Err() != nil || p.Failed() {
			return nil, errors.New("the test has ended")
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// run replays a contest while its server is killed the given number of times. It returns the results without any
// data that depends on the time of judging.
func run(t *testing.T, rec *recording, speed int64, kills int) string {
	p := &replayed{TB: t, rec: rec, replay: replay{Dir: storetest.Dir(t), Speed: speed}}
	contest, tokens := p.set(t, rec)
	p.tokens, p.Begun = tokens, time.Now().UnixMicro()
	p.start()
	all, hidden := rec.submissions, map[string]bool{}
	for _, team := range rec.teams {
		hidden[team.ExtID] = team.Hidden
	}
	judged := func(has map[string]string, visible func(s played) bool) bool {
		if !strings.Contains(has["state "], `"ended":"`) {
			return false
		}
		submissions, got, want := 0, 0, 0
		for key, data := range has {
			switch {
			case strings.HasPrefix(key, "submissions "):
				submissions++
			case strings.HasPrefix(key, "judgements ") && strings.Contains(data, `"judgement_type_id"`):
				got++
			}
		}
		for _, s := range all {
			if !hidden[s.team] || visible(s) {
				submissions--
			}
			if visible(s) {
				want++
			}
		}
		return got == want && submissions == 0
	}
	public := func(s played) bool { return (s.at < rec.contest.Freeze || rec.contest.Freeze == 0) && !hidden[s.team] }
	readers := map[string]func(s played) bool{
		"":      public,
		"judge": func(s played) bool { return true },
		"team":  func(s played) bool { return s.team == rec.team || public(s) },
	}
	type followed struct {
		who string
		has map[string]string
		err error
	}
	feeds := make(chan followed, len(readers))
	for who, visible := range readers {
		go func() {
			has, err := p.follow(who, func(has map[string]string) bool { return judged(has, visible) })
			feeds <- followed{who, has, err}
		}()
	}
	r := rand.New(rand.NewPCG(3, 4))
	var killing sync.WaitGroup
	begun, killed := time.Now(), 0
	for i, s := range all {
		for p.now().Before(start.Add(s.at)) {
			time.Sleep(time.Millisecond)
		}
		if killed < kills && i%(len(all)/kills) == len(all)/kills/2 { // during the following submissions
			after := time.Duration(r.IntN(30)) * time.Millisecond
			killing.Wait()
			killed++
			killing.Go(func() {
				time.Sleep(after)
				p.kill()
				p.start()
			})
		}
		if err := p.send(s); err != nil {
			t.Fatal(err)
		}
	}
	killing.Wait()
	folded := map[string]map[string]string{}
	for late := time.After(5 * time.Minute); len(readers) > 0; {
		select {
		case f := <-feeds:
			if f.err != nil {
				t.Fatal(f.err)
			}
			folded[f.who] = f.has
			delete(readers, f.who)
		case <-late:
			t.Fatalf("submissions or judgements are missing in the feeds of %q", slices.Sorted(maps.Keys(readers)))
		}
	}
	p.kill()
	if killed != kills {
		t.Errorf("the server was killed %d times, want %d", killed, kills)
	}
	t.Logf("%d teams, %d submissions (%d verdicts drawn), %d kills, %d s", len(rec.teams), len(all), rec.drawn, killed,
		int(time.Since(begun).Seconds()))
	return p.results(contest, folded)
}

// results compares the states in folded, which followers built from their feeds, with REST. It also compares the
// scoreboard and the awards with the oracle, before and after the results are final. It returns all of them as
// text.
func (p *replayed) results(contest string, folded map[string]map[string]string) string {
	now := start.Add(p.rec.contest.Length + 30*time.Minute)
	db, d, err := p.open(p.Context(), func() time.Time { return now })
	w := &world{TB: p.TB, store: db, intake: d, contest: contest}
	w.must(err)
	defer func() { w.must(db.Close()) }()
	log, err := db.EventsSince(p.Context(), contest, 0, 1<<20)
	w.must(err)
	for i, e := range log {
		if e.Seq != int64(i+1) {
			p.Fatalf("the log has number %d in place %d", e.Seq, i+1)
		}
	}
	registry := &feed.Registry{Intake: d}
	var out strings.Builder
	teams, err := db.Teams(p.Context(), contest)
	w.must(err)
	look := func(when string, b int) {
		c, err := registry.Contest(p.Context(), contest)
		w.must(err)
		for _, to := range []feed.Reader{{Version: clics.V2026, Role: clics.Public}, {Version: clics.V2023, Role: clics.Judge}} {
			has := rest(p.TB, c, to)
			o := p.rec.oracle(b)
			w.must(o.read(has))
			scoreboard, awards := o.compute()
			if to.Version == clics.V2023 { // its scoreboard has all teams, its awards only the main group
				o.contest.Main = p.rec.contest.MainGroup
				_, awards = o.compute()
			}
			if is, prizes := answers(w, c, to); is != scoreboard || prizes != awards {
				p.Errorf("%s, %s: the scoreboard and the awards are\n%s%s\nwant\n%s%s", when, to.Role, is, prizes, scoreboard, awards)
			}
			if final := !w.row().Finalized.IsZero(); final && to.Role == clics.Public {
				p.rec.checkFinal(p.TB, scoreboard, awards)
			}
			fmt.Fprintf(&out, "%s %s\n%s%s%s", when, to.Role, scoreboard, awards, timeless(has))
		}
	}
	c, err := registry.Contest(p.Context(), contest)
	w.must(err)
	for who, has := range folded {
		to := feed.Reader{Version: clics.V2026, Role: clics.Public}
		if who != "" {
			a, err := db.AccountByLogin(p.Context(), who)
			w.must(err)
			to.Account, to.Role = a.ID, clics.Judge
		}
		if i := slices.IndexFunc(teams, func(t *store.Team) bool { return t.ExtID == p.rec.team }); who == "team" {
			to.Role, to.Team = clics.Team, teams[i].ID
		}
		if d := difference(has, rest(p.TB, c, to)); d != "" {
			p.Errorf("the feed of %q:%s", who, d)
		}
	}
	look("frozen", 0)
	final, err := db.Contest(p.Context(), contest)
	w.must(err)
	final.FinalB = p.rec.contest.FinalB
	w.must(db.Finalize(p.Context(), final, nil))
	now = now.Add(time.Minute)
	if final.Freeze != 0 {
		w.set(func(c *store.Contest) { c.Thaw = now })
	}
	look("unfrozen", final.FinalB)
	return out.String()
}

// timeless formats the objects of a feed without data that depends on the time of judging.
func timeless(has map[string]string) string {
	var lines []string
	for key, data := range has {
		typ, _, _ := strings.Cut(key, " ")
		var o map[string]any
		if json.Unmarshal([]byte(data), &o) == nil && (typ == "judgements" || typ == "runs") {
			for _, name := range []string{"id", "judgement_id", "start_time", "start_contest_time", "end_time", "end_contest_time", "time",
				"contest_time"} {
				delete(o, name)
			}
			text, _ := json.Marshal(o) // cannot fail: o was decoded from JSON
			key, data = typ, string(text)
		}
		lines = append(lines, key+" "+data)
	}
	return strings.Join(slices.Sorted(slices.Values(lines)), "\n") + "\n"
}

// TestReplay replays a contest while its server is killed repeatedly. It checks that all submissions arrive, that
// resumed feeds agree with REST, and that the scoreboard and the awards agree with the oracle. Everything must be
// the same as in the contest without kills.
func TestReplay(t *testing.T) {
	teams, problems, submissions, most, speed := 20, 6, 120, 3, int64(4000)
	if os.Getenv("ASSAY_SLOW") != "" {
		teams, problems, submissions, most, speed = 120, 12, 1300, 8, 200
	}
	rec := recordedOrDrawn(t, teams, problems, submissions)
	results := make([]string, 2)
	t.Run("", func(t *testing.T) {
		for i, kills := range []int{0, most} {
			t.Run(fmt.Sprint(kills, " kills"), func(t *testing.T) {
				t.Parallel()
				results[i] = run(t, rec, speed, kills)
			})
		}
	})
	one, two := strings.Split(results[0], "\n"), strings.Split(results[1], "\n")
	if !slices.Equal(one, two) && !t.Failed() {
		for i := range min(len(one), len(two)) {
			if one[i] != two[i] {
				t.Fatalf("line %d of %d and %d differs:\n%s\n%s", i, len(one), len(two), one[i], two[i])
			}
		}
		t.Fatalf("there are %d and %d lines", len(one), len(two))
	}
}
