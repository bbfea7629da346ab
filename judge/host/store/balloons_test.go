package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/judge/host/store"
)

// TestBalloons checks that a delivered balloon keeps its runner when its submission changes or it is held. Two
// runners cannot deliver the same balloon. Only the runner who delivered a balloon can undo the delivery, for a
// limited time.
func TestBalloons(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		id, accounts, err := h.ImportContest(t.Context(), h.imported())
		if err != nil {
			t.Fatal(err)
		}
		teams, err := h.Teams(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		seven, guests := teams[0].ID, teams[1].ID
		at := h.clock.Now().UTC().Truncate(time.Microsecond)
		first := store.Balloon{Team: seven, Label: "A", Submission: 3, At: at.Add(time.Minute)}
		second := store.Balloon{Team: guests, Label: "A", Submission: 2, At: at}
		put := func(all ...store.Balloon) {
			t.Helper()
			if err := h.AddBalloons(t.Context(), id, all); err != nil {
				t.Fatal(err)
			}
		}
		are := func(want ...store.Balloon) {
			t.Helper()
			got, err := h.Balloons(t.Context(), id)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Fatal(err, diff)
			}
		}
		give := func(team, account string, want bool) {
			t.Helper()
			if done, err := h.DeliverBalloon(t.Context(), id, team, "A", account); err != nil || done != want {
				t.Fatal(done, err)
			}
		}
		undo := func(account string, within time.Duration, want bool) {
			t.Helper()
			if done, err := h.UndoDelivery(t.Context(), id, seven, "A", account, within); err != nil || done != want {
				t.Fatal(done, err)
			}
		}
		put()
		put(first, second)
		are(second, first)
		undo(h.alice.ID, 0, false) // not delivered
		give(seven, h.alice.ID, true)
		give(seven, accounts[0].ID, false)
		given := h.clock.Now().UTC().Truncate(time.Microsecond)
		held := first
		held.HoldReason, held.Submission = "taken back", 4
		put(held)
		held.DeliveredBy, held.DeliveredAt = "alice", given
		are(second, held)
		second.HoldReason = "taken back"
		put(second)
		give(guests, h.alice.ID, false)
		undo(accounts[0].ID, 10*time.Second, false)
		h.clock.add(11 * time.Second)
		undo(h.alice.ID, 10*time.Second, false)
		undo("", 0, true)
		put(first)
		are(second, first)
		give(seven, accounts[0].ID, true)
		h.clock.add(10 * time.Second)
		undo(accounts[0].ID, 10*time.Second, true)
		are(second, first)
	})
}
