package feed_test

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/store"
)

// TestLinesWithoutIDs checks that a line for the contest or the state has the id null in a feed.
func TestLinesWithoutIDs(t *testing.T) {
	for line, want := range map[*feed.Line]string{
		{Type: clics.State, Data: []byte("{}")}:            `{"type":"state","id":null,"data":{},"token":"x"}` + "\n",
		{Type: clics.Teams, ID: `a"b`, Data: []byte("{}")}: `{"type":"teams","id":"a\"b","data":{},"token":"x"}` + "\n",
		{Type: clics.Teams, ID: "7"}:                       `{"type":"teams","id":"7","data":null,"token":"x"}` + "\n",
	} {
		var out bytes.Buffer
		if line.Write(&out, "x"); out.String() != want {
			t.Errorf("%s, want %s", &out, want)
		}
	}
}

// sends returns the type and id of each line that the cursor returns next, and the token after these lines. A "-"
// before the type marks a deleted object. Random ids are omitted.
func sends(t *testing.T, cur *feed.Cursor) (all []string, token string) {
	t.Helper()
	b, err := cur.Next()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range b.Lines {
		if l.Object != nil {
			t.Errorf("the line of %s %s keeps its object, which takes more memory than its data", l.Type, l.ID)
		}
		line := strings.TrimSpace(string(l.Type) + " " + names.ReplaceAllString(l.ID, ""))
		if l.Data == nil {
			line = "-" + line
		}
		all = append(all, line)
	}
	return all, b.Token
}

// TestReconnection checks that a client that reconnects with a token gets only the changes since that token, the
// state and the awards. Objects that the client no longer sees are deleted before the objects that they refer to.
func TestReconnection(t *testing.T) {
	w := newWorld(t)
	w.now = start.Add(time.Hour)
	judged := func(team int) { w.judged(team, "p0", judge.Accepted) }
	judged(0)
	judged(1)
	registry := &feed.Registry{Intake: w.intake}
	to := feed.Reader{Version: clics.V2026, Role: clics.Public}
	token := ""
	back := func(what string, want ...string) {
		t.Helper()
		c, err := registry.Contest(t.Context(), w.contest)
		w.must(err)
		cur, err := c.NewCursor(t.Context(), to, token, nil)
		w.must(err)
		var got []string
		if got, token = sends(t, cur); want == nil {
			if slices.ContainsFunc(got, func(line string) bool { return line[0] == '-' }) {
				t.Errorf("%s: deleted objects in %v", what, got)
			}
			return
		}
		if !slices.Contains(got, "state") || !slices.Contains(got, "awards winner") {
			t.Errorf("%s: no state or no awards in %v", what, got)
		}
		got = slices.DeleteFunc(got, func(line string) bool { return line == "state" || strings.HasPrefix(line, "awards ") })
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
		if got, _ := sends(t, cur); len(got) > 0 {
			t.Errorf("%s: a second time %v", what, got)
		}
	}
	nothing := []string{}
	back("first")
	back("nothing", nothing...)
	judged(2)
	back("a submission", "submissions 3", "judgements", "runs 1", "runs 2")
	w.submit(1, "p1")
	back("a pending submission", "submissions 4", "judgements")
	_, err := w.store.Clarify(t.Context(), store.NewClarification{Contest: w.contest, Account: w.people[0].ID, Jury: true, Text: "hear"})
	w.must(err)
	back("a clarification", "clarifications 1")
	ignored := store.Override{Ignored: true, Why: "x"}
	w.must(w.store.AddOverride(t.Context(), w.sent[0].ID, w.people[0].ID, ignored, -1))
	back("an ignored submission", "-runs 1", "-runs 2", "-judgements", "-submissions 1")
	back("nothing again", nothing...)
	held := token
	token = ""
	back("another client")
	token = held
	w.must(w.store.AddOverride(t.Context(), w.sent[0].ID, w.people[0].ID, store.Override{Why: "x"}, -1))
	back("a submission that is back", "submissions 1", "judgements", "runs 1", "runs 2")
	c, err := registry.Contest(t.Context(), w.contest)
	w.must(err)
	cur, err := c.NewCursor(t.Context(), to, token, nil)
	w.must(err)
	judged(3) // between the request and the first line
	w.must(c.Refresh(t.Context(), 0))
	got, token := sends(t, cur)
	if !slices.Contains(got, "submissions 5") || slices.Contains(got, "submissions 4") {
		t.Errorf("a submission after the request: %v", got)
	}
	named := *w.teams[1]
	named.Name = "Another name"
	w.must(w.store.SetTeam(t.Context(), &named, ""))
	c, err = registry.Contest(t.Context(), w.contest)
	w.must(err)
	cur, err = c.NewCursor(t.Context(), to, token, nil)
	w.must(err)
	if got, token = sends(t, cur); !slices.Contains(got, "teams t1") {
		t.Errorf("after a change of a team: %v", got)
	}
	w.set(func(c *store.Contest) { c.FormalName = "World Finals" })
	c, err = registry.Contest(t.Context(), w.contest)
	w.must(err)
	cur, err = c.NewCursor(t.Context(), to, token, nil)
	w.must(err)
	if got, _ := sends(t, cur); got[0] != "contest" || !slices.Contains(got, "teams t0") {
		t.Errorf("after a change of the contest: %v", got)
	}

	// A feed that stays open has the same in the same order.
	live, err := c.NewCursor(t.Context(), to, "", nil)
	w.must(err)
	sends(t, live)
	w.must(w.store.AddOverride(t.Context(), w.sent[1].ID, w.people[0].ID, ignored, -1))
	w.must(c.Refresh(t.Context(), 0))
	got, _ = sends(t, live)
	if got = slices.DeleteFunc(got, func(line string) bool { return strings.HasPrefix(line, "awards ") }); !slices.Equal(got,
		[]string{"-runs 1", "-runs 2", "-judgements", "-submissions 2"}) {
		t.Errorf("an open feed: %v", got)
	}
	w.now = start.Add(4 * time.Hour)
	w.submit(0, "p2")
	w.must(c.Refresh(t.Context(), 0))
	if got, _ := sends(t, live); got[len(got)-1] != "state" || !slices.Contains(got, "submissions 6") {
		t.Errorf("at the freeze, the state is not the last line: %v", got)
	}
	w.now = start.Add(6 * time.Hour)
	w.must(c.Refresh(t.Context(), 0))
	if got, _ := sends(t, live); got[len(got)-1] != "state" {
		t.Errorf("at the end, the state is not the last line: %v", got)
	}
}

// TestManyChanges checks that a token remains valid however many changes have followed it.
func TestManyChanges(t *testing.T) {
	w := newWorld(t)
	w.now = start.Add(time.Hour)
	registry := &feed.Registry{Intake: w.intake}
	c, err := registry.Contest(t.Context(), w.contest)
	w.must(err)
	to := feed.Reader{Version: clics.V2026, Role: clics.Judge}
	cur, err := c.NewCursor(t.Context(), to, "", nil)
	w.must(err)
	_, token := sends(t, cur)
	w.submit(0, "p0")
	for i := range 501 { // more than are applied one by one
		m := store.Override{Verdict: []judge.Verdict{judge.Accepted, judge.WrongAnswer}[i%2], Why: "x"}
		w.must(w.store.AddOverride(t.Context(), w.sent[0].ID, w.people[0].ID, m, -1))
	}
	_, err = w.store.Clarify(t.Context(), store.NewClarification{Contest: w.contest, Account: w.people[0].ID, Jury: true, Text: "hear"})
	w.must(err)
	for name, registry := range map[string]*feed.Registry{"follows": registry, "has just started": {Intake: w.intake}} {
		c, err := registry.Contest(t.Context(), w.contest)
		w.must(err)
		cur, err := c.NewCursor(t.Context(), to, token, nil)
		w.must(err)
		if got, _ := sends(t, cur); !slices.Contains(got, "submissions 1") || !slices.Contains(got, "clarifications 1") {
			t.Errorf("a server that %s sends %v", name, got)
		}
	}
}

// TestTypesOfAFeed checks that a client gets the types that it asks for. If it asks for none, it gets all types,
// but a strict client gets no accounts.
func TestTypesOfAFeed(t *testing.T) {
	w := newWorld(t)
	c, err := (&feed.Registry{Intake: w.intake}).Contest(t.Context(), w.contest)
	w.must(err)
	for _, tt := range []struct {
		strict bool
		types  []clics.Type
		want   string
	}{
		{false, nil, "contest judgement-types languages groups organizations persons teams accounts problems state awards"},
		{true, nil, "contest judgement-types languages groups organizations persons teams problems state awards"},
		{true, []clics.Type{clics.Accounts}, "accounts"},
		{false, []clics.Type{clics.State, clics.Teams}, "teams state"},
	} {
		cur, err := c.NewCursor(t.Context(), feed.Reader{Version: clics.V2026, Role: clics.Admin, Strict: tt.strict}, "", tt.types)
		w.must(err)
		lines, _ := sends(t, cur)
		var got []string
		for _, line := range lines {
			typ, _, _ := strings.Cut(line, " ")
			if !slices.Contains(got, typ) {
				got = append(got, typ)
			}
		}
		if strings.ReplaceAll(strings.Join(got, " "), "languages ", "") != strings.ReplaceAll(tt.want, "languages ", "") {
			t.Errorf("strict %v, types %v: %v, want %s", tt.strict, tt.types, got, tt.want)
		}
	}
}

// TestFeedsOfAccounts checks that clients with the same role get the objects of their own accounts and types, although
// clients with equal rights share their feeds.
func TestFeedsOfAccounts(t *testing.T) {
	w := newWorld(t)
	c, err := (&feed.Registry{Intake: w.intake}).Contest(t.Context(), w.contest)
	w.must(err)
	var open []*feed.Cursor // feeds are shared only while they are open
	for i := range 3 {
		for _, types := range [][]clics.Type{{clics.Accounts}, {clics.Awards}, {clics.Accounts, clics.Awards}} {
			cur, err := c.NewCursor(t.Context(), feed.Reader{Version: clics.V2026, Role: clics.Analyst, Account: w.people[i].ID}, "", types)
			w.must(err)
			open = append(open, cur)
			got, _ := sends(t, cur)
			var want []string
			for _, typ := range types {
				want = append(want, map[clics.Type]string{clics.Accounts: fmt.Sprint("accounts a", i), clics.Awards: "awards"}[typ])
			}
			for i, line := range got {
				if strings.HasPrefix(line, "awards ") {
					got[i] = "awards"
				}
			}
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("analyst %d, types %v: %v, want %v", i, types, got, want)
			}
		}
	}
	runtime.KeepAlive(open)
}

// TestTokensOfSites checks that the token of a client at a site is valid until a team enters or leaves the site.
// This also holds if no object of the contest refers to the team, and if the team leaves between the request and
// the first line.
func TestTokensOfSites(t *testing.T) {
	for _, role := range []clics.Role{clics.Judge, clics.Balloon} {
		w := newWorld(t)
		registry := &feed.Registry{Intake: w.intake}
		contest := func() *feed.Contest {
			c, err := registry.Contest(t.Context(), w.contest)
			w.must(err)
			return c
		}
		to := feed.Reader{Version: clics.V2026, Role: role, Sites: "east"}
		fresh := func(to feed.Reader) string {
			cur, err := contest().NewCursor(t.Context(), to, "", nil)
			w.must(err)
			_, token := sends(t, cur)
			return token
		}
		move := func(i int, groups ...string) {
			team := *w.teams[i]
			team.Groups = groups
			w.must(w.store.SetTeam(t.Context(), &team, ""))
			w.teams[i] = &team
		}
		token, all := fresh(to), fresh(feed.Reader{Version: clics.V2026, Role: role})
		good := func(what string, to feed.Reader, token string, want bool) {
			t.Helper()
			_, err := contest().NewCursor(t.Context(), to, token, nil)
			if (err == nil) != want || err != nil && !errors.Is(err, feed.ErrToken) {
				t.Errorf("%s, %s: the token is good: %v", role, what, err)
			}
		}
		other := to
		other.Sites = "west"
		both := to
		both.Sites = "east west"
		good("at another site", other, token, false)
		good("at both sites", both, token, false)
		nowhere := to
		nowhere.Sites = "nowhere"
		at := fresh(nowhere)
		nowhere.Sites = "somewhere"
		good("at another site without teams", nowhere, at, false)
		move(3)
		good("a team of another site leaves it", to, token, true)
		cur, err := contest().NewCursor(t.Context(), to, token, nil)
		w.must(err)
		move(1, "West")
		good("a team leaves", to, token, false)
		good("a team leaves, without a site", feed.Reader{Version: clics.V2026, Role: role}, all, true)
		contest()
		if _, err := cur.Next(); !errors.Is(err, feed.ErrToken) {
			t.Errorf("%s: the team left before the first line: %v", role, err)
		}
		token = fresh(to)
		move(1, "East")
		good("it is back", to, token, false)
		open, err := contest().NewCursor(t.Context(), to, "", nil)
		w.must(err)
		sends(t, open)
		move(2)
		contest()
		if got, _ := sends(t, open); !slices.Contains(got, "-teams t2") {
			t.Errorf("%s: an open feed does not lose the team: %v", role, got)
		}
	}
}
