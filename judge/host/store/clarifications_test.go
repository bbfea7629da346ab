package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/judge/host/store"
)

// TestClarifications checks requests from two teams, an answer to one team, an answer to all, and an announcement.
// Each team must be able to read exactly its own clarifications and those for all teams.
func TestClarifications(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.newContest("spring")
		c, err := h.ContestBySlug(t.Context(), "spring")
		if err != nil {
			t.Fatal(err)
		}
		bob := h.account("bob")
		teams := map[string]*store.Team{"": {}}
		for _, a := range []*store.Account{h.alice, bob} {
			if teams[a.Login], err = h.Enter(t.Context(), c.ID, a); err != nil {
				t.Fatal(err)
			}
		}
		write := func(n store.NewClarification, want error) {
			t.Helper()
			n.Contest = c.ID
			if n.Account == "" {
				n.Account = h.alice.ID
			}
			if _, err := h.Clarify(t.Context(), n); !errors.Is(err, want) {
				t.Errorf("%+v: %v, want %v", n, err, want)
			}
		}
		ask, staff := teams["alice"].ID, true
		write(store.NewClarification{Team: ask, Problem: "nim", Text: "is 0 allowed?"}, nil)                       // 1
		write(store.NewClarification{Team: teams["bob"].ID, Account: bob.ID, Text: "when is lunch?"}, nil)         // 2
		write(store.NewClarification{Jury: staff, Team: ask, ReplyTo: 1, Text: "it is\x00"}, nil)                  // 3
		write(store.NewClarification{Jury: staff, ReplyTo: 2, Text: "at noon"}, nil)                               // 4
		write(store.NewClarification{Jury: staff, Problem: "nim", Text: "the statement of nim was mended"}, nil)   // 5
		write(store.NewClarification{Jury: staff, Team: teams["bob"].ID, Text: "your machine is repaired"}, nil)   // 6
		write(store.NewClarification{Jury: staff, ReplyTo: 3, Text: "an answer to an answer"}, store.ErrNotFound)  // none
		write(store.NewClarification{Jury: staff, ReplyTo: 99, Text: "an answer to nothing"}, store.ErrNotFound)   // none
		write(store.NewClarification{Team: ask, Problem: "none", Text: "of a problem unknown"}, store.ErrNotFound) // none
		write(store.NewClarification{Team: ask, Text: "is anybody there?"}, nil)                                   // 7
		for i := range 9 {
			write(store.NewClarification{Team: ask, Text: fmt.Sprint("hello? ", i)}, nil)
		}
		write(store.NewClarification{Team: ask, Text: "hello? 7"}, store.ErrDuplicateText)
		write(store.NewClarification{Team: ask, Text: "hello? 9"}, store.ErrTooManyQuestions)
		write(store.NewClarification{Jury: staff, Team: ask, ReplyTo: 1, Text: "it is not", OnlyFirst: true}, store.ErrChanged)
		write(store.NewClarification{Team: teams["bob"].ID, Account: bob.ID, Text: "may I go on?"}, nil)
		for name, tt := range map[string]struct {
			f    store.ClarificationFilter
			want []int64
		}{
			"everything":    {store.ClarificationFilter{AllTeams: true, Before: 8}, []int64{7, 6, 5, 4, 3, 2, 1}},
			"alice's":       {store.ClarificationFilter{Team: ask, Before: 8}, []int64{7, 5, 4, 3, 1}},
			"bob's":         {store.ClarificationFilter{Team: teams["bob"].ID, Before: 8}, []int64{6, 5, 4, 2}},
			"for all":       {store.ClarificationFilter{}, []int64{5, 4}},
			"the next page": {store.ClarificationFilter{AllTeams: true, Before: 5, Limit: 2}, []int64{4, 3}},
		} {
			tt.f.Contest = c.ID
			list, err := h.Clarifications(t.Context(), tt.f)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, one := range list {
				got = append(got, one.Number)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s: %v, want %v", name, got, tt.want)
			}
		}
		list, err := h.Clarifications(t.Context(), store.ClarificationFilter{Contest: c.ID, Team: ask, Before: 5})
		if err != nil || len(list) != 3 {
			t.Fatal(list, err)
		}
		for i, want := range []string{
			"4 true  . at noon 2 when is lunch? 0 alice", "3 true ALICE nim it is\uFFFD 1 is 0 allowed? 0 alice",
			"1 false ALICE nim is 0 allowed? 0  1 alice",
		} {
			one := list[i]
			problem := one.Problem
			if one.Number == 4 {
				problem = "."
			}
			if got := fmt.Sprint(one.Number, " ", one.Jury, " ", one.TeamName, " ", problem, " ", one.Text, " ", one.ReplyTo, " ", one.Question,
				" ", one.Answers, " ", one.Login); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		if open, err := h.CountUnanswered(t.Context(), c.ID); err != nil || open != 11 {
			t.Errorf("%d questions are open, %v; want 11", open, err)
		}
		for _, tt := range [][2]int64{{4, 4}, {3, 4}} { // the number never decreases
			if err := h.MarkRead(t.Context(), c.ID, h.alice.ID, tt[0]); err != nil {
				t.Fatal(err)
			}
			if n, err := h.LastRead(t.Context(), c.ID, h.alice.ID); err != nil || n != tt[1] {
				t.Errorf("alice has read up to %d, %v; want %d", n, err, tt[1])
			}
		}
		if n, err := h.LastRead(t.Context(), c.ID, bob.ID); err != nil || n != 0 {
			t.Errorf("bob has read up to %d, %v", n, err)
		}
		if last, err := h.LastClarification(t.Context(), c.ID); err != nil || last != 17 {
			t.Errorf("the last one is %d, %v", last, err)
		}
		if last, err := h.LastClarification(t.Context(), store.Practice); err != nil || last != 0 {
			t.Errorf("the last one of another contest is %d, %v", last, err)
		}
	})
}

// TestClarificationsAtOnce checks that numbers have no gaps if several authors write at the same time.
func TestClarificationsAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		const writers = 8
		numbers := make([]int64, writers)
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				n, err := h.Clarify(t.Context(), store.NewClarification{Contest: store.Practice, Account: h.alice.ID, Jury: true,
					Text: fmt.Sprint("at once ", i)})
				if err != nil {
					t.Error(err)
				}
				numbers[i] = n
			})
		}
		all.Wait()
		slices.Sort(numbers)
		if !slices.Equal(numbers, []int64{1, 2, 3, 4, 5, 6, 7, 8}) {
			t.Errorf("the numbers are %v", numbers)
		}
	})
}

// must returns a function that fails the test if err is not nil, and otherwise returns v.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestRecipients checks that only the recipients can read a message from the jury to teams and groups. This must
// also hold after teams join or leave groups.
func TestRecipients(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.newContest("spring")
		c := must(h.ContestBySlug(t.Context(), "spring"))(t)
		people := []*store.Account{h.alice, h.account("bob"), h.account("carol"), h.account("dave")}
		var teams []*store.Team
		put := func(i int, groups ...string) {
			t.Helper()
			teams[i].Groups = groups
			if err := h.SetTeam(t.Context(), teams[i], ""); err != nil {
				t.Fatal(err)
			}
		}
		epoch := func() int64 { return must(h.Contest(t.Context(), c.ID))(t).Epoch }
		for i, a := range people {
			teams = append(teams, must(h.Enter(t.Context(), c.ID, a))(t))
			put(i, []string{"north", "north", "south", ""}[i:i+1]...)
		}
		put(3)
		group := map[string]string{}
		for _, g := range must(h.Groups(t.Context(), c.ID))(t) {
			group[g.Name] = g.ID
		}
		write := func(text string, reply int64, to []string, groups ...string) int64 {
			t.Helper()
			n := store.NewClarification{Contest: c.ID, Account: h.alice.ID, Jury: true, Text: text, Teams: to, Groups: groups, ReplyTo: reply}
			return must(h.Clarify(t.Context(), n))(t)
		}
		reads := func(want ...string) {
			t.Helper()
			for i, team := range teams {
				got := ""
				for _, one := range must(h.Clarifications(t.Context(), store.ClarificationFilter{Contest: c.ID, Team: team.ID}))(t) {
					if got += fmt.Sprint(one.Number); one.ToAll() == one.ConcernsTeam(must(h.TeamOf(t.Context(), c.ID, people[i].ID))(t)) {
						t.Errorf("%d is to all: %v, and of %s: %v", one.Number, one.ToAll(), team.Name, !one.ToAll())
					}
				}
				if got != want[i] {
					t.Errorf("%s reads %q, want %q", team.Name, got, want[i])
				}
			}
		}
		all := func(n ...int) (ids []string) {
			for _, i := range n {
				ids = append(ids, teams[i].ID)
			}
			return ids
		}
		write("to all", 0, nil)          // 1
		write("to one", 0, all(1))       // 2
		write("to two", 0, all(2, 0, 2)) // 3
		before := epoch()
		put(3, "south") // a group that received no messages
		put(3)
		if epoch() != before {
			t.Error("a group without messages: the epoch rose")
		}
		write("to a group", 0, nil, group["north"])            // 4
		write("to a group and one", 0, all(2), group["north"]) // 5
		reads("5431", "5421", "531", "1")
		for _, n := range []store.NewClarification{{Teams: all(0, 2)}, {Groups: []string{group["north"]}},
			{Teams: all(2), Groups: []string{group["north"]}}} {
			n.Contest, n.Account, n.Jury = c.ID, h.alice.ID, true
			if n.Text = "to two"; len(n.Groups) > 0 {
				n.Text = "to a group"
			}
			_, err := h.Clarify(t.Context(), n)
			if twice := len(n.Teams) != 1; errors.Is(err, store.ErrDuplicateText) != twice {
				t.Errorf("%+v again: %v", n, err)
			}
		} // 6 is to a group and a team
		for i, tt := range []struct {
			team   int
			groups []string
			raised int64
		}{{3, []string{"north"}, 1}, {3, []string{"south", "north"}, 0}, {0, nil, 1}, {1, []string{"south"}, 1}, {1, []string{"south"}, 0}} {
			was := epoch()
			if put(tt.team, tt.groups...); (epoch() > was) != (tt.raised > 0) {
				t.Errorf("change %d of groups: the epoch is %d after %d", i, epoch(), was)
			}
		}
		reads("31", "21", "6531", "6541")
		list := must(h.Clarifications(t.Context(), store.ClarificationFilter{Contest: c.ID, AllTeams: true, After: 2, Before: 6}))(t)
		got := ""
		for _, one := range list {
			got += fmt.Sprintln(one.Number, one.Team, one.TeamName, one.To.Teams, one.To.Groups)
		}
		for _, team := range teams {
			got = strings.ReplaceAll(got, team.ID, "#")
		}
		if want := "5   [{# CAROL}] [{" + group["north"] + " north}]\n4   [] [{" + group["north"] +
			" north}]\n3   [{# ALICE} {# CAROL}] []\n"; got != want {
			t.Errorf("the recipients are\n%swant\n%s", got, want)
		}
		if err := h.RemoveTeams(t.Context(), c.ID, all(2)); !errors.Is(err, store.ErrInUse) {
			t.Errorf("a team to which the jury wrote is removed: %v", err)
		}
		was := epoch()
		if err := h.RemoveTeams(t.Context(), c.ID, all(3)); err != nil || epoch() == was {
			t.Errorf("a team in a group is removed: %v, epoch %d", err, epoch())
		}
		question := must(h.Clarify(t.Context(), store.NewClarification{Contest: c.ID, Account: h.alice.ID, Team: teams[0].ID, Text: "hot",
			Category: store.Technical}))(t)
		write("we cool", question, all(0, 1))
		problem := must(h.Clarify(t.Context(), store.NewClarification{Contest: c.ID, Account: h.alice.ID, Team: teams[0].ID, Text: "hot",
			Problem: "nim", Category: store.Technical}))(t)
		for _, one := range must(h.Clarifications(t.Context(),
			store.ClarificationFilter{Contest: c.ID, AllTeams: true, After: question - 1}))(t) {
			if technical := one.Number != problem; (one.Category == store.Technical) != technical {
				t.Errorf("%d is of the category %q", one.Number, one.Category)
			}
		}
		one, err := h.Contest(t.Context(), c.ID)
		if err == nil {
			err = h.RemoveContest(t.Context(), one)
		}
		if err != nil {
			t.Errorf("remove the contest: %v", err)
		}
	})
}
