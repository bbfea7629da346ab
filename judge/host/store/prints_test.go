package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
)

// TestPrints checks the states of a print: it waits, and then is printed by the command or by an account, or
// fails. It also checks the limit on pages per hour.
func TestPrints(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		h.newContest("spring")
		c := must(h.ContestBySlug(t.Context(), "spring"))(t)
		bob := h.account("bob")
		ours, theirs := must(h.Enter(t.Context(), c.ID, h.alice))(t), must(h.Enter(t.Context(), c.ID, bob))(t)
		send := func(team *store.Team, body string, pages int, want error) {
			t.Helper()
			p := store.Print{Contest: c.ID, Team: team.ID, Account: h.alice.ID, Name: "a\x00.py", Language: "python3", Body: body, Pages: pages}
			if _, err := h.NewPrint(t.Context(), p, 20); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", body, err, want)
			}
		}
		large := strings.Repeat("line\n", 20<<10)
		send(ours, large, 10, nil)
		send(ours, large, 10, store.ErrDuplicateText)
		send(ours, "b", 10, nil)
		send(ours, "c", 1, store.ErrTooManyPages)
		send(theirs, "d", 10, nil)
		first := must(h.Print(t.Context(), c.ID, 1))(t)
		if first.Body != large || first.Name != "a\uFFFD.py" || first.State != store.PrintWaiting || first.Pages != 10 || first.Team != ours.ID {
			t.Errorf("the first print is %.100v", first)
		}
		if _, err := h.Print(t.Context(), c.ID, 9); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a print that is not there: %v", err)
		}
		set := func(p *store.Print, to store.PrintState, printer, reason string, want bool) {
			t.Helper()
			if done := must(h.SetPrint(t.Context(), p, to, printer, reason))(t); done != want {
				t.Errorf("%d from %s to %s: %v", p.Number, p.State, to, done)
			}
		}
		if next := must(h.NextPrint(t.Context()))(t); next.Number != 1 {
			t.Errorf("the next one is %d", next.Number)
		}
		set(first, store.Printing, "", "", true)
		set(first, store.Printing, "", "", false) // another server is printing it
		if next := must(h.NextPrint(t.Context()))(t); next.Number != 2 {
			t.Errorf("the next one is %d", next.Number)
		}
		set(must(h.Print(t.Context(), c.ID, 2))(t), store.Printing, bob.ID, "", true)
		set(must(h.Print(t.Context(), c.ID, 3))(t), store.Printed, bob.ID, "", true)
		if _, err := h.NextPrint(t.Context()); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("nothing waits: %v", err)
		}
		list := func(team string, want ...string) {
			t.Helper()
			var got []string
			for _, p := range must(h.Prints(t.Context(), c.ID, team, 10))(t) {
				got = append(got, fmt.Sprint(p.Number, " ", p.State, " ", p.Printer, p.Reason))
			}
			if strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Errorf("the prints are %q, want %q", got, want)
			}
		}
		abandon := func(within time.Duration) {
			t.Helper()
			if err := h.AbandonPrints(t.Context(), within, "lost"); err != nil {
				t.Fatal(err)
			}
		}
		abandon(time.Minute)
		list("", "3 done bob", "2 printing bob", "1 printing ")
		h.clock.add(2 * time.Minute)
		abandon(time.Minute)
		list(ours.ID, "2 printing bob", "1 failed lost")
		send(ours, "e", 10, nil) // failed prints do not count
		send(ours, "f", 1, store.ErrTooManyPages)
		h.clock.add(time.Hour)
		send(ours, "f", 10, nil)
		send(ours, "f", 1, store.ErrDuplicateText)
		other := store.Print{Contest: c.ID, Team: ours.ID, Account: h.alice.ID, Name: "other", Body: "f", Pages: 1}
		if _, err := h.NewPrint(t.Context(), other, 20); err != nil {
			t.Errorf("the same text with another name: %v", err)
		}
		h.clock.add(2 * time.Minute)
		if _, err := h.NewPrint(t.Context(), other, 20); err != nil {
			t.Errorf("the same text again later: %v", err)
		}
		if err := h.RemoveTeams(t.Context(), c.ID, []string{theirs.ID}); !errors.Is(err, store.ErrInUse) {
			t.Errorf("a team with a print is removed: %v", err)
		}
		if _, err := h.Erase(t.Context(), h.alice.ID); err != nil && !errors.Is(err, store.ErrLastAdministrator) {
			t.Fatal(err)
		} else if p := must(h.Print(t.Context(), c.ID, 1))(t); err == nil && p.Body+p.Name != "" {
			t.Errorf("the file of who is erased: %.100v", p)
		}
		if err := h.RemoveContest(t.Context(), must(h.Contest(t.Context(), c.ID))(t)); err != nil {
			t.Errorf("remove the contest: %v", err)
		}
	})
}
