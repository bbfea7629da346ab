package store_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"assay/judge/host/job"
	"assay/judge/host/store"
)

func TestAccounts(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		admin, err := h.NewAccount(t.Context(), "root", "The Admin", store.ToolAccount, "admin")
		if err != nil {
			t.Fatal(err)
		}
		for name, read := range map[string]func() (*store.Account, error){
			"id":    func() (*store.Account, error) { return h.Account(t.Context(), admin.ID) },
			"login": func() (*store.Account, error) { return h.AccountByLogin(t.Context(), "root") },
		} {
			if got, err := read(); err != nil || *got != *admin {
				t.Errorf("by %s: got %+v, %v; want %+v", name, got, err, admin)
			}
		}
		all, err := h.Accounts(t.Context())
		if err != nil || len(all) != 2 || *all[0] != *h.alice || *all[1] != *admin {
			t.Errorf("got %v, %v", all, err)
		}
		if _, err := h.NewAccount(t.Context(), "root", "", store.PersonAccount, ""); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a second root: %v", err)
		}
		for _, read := range []func() (*store.Account, error){
			func() (*store.Account, error) { return h.Account(t.Context(), "absent") },
			func() (*store.Account, error) { return h.AccountByLogin(t.Context(), "absent") },
		} {
			if _, err := read(); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("an account that does not exist: %v", err)
			}
		}
	})
}

func TestTokens(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		soon := h.clock.Now().Add(time.Hour)
		forever, err := h.NewToken(t.Context(), h.alice.ID, "h1", "laptop", []string{"submit", "read"}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.NewToken(t.Context(), h.alice.ID, "h2", "lab", nil, soon); err != nil {
			t.Fatal(err)
		}
		got, whose, err := h.TokenByHash(t.Context(), "h1")
		if err != nil || *whose != *h.alice || got.ID != forever.ID || !slices.Equal(got.Scopes, forever.Scopes) {
			t.Errorf("got %+v of %+v, %v", got, whose, err)
		}
		if want := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC); !got.LastUsed.Equal(want) {
			t.Errorf("used on %v, want %v", got.LastUsed, want)
		}
		if _, _, err := h.TokenByHash(t.Context(), "h2"); err != nil {
			t.Error(err)
		}
		first := h.clock.Now()
		h.clock.add(time.Hour)
		for when, want := range []time.Time{first, first.Add(24*time.Hour + time.Hour)} { // once a day
			h.clock.add(time.Duration(when) * 24 * time.Hour)
			if _, _, err := h.TokenByHash(t.Context(), "h1"); err != nil {
				t.Error(err)
			}
			if a, err := h.Account(t.Context(), h.alice.ID); err != nil || !a.LastLogin.Equal(want) {
				t.Errorf("the last login was %v, %v; want %v", a.LastLogin, err, want)
			}
		}
		if _, _, err := h.TokenByHash(t.Context(), "h2"); !errors.Is(err, store.ErrExpired) {
			t.Errorf("after its end: %v", err)
		}
		if err := h.RevokeToken(t.Context(), forever.ID); err != nil {
			t.Error(err)
		}
		if _, _, err := h.TokenByHash(t.Context(), "h1"); !errors.Is(err, store.ErrRevoked) {
			t.Errorf("after it was revoked: %v", err)
		}
		if err := h.RevokeToken(t.Context(), forever.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("revoked twice: %v", err)
		}
		if _, _, err := h.TokenByHash(t.Context(), "h3"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a token that never was: %v", err)
		}
		all, err := h.Tokens(t.Context(), h.alice.ID)
		if err != nil || len(all) != 2 || all[0].Revoked.IsZero() || !all[1].Expires.Equal(soon) || !all[1].Revoked.IsZero() {
			t.Errorf("got %v, %v", all, err)
		}
	})
}

func TestProblemsAndBundles(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		first, err := h.Problem(t.Context(), "nim")
		if err != nil {
			t.Fatal(err)
		}
		h.clock.add(time.Second)
		bob := h.account("bob")
		b := bundle(bob.ID, "nim", "2")
		b.Title, b.Config = "Another title", digest("config2")
		if _, err := h.PutBundle(t.Context(), b); !errors.Is(err, store.ErrTaken) {
			t.Errorf("another's problem is changed: %v", err)
		}
		b.AnyOwner = true
		second, err := h.PutBundle(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		want := *first
		want.Title, want.Bundle, want.Config = b.Title, b.ID, b.Config
		if *second != want {
			t.Errorf("got %+v, want %+v", second, want)
		}
		for range 2 { // repeating changes nothing, and reverting is allowed
			if p, err := h.PutBundle(t.Context(), bundle(h.alice.ID, "nim", "1")); err != nil || *p != *first {
				t.Errorf("got %+v, %v", p, err)
			}
		}
		if _, err := h.PutBundle(t.Context(), bundle(bob.ID, "ackermann", "1")); err != nil {
			t.Fatal(err)
		}
		all, err := h.Problems(t.Context())
		if err != nil || len(all) != 2 || all[0].Slug != "ackermann" || all[1].Slug != "nim" {
			t.Errorf("got %v, %v", all, err)
		}
		made, err := h.BundleVersions(t.Context(), first)
		if err != nil || len(made) != 2 || !slices.Contains(made,
			store.BundleVersion{ID: b.ID, Manifest: b.Manifest, Config: b.Config, Made: h.clock.Now(), Login: "bob"}) {
			t.Errorf("got %+v, %v", made, err)
		}
		if _, err := h.Problem(t.Context(), "none"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("no problem: %v", err)
		}
	})
}

func TestWorkersJoinByInvite(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		offer := job.Capabilities{Protocol: 1, Arch: "linux/amd64", IsolationLevel: "full", Slots: 3, Languages: map[string]string{"c": "gcc 12"}}
		invited, err := h.NewWorkerInvite(t.Context(), "code", store.WorkerInvite{Name: "lab1", Class: "main", CreatedBy: h.alice.ID})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := h.WorkerInvite(t.Context(), "code"); err != nil || *got != *invited {
			t.Errorf("got %+v, %v; want %+v", got, err, invited)
		}
		lab1, err := h.AdmitWorker(t.Context(), store.NewWorker{Invite: "code", Key: "U1", Capabilities: offer})
		if err != nil || lab1.Name != "lab1" || lab1.Class != "main" || lab1.AdmittedBy != h.alice.ID || lab1.State != store.WorkerActive {
			t.Fatalf("got %+v, %v", lab1, err)
		}
		if again, err := h.AdmitWorker(t.Context(), store.NewWorker{Invite: "code", Key: "U1"}); err != nil || again.ID != lab1.ID {
			t.Errorf("the same key again: %+v, %v", again, err)
		}
		for _, w := range []struct {
			what string
			with store.NewWorker
			want error
		}{
			{"the code again", store.NewWorker{Invite: "code", Key: "U2"}, store.ErrUsed},
			{"a code that never was", store.NewWorker{Invite: "edoc", Key: "U2"}, store.ErrNotFound},
			{"the name again", store.NewWorker{Name: "lab1", Class: "main", Key: "U2"}, store.ErrTaken},
		} {
			if got, err := h.AdmitWorker(t.Context(), w.with); !errors.Is(err, w.want) {
				t.Errorf("%s: got %+v, %v; want %v", w.what, got, err, w.want)
			}
		}
		if _, err := h.NewWorkerInvite(t.Context(), "late", store.WorkerInvite{Name: "lab2", Class: "main", CreatedBy: h.alice.ID}); err != nil {
			t.Fatal(err)
		}
		h.clock.add(24 * time.Hour)
		if _, err := h.AdmitWorker(t.Context(), store.NewWorker{Invite: "late", Key: "U2"}); !errors.Is(err, store.ErrExpired) {
			t.Errorf("a day later: %v", err)
		}
		own, err := h.AdmitWorker(t.Context(), store.NewWorker{Name: "own", Class: "main", Key: "U2", AdmittedBy: "the server"})
		if err != nil {
			t.Fatal(err)
		}
		offer.Slots = 1
		if err := h.SetCapabilities(t.Context(), own.ID, offer); err != nil {
			t.Error(err)
		}
		if err := h.SetWorkerState(t.Context(), own.ID, store.WorkerDrained, "for a while"); err != nil {
			t.Error(err)
		}
		if got, err := h.WorkerByKey(t.Context(), "U2"); err != nil || got.Capabilities.Slots != 1 || got.State != store.WorkerDrained ||
			got.Note != "for a while" {
			t.Errorf("got %+v, %v", got, err)
		}
		if err := h.SetWorkerState(t.Context(), lab1.ID, store.WorkerRevoked, ""); err != nil {
			t.Error(err)
		}
		if err := h.SetWorkerState(t.Context(), lab1.ID, store.WorkerActive, ""); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a revoked worker came back: %v", err)
		}
		if got, err := h.Worker(t.Context(), "lab1"); err != nil || got.State != store.WorkerRevoked {
			t.Errorf("got %+v, %v", got, err)
		}
		if all, err := h.Workers(t.Context()); err != nil || len(all) != 2 || all[0].ID != lab1.ID {
			t.Errorf("got %v, %v", all, err)
		}
		for what, err := range map[string]error{
			"offer": h.SetCapabilities(t.Context(), "none", offer), "state": h.SetWorkerState(t.Context(), "none", store.WorkerActive, ""),
		} {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("%s of no worker: %v", what, err)
			}
		}
	})
}

// TestAnInviteLetsOneWorkerIn checks that a join code admits only one worker, even if several use it at the same
// time.
func TestAnInviteLetsOneWorkerIn(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if _, err := h.NewWorkerInvite(t.Context(), "code", store.WorkerInvite{Name: "lab", Class: "main", CreatedBy: h.alice.ID}); err != nil {
			t.Fatal(err)
		}
		errs := make(chan error)
		for _, key := range []string{"U1", "U2", "U3", "U4"} {
			go func() {
				_, err := h.AdmitWorker(t.Context(), store.NewWorker{Invite: "code", Key: key})
				errs <- err
			}()
		}
		var in int
		for range 4 {
			if err := <-errs; err == nil {
				in++
			} else if !errors.Is(err, store.ErrUsed) {
				t.Error(err)
			}
		}
		if in != 1 {
			t.Errorf("%d workers are in", in)
		}
	})
}

func TestClassesAreFilledByTheFirstWorker(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if _, err := h.Class(t.Context(), "main"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("before: %v", err)
		}
		first := job.Capabilities{Arch: "linux/amd64", IsolationLevel: "full", Languages: map[string]string{"c": "gcc 12"}}
		second := job.Capabilities{Arch: "linux/arm64", IsolationLevel: "root", Languages: map[string]string{"c": "gcc 13"}}
		for _, offer := range []job.Capabilities{first, second} {
			c, err := h.CreateClass(t.Context(), "main", offer)
			if err != nil || c.Arch != first.Arch || c.IsolationLevel != first.IsolationLevel || c.Languages["c"] != "gcc 12" {
				t.Errorf("got %+v, %v", c, err)
			}
		}
		for _, ms := range []float64{200, 300} { // the first one sets the speed of the class
			c, err := h.SetClassSpeed(t.Context(), "main", &job.Speed{Loads: map[string]float64{"memory": ms}, Slots: 2})
			if err != nil || c.Speed == nil || c.Speed.Loads["memory"] != 200 || c.Speed.Slots != 2 {
				t.Errorf("got %+v, %v", c, err)
			}
		}
		if c, err := h.Class(t.Context(), "main"); err != nil || c.Languages["c"] != "gcc 12" {
			t.Errorf("got %+v, %v", c, err)
		}
		if all, err := h.Classes(t.Context()); err != nil || len(all) != 1 {
			t.Errorf("got %v, %v", all, err)
		}
		if err := h.UpdateClass(t.Context(), "main", second); err != nil {
			t.Error(err)
		}
		if err := h.UpdateClass(t.Context(), "none", second); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("of a class that is none: %v", err)
		}
		if c, err := h.CreateClass(t.Context(), "main", first); err != nil || c.Arch != second.Arch || c.Speed != nil {
			t.Errorf("got %+v, %v", c, err)
		}
	})
}

// TestANewNameIsOnes checks that only one of several accounts that concurrently publish a problem under the same
// new name succeeds, and that the others get an error.
func TestANewNameIsOnes(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		const publishers = 8
		for round := range 5 {
			slug := fmt.Sprint("new-", round)
			errs, owners := make([]error, publishers), make([]string, publishers)
			var all sync.WaitGroup
			for i := range publishers {
				owners[i] = h.account(fmt.Sprintf("p%d-%d", round, i)).ID
			}
			for i := range publishers {
				all.Go(func() { _, errs[i] = h.PutBundle(t.Context(), bundle(owners[i], slug, fmt.Sprint(i))) })
			}
			all.Wait()
			p, err := h.Problem(t.Context(), slug)
			if err != nil {
				t.Fatal(err)
			}
			for i, err := range errs {
				if has := p.Owner == owners[i]; has != (err == nil) || !has && !errors.Is(err, store.ErrTaken) {
					t.Errorf("publisher %d is told %v, and has the problem: %v", i, err, has)
				}
			}
		}
	})
}
