package shadow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store"
)

// TestLater checks that later changes and deletions by the primary also change the contest, even if the primary no
// longer recognizes the token of its feed.
func TestLater(t *testing.T) {
	p := newPrimary(t, false)
	p.closed = true // so that the contest can still change
	p.fill()
	// The submission was sent in a removed interval. Its contest time must be the one that the primary reports.
	p.add("submissions", "paused", `{"id":"paused","team_id":"t1","problem_id":"2","language_id":"shell","time":"2026-01-01T12:00:00+01:00",`+
		`"contest_time":"0:45:00.000"}`)
	m := start(t, t.TempDir())
	m.begin(p, false)
	m.whole()
	has := func(what string, want string, there bool) {
		t.Helper()
		m.wait(func() string {
			if all := m.state() + m.results(); strings.Contains(all, want) != there {
				return fmt.Sprintf("%s: %q is there: %v\n%s", what, want, !there, all)
			}
			return ""
		})
	}
	has("contest time", "paused wf-2026-b 2026-01-01T09:45:00.000Z", true)
	has("a team of a hidden group", " t3 ", false)
	has("before it is taken back", "100 sum 2026-01-01T09:01:00.500Z 1 files, given AC", true)
	p.add("submissions", "100", "")
	has("taken back", "100 sum 2026-01-01T09:01:00.500Z", false)
	p.add("judgements", "j101", "")
	has("a judgement that is taken back", "101 sum 2026-01-01T09:02:00.500Z 1 files, given open", true)

	p.mu.Lock()
	p.forgets = true // from now on, each feed starts from the beginning
	p.mu.Unlock()
	p.CloseClientConnections()
	p.add("teams", "t8", `{"id":"t8","name":"Eight"}`)
	has("after the token was refused", " t8 0/", true)
	p.mu.Lock()
	p.forgets = false
	p.lines = append(p.lines, fmt.Sprintf(`{"type":"awards","id":null,"data":[{"id":"worst","citation":"x","team_ids":["t2"]}],`+
		`"token":"t%d"}`, len(p.lines)+1))
	p.mu.Unlock()
	has("all awards at once", "worst [t2]", true)
	has("all awards at once", "best [t7]", false)
	p.add("state", "", `{"started":"2026-01-01T10:00:00.000+01:00","finalized":null}`)
	m.wait(func() string {
		if c := m.contest(); !c.Finalized.IsZero() || !c.Thaw.IsZero() {
			return fmt.Sprintf("the results are still final: %v, %v", c.Finalized, c.Thaw)
		}
		return ""
	})
	p.add("contest", "", strings.Replace(strings.Replace(contest, "10:00:00.000+01:00", "11:00:00.000+01:00", 1), `"0:10:00.000"`, "15", 1))
	m.wait(func() string {
		if c := m.contest(); c.Starts.UTC().Hour() != 10 || c.Settings.Penalty != 15 || c.Freeze != 4*time.Hour ||
			c.FormalName != "World Finals" {
			return fmt.Sprintf("the contest is %+v", c)
		}
		return ""
	})
}

// TestContestOfOurs checks that a contest that already exists on this server can follow a primary. Its problems
// remain, and are linked to the primary's problems by id and label.
func TestContestOfOurs(t *testing.T) {
	p := newPrimary(t, false)
	p.fill()
	m := start(t, t.TempDir())
	some := blob.DigestOf([]byte("another bundle"))
	for _, slug := range []string{"nim", "mine"} {
		if _, err := m.db.PutBundle(t.Context(), store.NewBundle{Problem: slug, Title: slug, Owner: m.admin.ID, ID: some, Manifest: some,
			Config: some, MadeBy: m.admin.ID}); err != nil {
			t.Fatal(err)
		}
	}
	c := &store.Contest{Slug: "wf-2026", Name: "Ours", Format: store.ICPC, Length: time.Hour, Visibility: store.VisibilityJury}
	if err := m.db.NewContest(t.Context(), c, []store.NewContestProblem{{Label: "Z", Slug: "mine"}, {Label: "B", Slug: "nim"}}); err != nil {
		t.Fatal(err)
	}
	m.begin(p, false)
	m.whole()
	problems, err := m.db.ContestProblems(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range problems {
		got = append(got, one.Label+" "+one.Slug+" "+one.ExtID+" "+one.Color)
	}
	if want := "A sum sum #ff0000, B nim 2 , Z mine mine "; strings.Join(got, ", ") != want {
		t.Errorf("the problems are %s, want %s", strings.Join(got, ", "), want)
	}
	if now := m.contest(); now.Visibility != store.VisibilityJury || now.Name != "WF" || now.Length != 5*time.Hour {
		t.Errorf("the contest is %+v", now)
	}
}
