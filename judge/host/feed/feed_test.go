package feed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// A world is a contest in a separate database with a clock that the test sets.
type world struct {
	testing.TB
	now     time.Time
	store   *store.Store
	intake  *intake.Service
	people  []*store.Account
	teams   []*store.Team
	contest string // id
	sent    []*store.StoredSubmission
	made    []string // rejudgings
	// If unverified is set, judges do not verify verdicts.
	unverified bool
}

var (
	start  = time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	digest = blob.DigestOf([]byte("a bundle"))
)

func newWorld(t testing.TB) *world {
	w := &world{TB: t, now: start.Add(-time.Hour)}
	clock := func() time.Time { return w.now }
	var err error
	w.store, err = store.Open(t.Context(), store.Options{Dir: storetest.Dir(t), Version: "test", Now: clock})
	w.must(err)
	t.Cleanup(func() { w.must(w.store.Close()) })
	w.intake = &intake.Service{Store: w.store, Now: clock, MaxSize: 128 << 10}
	n := &store.ContestImport{
		Contest: &store.Contest{Slug: "wf", Name: "WF", Format: store.ICPC, Starts: start, Length: 5 * time.Hour, Freeze: 4 * time.Hour,
			Visibility: store.VisibilityPublic},
		Organizations: []store.Organization{{ID: "u", Name: "U"}},
		Groups:        []store.Group{{ID: "east", Name: "East", Type: "site"}, {ID: "west", Name: "West"}},
		Persons:       []store.ContestPerson{{ID: "p", Name: "P", Role: "coach", Teams: []string{"t0"}}},
	}
	for i := range 5 {
		a, err := w.store.NewAccount(t.Context(), fmt.Sprint("a", i), fmt.Sprint("A", i), store.PersonAccount, "")
		w.must(err)
		w.people = append(w.people, a)
		n.Teams = append(n.Teams, store.Team{
			ExtID: fmt.Sprint("t", i), Name: fmt.Sprint("Team ", i), Hidden: i == 4, GroupIDs: []string{[]string{"east", "west"}[i/3]},
		})
		n.Accounts = append(n.Accounts, store.ImportedAccount{ID: a.Login, Type: "team", Team: fmt.Sprint("t", i), Account: a})
	}
	for i := range 3 {
		slug := fmt.Sprint("p", i)
		_, err = w.store.PutBundle(t.Context(), store.NewBundle{
			Problem: slug, Title: slug, Owner: w.people[0].ID, ID: digest, Manifest: digest, Config: digest, MadeBy: w.people[0].ID,
		})
		w.must(err)
		n.Problems = append(n.Problems, store.NewContestProblem{Label: string(rune('A' + i)), Slug: slug})
	}
	w.contest, _, err = w.store.ImportContest(t.Context(), n)
	w.must(err)
	all, err := w.store.Teams(t.Context(), w.contest)
	w.must(err)
	w.teams = all
	return w
}

func (w *world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *world) submit(team int, problem string) {
	w.Helper()
	w.submitAt(team, problem, time.Time{})
}

// submitAt stores a submission that was received at the given time.
func (w *world) submitAt(team int, problem string, at time.Time) {
	w.Helper()
	n := store.NewSubmission{
		At:      at,
		Contest: w.contest, Account: w.people[max(team, 0)].ID, Problem: problem, Priority: job.ContestPriority, Class: "main",
		Work: job.Work{Kind: job.Submission, Bundle: digest, Config: digest, Problem: problem, Program: "a.py",
			Language: "python3", Files: []job.File{{Path: "a.py", Size: 1, Digest: digest}}},
	}
	if team >= 0 {
		n.Team = w.teams[team].ID
	}
	a, err := w.store.Submit(w.Context(), n)
	w.must(err)
	w.sent = append(w.sent, a)
}

// judge records a verdict for the first pending job of a priority.
func (w *world) judge(priority job.Priority, v judge.Verdict) {
	w.Helper()
	waiting, err := w.store.NextJobs(w.Context(), priority, "main", 1)
	w.must(err)
	for _, s := range waiting {
		r := &job.Result{Job: s.ID, Generation: s.Generation, Token: s.Token, Worker: "w", State: job.Done,
			Finished: &judge.Finished{Verdict: v}, Rows: []job.CaseRow{{Case: "secret/1", Verdict: judge.Accepted, CPUUS: 1500},
				{Case: "secret/2", Verdict: v, CPUUS: 2500}}}
		var doubt *store.Doubt
		if !s.Work.Retime && len(w.sent)%7 == 3 && s.Generation == 1 && v == judge.TimeLimit {
			doubt = &store.Doubt{Why: "barely"}
		}
		if _, err := w.store.RecordDoubtfulResult(w.Context(), r, "", doubt); err != nil {
			w.Fatal(err)
		}
	}
}

func (w *world) row() *store.Contest {
	w.Helper()
	c, err := w.store.Contest(w.Context(), w.contest)
	w.must(err)
	return c
}

func (w *world) set(change func(c *store.Contest)) {
	w.Helper()
	c := w.row()
	change(c)
	w.must(w.store.SetContest(w.Context(), c, nil))
}

var verdicts = []judge.Verdict{judge.Accepted, judge.Accepted, judge.WrongAnswer, judge.TimeLimit, judge.CompileError,
	judge.JudgeError, judge.MemoryLimit}

// step makes a random change.
func (w *world) step(r *rand.Rand) string {
	w.now = w.now.Add(time.Duration(r.IntN(400)) * time.Second)
	started := w.now.After(start)
	switch n := r.IntN(48); {
	case n < 13 && started:
		w.submit(r.IntN(6)-1, fmt.Sprint("p", r.IntN(3)))
		return "submit"
	case n < 26:
		w.judge(job.ContestPriority, verdicts[r.IntN(len(verdicts))])
		return "judge"
	case n < 29:
		n := store.NewClarification{Contest: w.contest, Account: w.people[0].ID, Team: w.teams[0].ID, Text: fmt.Sprint("why ", w.now)}
		if r.IntN(2) == 0 {
			n.Problem = "p1"
		}
		number, err := w.store.Clarify(w.Context(), n)
		if errors.Is(err, store.ErrTooManyQuestions) {
			return ""
		}
		w.must(err)
		if r.IntN(2) == 0 {
			n := store.NewClarification{Contest: w.contest, Account: w.people[1].ID, Jury: true, Text: fmt.Sprint("so ", w.now)}
			if r.IntN(2) == 0 {
				n.ReplyTo = number
			}
			for _, t := range w.teams {
				if r.IntN(4) == 0 {
					n.Teams = append(n.Teams, t.ID)
				}
			}
			if r.IntN(3) == 0 {
				n.Groups = []string{[]string{"east", "west"}[r.IntN(2)]}
			}
			_, err = w.store.Clarify(w.Context(), n)
			w.must(err)
		}
		return "clarify"
	case n < 31 && len(w.sent) > 0:
		m := store.Override{Ignored: r.IntN(2) == 0, Verdict: []judge.Verdict{"", judge.Accepted, judge.WrongAnswer}[r.IntN(3)], Why: "x"}
		w.must(w.store.AddOverride(w.Context(), w.sent[r.IntN(len(w.sent))].ID, w.people[0].ID, m, -1))
		return "mark"
	case n < 33:
		made, _, err := w.store.Rejudge(w.Context(), store.NewRejudging{
			Filter: store.SubmissionFilter{Contest: w.contest}, Why: "x", Account: w.people[0].ID,
		})
		if err != nil {
			return ""
		}
		w.made = append(w.made, made.ID)
		return "rejudge"
	case n < 37 && len(w.made) > 0:
		for range 40 {
			w.judge(job.BackgroundPriority, verdicts[r.IntN(4)])
		}
		for _, id := range w.made {
			if err := w.store.ApplyRejudging(w.Context(), id); err != nil {
				_, _ = w.store.CancelRejudging(w.Context(), id)
			}
		}
		w.made = nil
		return "apply"
	case n == 37:
		t := *w.teams[3]
		t.Hidden = !t.Hidden
		w.must(w.store.SetTeam(w.Context(), &t, ""))
		w.teams[3] = &t
		return "hide"
	case n == 38:
		w.set(func(c *store.Contest) { c.Settings.CompileErrors = !c.Settings.CompileErrors })
		return "settings"
	case n >= 40:
		return w.rarely(r, n-40)
	}
	return ""
}

// rarely makes a random change of a less frequent kind.
func (w *world) rarely(r *rand.Rand, n int) string {
	switch {
	case n < 2:
		t := *w.teams[r.IntN(len(w.teams))]
		t.ExtraTime = time.Duration(r.IntN(3)) * 10 * time.Minute
		t.Groups = [][]string{nil, {"East"}, {"West"}, {"West", "East"}}[r.IntN(4)]
		w.must(w.store.SetTeam(w.Context(), &t, ""))
		for i := range w.teams {
			if w.teams[i].ID == t.ID {
				w.teams[i] = &t
			}
		}
		return "extra time"
	case n < 4:
		w.set(func(c *store.Contest) {
			from := w.now.Add(-time.Duration(1+r.IntN(20)) * time.Minute)
			if all := c.Settings.Removed; len(all) > 0 && from.Before(all[len(all)-1].To) {
				c.Settings.Removed = all[:len(all)-1]
				return
			}
			c.Settings.Removed = append(c.Settings.Removed, store.Interval{From: from, To: from.Add(5 * time.Minute)})
		})
		return "removed"
	case w.unverified: // even clients that see everything do not know what is unverified
		return ""
	case n < 6:
		m := store.VerifyModes[r.IntN(len(store.VerifyModes))]
		w.must(w.store.SetVerify(w.Context(), w.contest, []string{"A", "B", "C"}[r.IntN(3)], m))
		return "mode"
	}
	for _, a := range w.sent {
		s, err := w.store.Submission(w.Context(), a.ID)
		w.must(err)
		if s.Verify.Pending() && r.IntN(2) == 0 {
			w.must(w.store.Verify(w.Context(), a.ID, w.people[0].ID, store.Verification{OK: true, Judgement: s.Judgement}))
		}
	}
	return "verify"
}

// readers returns a reader for each role and version.
func (w *world) readers() (all []feed.Reader) {
	for _, v := range clics.Versions {
		for _, role := range clics.Roles {
			to := feed.Reader{Version: v, Role: role}
			if role == clics.Team {
				to.Team, to.Account = w.teams[0].ID, w.people[0].ID
			}
			all = append(all, to)
		}
		for _, role := range []clics.Role{clics.Judge, clics.Balloon, clics.Staff} { // of one site
			all = append(all, feed.Reader{Version: v, Role: role, Sites: "east"})
		}
	}
	return all
}

// follower folds a feed.
type follower struct {
	to     feed.Reader
	cursor *feed.Cursor
	has    map[string]string // data by type and id
	token  string
}

func (f *follower) read(t testing.TB, most int) {
	t.Helper()
	b, err := f.cursor.Next()
	if err != nil {
		t.Fatal(err)
	}
	for i := range b.Lines {
		if most--; most < 0 {
			return
		}
		token := b.Partial
		if i == len(b.Lines)-1 {
			token = b.Token
		}
		var line bytes.Buffer
		b.Lines[i].Write(&line, token)
		var e struct {
			Type  string
			ID    *string
			Data  json.RawMessage
			Token string
		}
		if err := json.Unmarshal(line.Bytes(), &e); err != nil {
			t.Fatalf("%v: %s", err, &line)
		}
		key := e.Type + " "
		if e.ID != nil {
			key += *e.ID
		}
		f.has[key], f.token = string(e.Data), e.Token
		if string(e.Data) == "null" {
			delete(f.has, key)
		}
	}
}

// rest returns the objects from REST, in the form of a follower's state.
func rest(t testing.TB, c *feed.Contest, to feed.Reader) map[string]string {
	t.Helper()
	has := map[string]string{}
	for _, typ := range clics.Types {
		if typ == clics.Scoreboard {
			continue
		}
		lines, err := c.List(to, typ)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range lines {
			key := string(typ) + " " + l.ID
			if has[key] != "" {
				t.Fatalf("%s of %s in %s twice", key, to.Role, to.Version)
			}
			has[key] = string(l.Data)
		}
	}
	return has
}

func difference(got, want map[string]string) (out string) {
	keys := slices.Sorted(maps.Keys(want))
	for key := range got {
		if want[key] == "" {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if got[key] != want[key] {
			out += fmt.Sprintf("\n%s\n  feed %s\n  REST %s", key, got[key], want[key])
		}
	}
	return out
}

// TestFeedIsREST compares the feed of each role in both versions with REST while a contest changes at random.
// Feeds are cut after random lines and resumed from their tokens, also on a server that has just started.
func TestFeedIsREST(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			w, r := newWorld(t), rand.New(rand.NewPCG(seed, 1))
			w.set(func(c *store.Contest) { c.Settings.BalloonsInFreeze = int(seed) })
			registry := &feed.Registry{Intake: w.intake}
			followers := map[feed.Reader]*follower{}
			check := func(what string) {
				t.Helper()
				if r.IntN(4) == 0 {
					registry = &feed.Registry{Intake: w.intake}
					for _, f := range followers {
						f.cursor = nil
					}
				}
				c, err := registry.Contest(t.Context(), w.contest)
				w.must(err)
				for _, to := range w.readers() {
					f := followers[to]
					if f == nil {
						f = &follower{to: to, has: map[string]string{}}
						followers[to] = f
					}
					for cuts := r.IntN(3); ; cuts-- {
						if f.cursor == nil {
							f.cursor, err = c.NewCursor(t.Context(), to, f.token, nil)
							if errors.Is(err, feed.ErrToken) { // the public has lost objects
								f.has = map[string]string{}
								f.cursor, err = c.NewCursor(t.Context(), to, "", nil)
							}
							w.must(err)
						}
						if cuts <= 0 {
							f.read(t, 1<<30)
							break
						}
						f.read(t, r.IntN(20))
						f.cursor = nil
					}
					if d := difference(f.has, rest(t, c, to)); d != "" {
						t.Fatalf("after %s at %s, %s in %s:%s", what, w.now.Format("15:04:05"), to.Role, to.Version, d)
					}
				}
			}
			check("nothing")
			for range 100 {
				if what := w.step(r); what != "" {
					check(what)
				}
			}
			w.now = start.Add(6 * time.Hour)
			check("the end")
			w.set(func(c *store.Contest) { c.Thaw = w.now })
			check("thaw")
			w.now = w.now.Add(time.Minute)
			w.set(func(c *store.Contest) { c.Finalized = w.now })
			check("finalize")
			for _, f := range followers {
				if !strings.Contains(f.has["state "], `"end_of_updates":"2026`) {
					t.Errorf("%s in %s ends with %s", f.to.Role, f.to.Version, f.has["state "])
				}
			}
		})
	}
}

// TestTokens checks that a token is valid only for its contest, epoch, version and role.
func TestTokens(t *testing.T) {
	w := newWorld(t)
	registry := &feed.Registry{Intake: w.intake}
	c, err := registry.Contest(t.Context(), w.contest)
	w.must(err)
	readers := w.readers()
	f := &follower{to: readers[0], has: map[string]string{}}
	f.cursor, err = c.NewCursor(t.Context(), f.to, "", nil)
	w.must(err)
	f.read(t, 1<<30)
	word, _, _ := strings.Cut(f.token, ".")
	good := func(to feed.Reader, token string) bool {
		_, err := c.NewCursor(t.Context(), to, token, nil)
		if err != nil && !errors.Is(err, feed.ErrToken) {
			t.Fatal(err)
		}
		return err == nil
	}
	if !good(f.to, f.token) || !good(f.to, word+".0") {
		t.Error("its own token is refused")
	}
	for _, token := range []string{"x", "999999", word, word + ".", word + ".999999",
		word + ".-1", word + ".01", "." + f.token, word + ".1x"} {
		if good(f.to, token) {
			t.Errorf("%q is taken", token)
		}
	}
	for _, to := range readers[1:] {
		if good(to, f.token) {
			t.Errorf("%s in %s may use a token of %s", to.Role, to.Version, f.to.Role)
		}
	}
	strict := f.to
	strict.Strict = true
	if good(strict, f.token) {
		t.Error("a strict client may use the token of another one")
	}
	for i, of := range w.teams[:2] { // a token of a team is of that team
		to := feed.Reader{Version: clics.V2026, Role: clics.Team, Team: of.ID}
		cur, err := c.NewCursor(t.Context(), to, "", nil)
		w.must(err)
		b, err := cur.Next()
		w.must(err)
		if to.Team = w.teams[1-i].ID; good(to, b.Token) {
			t.Errorf("a token of team %d is taken from another team", i)
		}
	}
	second, _, err := w.store.ImportContest(t.Context(), &store.ContestImport{Contest: &store.Contest{
		Slug: "second", Name: "Second", Format: store.ICPC, Starts: start, Length: time.Hour, Visibility: store.VisibilityPublic,
	}})
	w.must(err)
	twin, err := registry.Contest(t.Context(), second)
	w.must(err)
	cur, err := twin.NewCursor(t.Context(), f.to, "", nil)
	w.must(err)
	b, err := cur.Next()
	w.must(err)
	twins, _, _ := strings.Cut(b.Token, ".")
	if good(f.to, twins+".0") {
		t.Error("a token of another contest is taken")
	}
	other := *w.teams[2]
	other.Hidden = true
	w.must(w.store.SetTeam(t.Context(), &other, ""))
	w.must(c.Refresh(t.Context(), 0))
	if good(f.to, f.token) {
		t.Error("a token of an earlier epoch is taken")
	}
}

// names matches the random ids in which two contests differ.
var names = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{28}-|"token":"[0-9a-f]{12}`)

// shown returns everything that a reader sees of a contest: REST, the scoreboard and the feed.
func (w *world) shown(registry *feed.Registry, to feed.Reader, feeds map[feed.Reader]*follower) string {
	c, err := registry.Contest(w.Context(), w.contest)
	w.must(err)
	var out strings.Builder
	has := rest(w.TB, c, to)
	order := slices.Collect(maps.Keys(has))
	number := map[string]string{}
	plain := func(key string) string { return names.ReplaceAllString(has[key]+key, "") }
	slices.SortFunc(order, func(a, b string) int { return strings.Compare(plain(a), plain(b)) })
	for _, key := range order {
		fmt.Fprintln(&out, key, has[key])
	}
	o, _ := c.Scoreboard(to, "")
	data, err := clics.Encode(clics.Reader{Version: to.Version, Role: to.Role}, clics.Scoreboard, o)
	w.must(err)
	out.Write(data)
	f := feeds[to]
	if f == nil {
		cursor, err := c.NewCursor(w.Context(), to, "", nil)
		w.must(err)
		f = &follower{to: to, cursor: cursor}
		feeds[to] = f
	}
	b, err := f.cursor.Next()
	w.must(err)
	var lines bytes.Buffer
	for i := range b.Lines {
		b.Lines[i].Write(&lines, b.Token)
	}
	out.Write(lines.Bytes())
	return names.ReplaceAllStringFunc(out.String(), func(name string) string {
		if number[name] == "" {
			number[name] = fmt.Sprintf("#%d#", len(number))
		}
		return number[name]
	})
}

// TestFrozenVerdictsAreSecret checks that two contests that differ only in the verdicts of frozen submissions are
// byte-for-byte the same for all roles that must not see these verdicts.
func TestFrozenVerdictsAreSecret(t *testing.T) {
	type told map[feed.Reader][]string
	play := func(frozen ...judge.Verdict) told {
		w := newWorld(t)
		registry, feeds, all := &feed.Registry{Intake: w.intake}, map[feed.Reader]*follower{}, told{}
		look := func() {
			for _, to := range w.readers() {
				if to.Role == clics.Team {
					to.Team, to.Account = w.teams[1].ID, w.people[1].ID
				}
				is := feed.Reader{Version: to.Version, Role: to.Role}
				all[is] = append(all[is], w.shown(registry, to, feeds))
			}
		}
		look()
		w.now = start.Add(time.Hour)
		for i, v := range []judge.Verdict{judge.Accepted, judge.WrongAnswer, judge.Accepted} {
			w.submit(i%2, "p0")
			w.judge(job.ContestPriority, v)
			w.now = w.now.Add(time.Minute)
			look()
		}
		w.now = start.Add(4 * time.Hour)
		for i, v := range frozen {
			w.submit([]int{0, 2, 3}[i%3], fmt.Sprint("p", i%3))
			look()
			w.judge(job.ContestPriority, v)
			w.now = w.now.Add(time.Minute)
			look()
		}
		w.now = start.Add(5*time.Hour + time.Minute)
		look()
		return all
	}
	one := play(judge.Accepted, judge.Accepted, judge.Accepted, judge.Accepted)
	two := play(judge.WrongAnswer, judge.JudgeError, judge.TimeLimit, judge.CompileError)
	for to, said := range one {
		if same := slices.Equal(said, two[to]); same != outsider(to.Role) {
			for i := range said {
				if said[i] != two[to][i] {
					t.Logf("%d\n%s\n%s", i, said[i], two[to][i])
				}
			}
			t.Errorf("%s in %s is told the same: %v", to.Role, to.Version, same)
		}
	}
}
