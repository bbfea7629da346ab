package store_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"assay/judge/host/store"
)

// TestInvitations checks that a code creates at most as many accounts as its invitation allows, even if users join
// at the same time. An expired or revoked code creates none.
func TestInvitations(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("spring")
		invite := func(code string, uses int64) *store.Invitation {
			t.Helper()
			i, err := h.NewInvitation(t.Context(), code,
				store.Invitation{Note: "7b", Contest: c.ID, MaxUses: uses, CreatedBy: h.alice.ID, Expires: h.clock.Now().Add(time.Hour)})
			if err != nil {
				t.Fatal(err)
			}
			return i
		}
		join := func(code, login string) error {
			_, err := h.JoinByInvitation(t.Context(), code,
				store.NewAccount{Login: login, Display: login, Kind: store.PersonAccount, Role: "contestant"})
			return err
		}
		invite("two", 2)
		if err := join("two", h.alice.Login); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a login that is taken: %v", err)
		}
		logins := []string{"a", "b", "c", "d", "e"}
		errs := make([]error, len(logins))
		var all sync.WaitGroup
		for i, login := range logins {
			all.Go(func() { errs[i] = join("two", login) })
		}
		all.Wait()
		in := 0
		for i, err := range errs {
			if err == nil {
				in++
				a, err := h.AccountByLogin(t.Context(), logins[i])
				if err != nil || a.Role != "contestant" {
					t.Errorf("the account is %+v: %v", a, err)
				} else if _, err := h.TeamOf(t.Context(), c.ID, a.ID); err != nil {
					t.Errorf("%s does not take part: %v", a.Login, err)
				}
			} else if !errors.Is(err, store.ErrUsed) {
				t.Errorf("%s: %v", logins[i], err)
			}
		}
		if in != 2 {
			t.Errorf("%d came in, want 2", in)
		}
		ended := invite("ended", 5)
		if err := errors.Join(join("ended", "f"), h.RevokeInvitation(t.Context(), ended.ID)); err != nil {
			t.Fatal(err)
		}
		if err := h.RevokeInvitation(t.Context(), ended.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("it ends twice: %v", err)
		}
		invite("old", 5)
		if _, err := h.Invitation(t.Context(), "old"); err != nil {
			t.Errorf("a good one: %v", err)
		}
		h.clock.add(time.Hour)
		for code, want := range map[string]error{"none": store.ErrNotFound, "ended": store.ErrRevoked, "old": store.ErrExpired} {
			if err := join(code, "x"); !errors.Is(err, want) {
				t.Errorf("the code %s: %v, want %v", code, err, want)
			}
			if _, err := h.Invitation(t.Context(), code); !errors.Is(err, want) {
				t.Errorf("the code %s is read: %v, want %v", code, err, want)
			}
		}
		list, err := h.Invitations(t.Context())
		if err != nil || len(list) != 3 || list[2].Used != 2 || list[1].Revoked.IsZero() || list[0].Contest != c.ID {
			t.Errorf("the list is %+v: %v", list, err)
		}
	})
}
