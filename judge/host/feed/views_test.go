package feed_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/feed"
	"assay/judge/host/job"
	"assay/judge/host/media"
	"assay/judge/host/store"
	"assay/judge/internal/golden"
)

// views records how different readers see the objects of a contest. It writes the changes to out.
type views struct {
	*world
	feeds   *feed.Registry
	readers []feed.Reader
	out     strings.Builder
	rows    []string            // types and ids, in the order in which they appeared
	forms   map[string][]string // the different encodings of each row
	last    map[string]string   // what was written for each row
	names   map[string]string   // of random ids
}

// look writes a row for each object that some reader sees differently than before. A row has a column for each
// reader: a letter for the encoding that the reader sees, or "-" if the reader does not see the object. New
// encodings follow the row.
func (v *views) look(state string) {
	v.Helper()
	c, err := v.feeds.Contest(v.Context(), v.contest)
	v.must(err)
	columns := map[string][]byte{}
	blank := []byte(strings.Repeat("-", len(v.readers)))
	fresh := map[string]bool{}
	for i, to := range v.readers {
		for _, typ := range clics.Types {
			lines, err := c.List(to, typ)
			v.must(err)
			for _, l := range lines {
				row := v.stable(string(typ) + " " + l.ID)
				if columns[row] == nil {
					columns[row] = slices.Clone(blank)
				}
				if !slices.Contains(v.rows, row) {
					v.rows = append(v.rows, row)
				}
				data := v.stable(string(l.Data))
				if l.Own {
					data += " own"
				}
				at := slices.Index(v.forms[row], data)
				if at < 0 {
					at = len(v.forms[row])
					v.forms[row] = append(v.forms[row], data)
					fresh[fmt.Sprint(row, at)] = true
				}
				if columns[row][i] != '-' {
					v.Errorf("%s, %+v: %s is there twice", state, to, row)
				}
				columns[row][i] = byte('a' + at)
			}
		}
	}
	fmt.Fprintf(&v.out, "\n%s\n", state)
	for _, row := range v.rows {
		if columns[row] == nil {
			columns[row] = blank
		}
		if now := string(columns[row]); v.last[row] != now {
			v.last[row] = now
			fmt.Fprintf(&v.out, "%s %s\n", now, row)
		}
		for at, data := range v.forms[row] {
			if fresh[fmt.Sprint(row, at)] {
				fmt.Fprintf(&v.out, "    %c %s\n", 'a'+at, data)
			}
		}
	}
}

// stable replaces random ids.
func (v *views) stable(text string) string {
	return names.ReplaceAllStringFunc(text, func(name string) string {
		if v.names[name] == "" {
			v.names[name] = fmt.Sprintf("#%d#", len(v.names))
		}
		return v.names[name]
	})
}

// TestViews checks what each reader sees of each object in each state of a contest.
func TestViews(t *testing.T) {
	w := newWorld(t)
	v := &views{world: w, feeds: &feed.Registry{Intake: w.intake}, forms: map[string][]string{}, last: map[string]string{},
		names: map[string]string{}}
	var heads []string
	add := func(name string, to feed.Reader) {
		for _, to.Version = range clics.Versions {
			v.readers = append(v.readers, to)
		}
		heads = append(heads, name)
	}
	for _, role := range clics.Roles {
		to := feed.Reader{Role: role}
		if role == clics.Team {
			to.Team, to.Account = w.teams[0].ID, w.people[0].ID
		}
		add(string(role), to)
	}
	add("team of the west", feed.Reader{Role: clics.Team, Team: w.teams[3].ID})
	add("hidden team", feed.Reader{Role: clics.Team, Team: w.teams[4].ID, Account: w.people[4].ID})
	chief, err := w.store.NewAccount(t.Context(), "chief", "Chief", store.PersonAccount, "")
	w.must(err)
	add("proxy with an account", feed.Reader{Role: clics.Proxy, Account: chief.ID})
	add("judge of the east", feed.Reader{Role: clics.Judge, Sites: "east", Account: chief.ID})
	add("judge of the west", feed.Reader{Role: clics.Judge, Sites: "west"})
	add("judge of both", feed.Reader{Role: clics.Judge, Sites: "east west"})
	add("strict public", feed.Reader{Role: clics.Public, Strict: true})
	add("strict admin", feed.Reader{Role: clics.Admin, Strict: true})
	add("runner of the east", feed.Reader{Role: clics.Balloon, Sites: "east"})
	fmt.Fprintf(&v.out, "readers, two columns each, for %v:\n", clics.Versions)
	for i, head := range heads {
		fmt.Fprintf(&v.out, "%s%s\n", strings.Repeat("  ", i), head)
	}

	place, _, err := media.Parse("contest/problemset.pdf")
	w.must(err)
	set, err := media.New(place, []byte("%PDF-1.7\n"))
	w.must(err)
	_, _, err = w.store.ImportContest(t.Context(), &store.ContestImport{
		ID: w.contest, Media: []media.File{set},
		Persons:  []store.ContestPerson{{ID: "q", Name: "Q", Role: "staff"}, {ID: "r", Name: "R", Role: "coach", Teams: []string{"t3", "t0"}}},
		Accounts: []store.ImportedAccount{{ID: "chief", Type: "judge", Account: chief, Addresses: []string{"10.0.0.1"}}},
	})
	w.must(err)
	w.must(w.store.SetVerify(t.Context(), w.contest, "C", store.VerifyBefore))
	w.set(func(c *store.Contest) {
		c.Settings.BalloonsInFreeze = 2
		c.Settings.Awards = []store.CustomAward{
			{ID: "best-name", Citation: "Best name", Teams: []string{"t0", "t3", "t4"}},
			{ID: "first-to-solve-p1", Citation: "Fast", Teams: []string{"t1"}},
		}
	})
	say := func(n store.NewClarification) {
		t.Helper()
		n.Contest, n.Account = w.contest, w.people[0].ID
		_, err := w.store.Clarify(t.Context(), n)
		w.must(err)
	}
	id := func(i int) string { return w.teams[i].ID }
	say(store.NewClarification{Team: id(0), Text: "why?"})
	say(store.NewClarification{Jury: true, ReplyTo: 1, Text: "so", Teams: []string{id(0), id(3), id(4)}})
	say(store.NewClarification{Team: id(3), Text: "how?", Problem: "p0"})
	say(store.NewClarification{Jury: true, ReplyTo: 3, Text: "thus"})
	say(store.NewClarification{Jury: true, Text: "east", Groups: []string{"east"}})
	say(store.NewClarification{Jury: true, Text: "about A", Problem: "p0"})
	v.look("before the start")

	w.now = start.Add(time.Hour)
	judged := func(team int, problem string, verdict judge.Verdict) {
		t.Helper()
		w.judged(team, problem, verdict)
	}
	judged(0, "p0", judge.Accepted)
	judged(3, "p0", judge.WrongAnswer)
	judged(4, "p0", judge.Accepted)
	judged(-1, "p0", judge.Accepted)
	judged(1, "p1", judge.JudgeError)
	judged(0, "p2", judge.Accepted)  // to verify
	judged(3, "p1", judge.TimeLimit) // judged again
	judged(1, "p0", judge.WrongAnswer)
	judged(2, "p0", judge.WrongAnswer)
	w.submit(2, "p0") // pending
	w.must(w.store.AddOverride(t.Context(), w.sent[7].ID, w.people[0].ID, store.Override{Verdict: judge.Accepted, Why: "x"}, -1))
	w.must(w.store.AddOverride(t.Context(), w.sent[8].ID, w.people[0].ID, store.Override{Ignored: true, Why: "x"}, -1))
	made, _, err := w.store.Rejudge(t.Context(),
		store.NewRejudging{Filter: store.SubmissionFilter{Contest: w.contest, Verdict: string(judge.TimeLimit)}, Why: "x",
			Account: w.people[0].ID})
	w.must(err)
	w.judge(job.BackgroundPriority, judge.MemoryLimit)
	w.must(w.store.ApplyRejudging(t.Context(), made.ID))
	v.look("running")

	w.now = start.Add(4 * time.Hour)
	judged(0, "p1", judge.Accepted)
	judged(3, "p1", judge.Accepted)
	judged(4, "p1", judge.WrongAnswer)
	judged(1, "p2", judge.Accepted)
	v.look("frozen")
	w.now = start.Add(5*time.Hour + time.Minute)
	v.look("ended")
	w.set(func(c *store.Contest) { c.Thaw = w.now })
	v.look("thawed")
	w.now = w.now.Add(time.Minute)
	w.set(func(c *store.Contest) { c.Finalized = w.now })
	v.look("final")
	golden.Check(t, "testdata/views.golden", []byte(v.out.String()))
}
