package store_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
)

// TestSessions checks that a session lasts while it is used. The session must end with each change of its account
// after which its user may no longer be entitled to it.
func TestSessions(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		begin := func(hash string) {
			t.Helper()
			a, err := h.Account(t.Context(), h.alice.ID)
			if err == nil {
				err = h.NewSession(t.Context(), a, hash, "a browser")
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		open := func(hash string) bool {
			t.Helper()
			s, whose, err := h.Session(t.Context(), hash)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Fatal(err)
			}
			if err == nil && (whose.ID != h.alice.ID || s.UserAgent != "a browser") {
				t.Errorf("the session %+v of %+v", s, whose)
			}
			return err == nil
		}
		seen := func(want time.Time) {
			t.Helper()
			all, err := h.LastSeen(t.Context())
			if err != nil || !all[h.alice.ID].Equal(want) || want.IsZero() != (len(all) == 0) {
				t.Errorf("seen %v, %v; want %v", all, err, want)
			}
		}
		loggedIn := func(want time.Time) {
			t.Helper()
			if a, err := h.Account(t.Context(), h.alice.ID); err != nil || !a.LastLogin.Equal(want) {
				t.Errorf("the last login was %v, %v; want %v", a.LastLogin, err, want)
			}
		}
		seen(time.Time{})
		loggedIn(time.Time{})
		begin("s1")
		first := h.clock.Now()
		seen(first)
		loggedIn(first)
		if open("s2") || !open("s1") {
			t.Error("the sessions are not those that were made")
		}
		for range 3 { // a session used each week stays open
			h.clock.add(7 * 24 * time.Hour)
			if !open("s1") {
				t.Error("a session that was used has ended")
			}
		}
		seen(h.clock.Now())
		loggedIn(first)
		h.clock.add(14 * 24 * time.Hour)
		seen(time.Time{})
		if open("s1") {
			t.Error("a session unused for 14 days is open")
		}
		for name, end := range map[string]func() error{
			"logged out":            func() error { return h.EndSession(t.Context(), "logged out") },
			"logged out everywhere": func() error { return h.EndSessions(t.Context(), h.alice.ID) },
			"a new password":        func() error { return h.SetPassword(t.Context(), h.alice.ID, "$hash") },
			"another role":          func() error { return h.SetRole(t.Context(), h.alice.ID, "judge", nil) },
			"a role in a contest":   func() error { return h.SetContestRole(t.Context(), h.alice.ID, "c1", "runner") },
			"shut out":              func() error { return h.SetDisabled(t.Context(), h.alice.ID, true) },
		} {
			begin(name)
			if !open(name) {
				t.Errorf("%s: it was never open", name)
			}
			if all, err := h.Sessions(t.Context(), h.alice.ID); err != nil || len(all) != 1 || all[0].Hash != name {
				t.Errorf("%s: listed are %v, %v", name, all, err)
			}
			if err := end(); err != nil {
				t.Fatal(err)
			}
			if open(name) {
				t.Errorf("%s: it is still open", name)
			}
			if all, err := h.Sessions(t.Context(), h.alice.ID); err != nil || len(all) != 0 {
				t.Errorf("%s: listed are %v, %v", name, all, err)
			}
			if err := h.SetDisabled(t.Context(), h.alice.ID, false); err != nil {
				t.Fatal(err)
			}
		}
		before, err := h.Account(t.Context(), h.alice.ID)
		if err != nil {
			t.Fatal(err)
		}
		if before.Role != "judge" || before.Password != "$hash" {
			t.Errorf("the account is %+v", before)
		}
		if role, err := h.GrantedRole(t.Context(), h.alice.ID, "c1"); err != nil || role != "runner" {
			t.Errorf("its role in the contest is %q, %v", role, err)
		}
		if role, err := h.GrantedRole(t.Context(), h.alice.ID, "c2"); err != nil || role != "" {
			t.Errorf("its role in another contest is %q, %v", role, err)
		}
		if err := h.SetPassword(t.Context(), h.alice.ID, "$other"); err != nil {
			t.Fatal(err)
		}
		if err := h.NewSession(t.Context(), before, "late", ""); !errors.Is(err, store.ErrEnded) {
			t.Errorf("a session of an old password: %v", err)
		}
		if err := h.SetPassword(t.Context(), "absent", ""); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a password of no account: %v", err)
		}
	})
}

// TestShutOut checks that the tokens of a disabled account do not work.
func TestShutOut(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if _, err := h.NewToken(t.Context(), h.alice.ID, "h", "", []string{"submit"}, time.Time{}); err != nil {
			t.Fatal(err)
		}
		for _, out := range []bool{true, false} {
			if err := h.SetDisabled(t.Context(), h.alice.ID, out); err != nil {
				t.Fatal(err)
			}
			if _, _, err := h.TokenByHash(t.Context(), "h"); errors.Is(err, store.ErrRevoked) != out {
				t.Errorf("shut out %v: %v", out, err)
			}
		}
	})
}

func TestSetup(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for _, code := range []string{"good", "old"} {
			if err := h.NewSetupCode(t.Context(), code, h.alice.ID); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := h.NewWorkerInvite(t.Context(), "worker", store.WorkerInvite{Name: "w", Class: "main", CreatedBy: h.alice.ID}); err != nil {
			t.Fatal(err)
		}
		try := func(code string, want error) {
			t.Helper()
			if err := h.CheckSetupCode(t.Context(), code); !errors.Is(err, want) {
				t.Errorf("%s is %v; want %v", code, err, want)
			}
			if err := h.CompleteSetup(t.Context(), code, h.alice.ID, "Alice A.", "$hash of "+code); !errors.Is(err, want) {
				t.Errorf("%s: %v; want %v", code, err, want)
			}
		}
		if n, err := h.CountPasswordAccounts(t.Context()); err != nil || n != 0 {
			t.Errorf("%d passwords, %v", n, err)
		}
		try("none", store.ErrNotFound)
		try("worker", store.ErrNotFound)
		try("good", nil)
		try("good", store.ErrUsed)
		h.clock.add(time.Hour)
		try("old", store.ErrExpired)
		if _, err := h.WorkerInvite(t.Context(), "old"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a worker joins by the first admin's code: %v", err)
		}
		got, err := h.Account(t.Context(), h.alice.ID)
		if err != nil || got.Password != "$hash of good" || got.Display != "Alice A." {
			t.Errorf("got %+v, %v", got, err)
		}
		if n, err := h.CountPasswordAccounts(t.Context()); err != nil || n != 1 {
			t.Errorf("%d passwords, %v", n, err)
		}
	})
}

// TestManyAccounts checks that an import creates all accounts or none.
func TestManyAccounts(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		_, err := h.NewAccounts(t.Context(), store.NewAccount{Login: "zoe", Kind: store.PersonAccount},
			store.NewAccount{Login: "alice", Kind: store.PersonAccount})
		if !errors.Is(err, store.ErrTaken) || !strings.Contains(err.Error(), "alice") {
			t.Errorf("alice again: %v", err)
		}
		if _, err := h.AccountByLogin(t.Context(), "zoe"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("half of an import: %v", err)
		}
		made, err := h.NewAccounts(t.Context(), store.NewAccount{Login: "zoe", Display: "Zoë \x00", Email: "z@x", Password: "$p",
			Kind: store.PersonAccount, Role: "contestant"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.AccountByLogin(t.Context(), "zoe")
		if err != nil || *got != *made[0] || got.Display != "Zoë \uFFFD" || got.Email != "z@x" || got.Role != "contestant" {
			t.Errorf("got %+v, %v; want %+v", got, err, made[0])
		}
		if err := h.SetDisplay(t.Context(), got.ID, "Zoe", ""); err != nil {
			t.Fatal(err)
		}
		if got, err := h.Account(t.Context(), got.ID); err != nil || got.Display != "Zoe" || got.Email != "" {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}
