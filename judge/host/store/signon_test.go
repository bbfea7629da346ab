package store_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store"
)

// TestSignOns checks that a login can be used once, and that an identity belongs to one account.
func TestSignOns(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		who := store.Identity{Issuer: "https://login.example", Subject: "1"}
		if _, err := h.AccountByIdentity(t.Context(), who); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("an unknown identity: %v", err)
		}
		pending := &store.SignOn{Identity: who, Name: "Zoe", Username: "zoe", Role: "judge", ReturnTo: "/c/spring"}
		spend := func(hash string, o *store.SignOn, want error) {
			t.Helper()
			if err := h.RecordSignOn(t.Context(), hash, o); !errors.Is(err, want) {
				t.Errorf("spend %s: %v, want %v", hash, err, want)
			}
		}
		spend("one", pending, nil)
		spend("one", pending, store.ErrUsed)
		spend("two", pending, nil)
		spend("late", pending, nil)
		spend("known", nil, nil)
		spend("known", nil, store.ErrUsed)
		if o, err := h.PendingSignOn(t.Context(), "one"); err != nil || *o != *pending {
			t.Errorf("pending is %+v, %v", o, err)
		}
		for _, hash := range []string{"known", "another"} {
			if _, err := h.PendingSignOn(t.Context(), hash); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("pending is %s: %v", hash, err)
			}
		}
		zoe := store.NewAccount{Login: "zoe", Display: "Zoe", Kind: store.PersonAccount, Role: "contestant"}
		taken := zoe
		taken.Login = h.alice.Login
		if _, err := h.JoinBySignOn(t.Context(), "one", taken); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a username that is taken: %v", err)
		}
		// Of several concurrent requests, only one creates an account.
		errs := make([]error, 4)
		var all sync.WaitGroup
		for i, hash := range []string{"one", "one", "two", "two"} {
			all.Go(func() {
				one := zoe
				one.Login += string(rune('a' + i))
				_, errs[i] = h.JoinBySignOn(t.Context(), hash, one)
			})
		}
		all.Wait()
		made := 0
		for _, err := range errs {
			if err == nil {
				made++
			} else if !errors.Is(err, store.ErrUsed) && !errors.Is(err, store.ErrNotFound) {
				t.Errorf("one of several: %v", err)
			}
		}
		a, err := h.AccountByIdentity(t.Context(), who)
		if made != 1 || err != nil || a.Role != "contestant" {
			t.Fatalf("%d accounts were made, that of the identity is %+v, %v", made, a, err)
		}
		if err := h.LinkSignOn(t.Context(), "late", h.alice.ID); !errors.Is(err, store.ErrUsed) {
			t.Errorf("the identity of another account: %v", err)
		}
		identities, err := h.Identities(t.Context(), a.ID)
		known, err2 := h.AccountsWithIdentity(t.Context())
		if err = errors.Join(err, err2); err != nil || len(identities) != 1 || identities[0] != who || len(known) != 1 || !known[a.ID] {
			t.Errorf("identities are %v, of %v, %v", identities, known, err)
		}
		if err := h.UnlinkIdentities(t.Context(), a.ID); err != nil {
			t.Error(err)
		}
		if err := h.UnlinkIdentities(t.Context(), a.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("no identity any more: %v", err)
		}
		if err := h.LinkSignOn(t.Context(), "late", h.alice.ID); err != nil {
			t.Errorf("after that: %v", err)
		}
		// An unused login expires and is deleted.
		spend("slow", pending, nil)
		h.clock.add(15 * time.Minute)
		if _, err := h.PendingSignOn(t.Context(), "slow"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after a quarter of an hour: %v", err)
		}
		if err := h.LinkSignOn(t.Context(), "slow", a.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("after a quarter of an hour: %v", err)
		}
		if _, err := h.CollectGarbage(t.Context(), func(blob.Digest) ([]blob.Digest, error) { return nil, nil },
			func(blob.Digest) error { return nil }); err != nil {
			t.Fatal(err)
		}
		spend("known", nil, nil) // the login was deleted
		if staff, err := h.HasElevatedRole(t.Context(), a.ID); err != nil || staff {
			t.Errorf("a contestant is staff: %v, %v", staff, err)
		}
		c := h.newContest("spring")
		if err := h.SetContestRole(t.Context(), a.ID, c.ID, "runner"); err != nil {
			t.Fatal(err)
		}
		if staff, err := h.HasElevatedRole(t.Context(), a.ID); err != nil || !staff {
			t.Errorf("a runner of a contest is staff: %v, %v", staff, err)
		}
	})
}
