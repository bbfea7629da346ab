package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"assay/judge/host/store"
)

// TestClarifications: two teams ask, the staff answers one and all, and announces; each
// reads what is his and what is for all.
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
		write(store.NewClarification{Staff: staff, Team: ask, ReplyTo: 1, Text: "it is\x00"}, nil)                 // 3
		write(store.NewClarification{Staff: staff, ReplyTo: 2, Text: "at noon"}, nil)                              // 4
		write(store.NewClarification{Staff: staff, Problem: "nim", Text: "the statement of nim was mended"}, nil)  // 5
		write(store.NewClarification{Staff: staff, Team: teams["bob"].ID, Text: "your machine is repaired"}, nil)  // 6
		write(store.NewClarification{Staff: staff, ReplyTo: 3, Text: "an answer to an answer"}, store.ErrNotFound) // none
		write(store.NewClarification{Staff: staff, ReplyTo: 99, Text: "an answer to nothing"}, store.ErrNotFound)  // none
		write(store.NewClarification{Team: ask, Problem: "none", Text: "of a problem unknown"}, store.ErrNotFound) // none
		write(store.NewClarification{Team: ask, Text: "is anybody there?"}, nil)                                   // 7
		for i := range 9 {
			write(store.NewClarification{Team: ask, Text: fmt.Sprint("hello? ", i)}, nil)
		}
		write(store.NewClarification{Team: ask, Text: "hello? 7"}, store.ErrTwice)
		write(store.NewClarification{Team: ask, Text: "hello? 9"}, store.ErrTooManyQuestions)
		write(store.NewClarification{Staff: staff, Team: ask, ReplyTo: 1, Text: "it is not", First: true}, store.ErrChanged)
		write(store.NewClarification{Team: teams["bob"].ID, Account: bob.ID, Text: "may I go on?"}, nil)
		for name, tt := range map[string]struct {
			f    store.ClarificationFilter
			want []int64
		}{
			"everything":    {store.ClarificationFilter{Everything: true, Before: 8}, []int64{7, 6, 5, 4, 3, 2, 1}},
			"alice's":       {store.ClarificationFilter{Team: ask, Before: 8}, []int64{7, 5, 4, 3, 1}},
			"bob's":         {store.ClarificationFilter{Team: teams["bob"].ID, Before: 8}, []int64{6, 5, 4, 2}},
			"for all":       {store.ClarificationFilter{}, []int64{5, 4}},
			"the next page": {store.ClarificationFilter{Everything: true, Before: 5, Limit: 2}, []int64{4, 3}},
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
			"4 true  . at noon 2 when is lunch? 0 alice", "3 true ALICE nim it is\uFFFD 1 is 0 allowed? 0 alice", "1 false ALICE nim is 0 allowed? 0  1 alice",
		} {
			one := list[i]
			problem := one.Problem
			if one.Number == 4 {
				problem = "."
			}
			if got := fmt.Sprint(one.Number, " ", one.Staff, " ", one.TeamName, " ", problem, " ", one.Text, " ", one.ReplyTo, " ", one.Question, " ", one.Answers, " ", one.Login); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		if open, err := h.OpenQuestions(t.Context(), c.ID); err != nil || open != 11 {
			t.Errorf("%d questions are open, %v; want 11", open, err)
		}
		unread := func(team string, a *store.Account, want int) {
			t.Helper()
			if n, err := h.Unread(t.Context(), c.ID, team, a.ID); err != nil || n != want {
				t.Errorf("%s has not read %d, %v; want %d", a.Login, n, err, want)
			}
		}
		unread(ask, h.alice, 3)
		unread(teams["bob"].ID, bob, 3)
		unread("", bob, 2)
		for _, upto := range []int64{4, 3} { // it does not go back
			if err := h.Read(t.Context(), c.ID, h.alice.ID, upto); err != nil {
				t.Fatal(err)
			}
			unread(ask, h.alice, 1)
		}
		unread(teams["bob"].ID, bob, 3)
		if last, err := h.LastClarification(t.Context(), c.ID); err != nil || last != 17 {
			t.Errorf("the last one is %d, %v", last, err)
		}
		if last, err := h.LastClarification(t.Context(), store.Practice); err != nil || last != 0 {
			t.Errorf("the last one of another contest is %d, %v", last, err)
		}
	})
}

// TestClarificationsAtOnce: numbers have no gaps, whoever writes at once.
func TestClarificationsAtOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		const writers = 8
		numbers := make([]int64, writers)
		var all sync.WaitGroup
		for i := range writers {
			all.Go(func() {
				n, err := h.Clarify(t.Context(), store.NewClarification{Contest: store.Practice, Account: h.alice.ID, Staff: true, Text: fmt.Sprint("at once ", i)})
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
