package intake_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// TestTurns sends 20 requests of one caller, each of which takes a second. It checks that they run one after the
// other, with a pause of the same length between them. A request of another caller does not wait.
func TestTurns(t *testing.T) {
	for _, tt := range []struct {
		restless bool
		want     time.Duration
	}{{false, 39 * time.Second}, {true, 20 * time.Second}} {
		synctest.Test(t, func(t *testing.T) {
			turns := intake.RequestQueue{NoPauses: tt.restless}
			began := time.Now()
			var all sync.WaitGroup
			one := func(who string) {
				turn, err := turns.Wait(t.Context(), who)
				if err != nil {
					t.Error(err)
					return
				}
				defer turn.End()
				time.Sleep(time.Second)
			}
			for range 20 {
				all.Go(func() { one("ada") })
			}
			all.Go(func() {
				time.Sleep(5 * time.Second)
				asked := time.Now()
				one("bob")
				if took := time.Since(asked); took != time.Second {
					t.Errorf("another caller waits %v", took)
				}
			})
			all.Wait()
			if took := time.Since(began); took != tt.want {
				t.Errorf("restless %v: 20 of one take %v, want %v", tt.restless, took, tt.want)
			}
			asked := time.Now()
			if one("ada"); time.Since(asked) != time.Second {
				t.Errorf("after all that one waits %v", time.Since(asked))
			}
		})
	}
}

// TestTurnsRest checks that a pause also follows a request that takes no time, if the caller has more requests.
func TestTurnsRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns intake.RequestQueue
		began := time.Now()
		var all sync.WaitGroup
		first, err := turns.Wait(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			all.Go(func() {
				if turn, err := turns.Wait(t.Context(), "ada"); err != nil {
					t.Error(err)
				} else {
					turn.End()
				}
			})
		}
		synctest.Wait()
		first.End()
		all.Wait()
		if took := time.Since(began); took != 100*time.Millisecond {
			t.Errorf("100 that take no time, and wait, take %v", took)
		}
	})
}

// TestPace checks that requests from a network run one at a time with a short pause, and the first one
// immediately.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d intake.Service
		began := time.Now()
		for i := range 100 {
			d.PaceNetwork(httptest.NewRequestWithContext(t.Context(), "GET", "/healthz", nil))
			if took, want := time.Since(began), time.Duration(2*i)*time.Millisecond; took != want {
				t.Errorf("request %d is let through after %v, want %v", i, took, want)
			}
		}
	})
}

// TestTurnsAside checks that a request that waits for its caller delays no other request, and neither does a
// request that has called Release.
func TestTurnsAside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns intake.RequestQueue
		first, err := turns.Wait(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		if err := first.Yield(t.Context(), func() {
			second, err := turns.Wait(t.Context(), "ada")
			if err != nil {
				t.Fatal(err)
			}
			second.Release()
			defer second.End()
		}); err != nil {
			t.Fatal(err)
		}
		first.End()
	})
}

// TestTurnsBounded checks that a full queue rejects requests after a delay, and that a canceled request leaves the
// queue.
func TestTurnsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns intake.RequestQueue
		first, err := turns.Wait(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() {
				if turn, err := turns.Wait(ctx, "ada"); !errors.Is(err, context.Canceled) {
					t.Error(turn, err)
				}
			})
		}
		synctest.Wait()
		began := time.Now()
		_, err = turns.Wait(t.Context(), "ada")
		if refusal, is := errors.AsType[*intake.Refusal](err); !is || refusal.Code != http.StatusTooManyRequests {
			t.Errorf("with 1,000 who wait: %v", err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("to be turned away takes %v", took)
		}
		cancel()
		all.Wait()
		first.End()
		if turn, err := turns.Wait(t.Context(), "ada"); err != nil {
			t.Error(err)
		} else {
			turn.End()
		}
	})
}

// TestUpload checks that an account can send eight bodies at a time. The ninth waits until one ends, without a
// pause. Other accounts, and the account's slots in Turns, are not affected.
func TestUpload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &intake.Service{}
		ada, bob := &store.Account{ID: "ada"}, &store.Account{ID: "bob"}
		start := func(a *store.Account) *intake.Slot {
			t.Helper()
			turn, err := d.WaitForUpload(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			return turn
		}
		var under []*intake.Slot
		for range 8 {
			under = append(under, start(ada))
		}
		began := time.Now()
		start(bob).End()
		if turn, err := d.AccountQueue.Wait(t.Context(), intake.AccountKey(ada)); err != nil {
			t.Error(err)
		} else {
			turn.End()
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("others wait %v", took)
		}
		done := make(chan time.Duration)
		go func() {
			start(ada).End()
			done <- time.Since(began)
		}()
		time.Sleep(10 * time.Second)
		under[3].End()
		if took := <-done; took != 10*time.Second {
			t.Errorf("the ninth begins after %v, want 10s", took)
		}
		for i, turn := range under {
			if i != 3 {
				turn.End()
			}
		}
	})
}
