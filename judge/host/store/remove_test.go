package store_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"assay/judge/host/store"
)

// TestRemoveTeams checks that teams without submissions are removed with all objects that belong only to them. If
// one of several teams cannot be removed, none is.
func TestRemoveTeams(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		n := h.imported()
		id, accounts, err := h.ImportContest(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		bob := h.account("bob")
		asks, err := h.Enter(t.Context(), id, bob)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Clarify(t.Context(), store.NewClarification{Contest: id, Team: asks.ID, Account: bob.ID, Text: "why?"}); err != nil {
			t.Fatal(err)
		}
		sends, err := h.Enter(t.Context(), id, h.account("carol"))
		if err != nil {
			t.Fatal(err)
		}
		sub := h.submission("key")
		sub.Contest, sub.Team, sub.Account = id, sends.ID, h.account("dave").ID
		if _, err := h.Submit(t.Context(), sub); err != nil {
			t.Fatal(err)
		}
		teams := got[[]*store.Team](t)(h.Teams(t.Context(), id))
		seven, guests := teams[0].ID, teams[1].ID
		use, err := h.TeamUses(t.Context(), id)
		if err != nil || len(use) != 4 || use[seven].Any() || use[asks.ID] != (store.TeamUse{Clarifications: 1}) ||
			use[sends.ID] != (store.TeamUse{Submissions: 1}) {
			t.Fatalf("the use is %v, %v", use, err)
		}
		for _, tt := range []struct {
			ids  []string
			want error
		}{
			{[]string{seven, asks.ID}, store.ErrInUse}, {[]string{seven, sends.ID}, store.ErrInUse}, {[]string{seven, "none"}, store.ErrNotFound},
			{[]string{seven, seven}, store.ErrNotFound},
		} {
			if err := h.RemoveTeams(t.Context(), id, tt.ids); !errors.Is(err, tt.want) {
				t.Errorf("remove %v: %v, want %v", tt.ids, err, tt.want)
			}
		}
		if err := h.RemoveTeams(t.Context(), "none", []string{seven}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a team of another contest: %v", err)
		}
		if now := got[[]*store.Team](t)(h.Teams(t.Context(), id)); len(now) != 4 {
			t.Fatalf("something was removed: %v", now)
		}
		before := got[*store.Contest](t)(h.Contest(t.Context(), id)).LastSeq
		if err := h.RemoveTeams(t.Context(), id, []string{seven}); err != nil {
			t.Fatal(err)
		}
		if now := got[[]*store.Team](t)(h.Teams(t.Context(), id)); len(now) != 3 || now[0].ID != guests {
			t.Errorf("the teams are %v", now)
		}
		if _, err := h.TeamOf(t.Context(), id, accounts[0].ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the account is in the team: %v", err)
		}
		if _, err := h.AccountByLogin(t.Context(), "team7"); err != nil {
			t.Errorf("the account: %v", err)
		}
		persons := got[[]*store.ContestPerson](t)(h.Persons(t.Context(), id))
		if len(persons) != 1 || persons[0].ID != "p1" || !slices.Equal(persons[0].Teams, []string{"x-1"}) {
			t.Errorf("the persons are %+v", persons)
		}
		if listed := got[[]*store.ContestAccount](t)(h.ContestAccounts(t.Context(), id)); len(listed) != 1 || listed[0].ID != "root" {
			t.Errorf("the accounts of the contest are %+v", listed)
		}
		events := got[[]store.Event](t)(h.EventsSince(t.Context(), id, before, 10))
		if len(events) != 1 || events[0].Kind != store.KindTeam || events[0].Object != seven || events[0].Op != store.OpRemoved {
			t.Errorf("the log has %+v", events)
		}
	})
}

// TestRemoveContest checks that a contest without submissions is removed with all that belongs to it.
func TestRemoveContest(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		id, _, err := h.ImportContest(t.Context(), h.imported())
		if err != nil {
			t.Fatal(err)
		}
		c := got[*store.Contest](t)(h.Contest(t.Context(), id))
		bob := h.account("bob")
		team, err := h.Enter(t.Context(), id, bob)
		if err != nil {
			t.Fatal(err)
		}
		asked, err := h.Clarify(t.Context(), store.NewClarification{Contest: id, Team: team.ID, Account: bob.ID, Text: "why?"})
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(h.SetContestRole(t.Context(), bob.ID, id, "judge"), h.MarkRead(t.Context(), id, bob.ID, 1)); err != nil {
			t.Fatal(err)
		}
		if claimed := got[bool](t)(h.ClaimRequest(t.Context(), id, asked, bob.ID)); !claimed {
			t.Fatal("the clarification is not claimed")
		}
		invitation := store.Invitation{Contest: id, MaxUses: 1, CreatedBy: h.alice.ID, Expires: h.clock.Now().Add(time.Hour)}
		if _, err := h.NewInvitation(t.Context(), "hash", invitation); err != nil {
			t.Fatal(err)
		}
		last := got[int64](t)(h.EventCount(t.Context()))
		use, err := h.ContestUse(t.Context(), id)
		if want := (store.ContestUse{Teams: 3, People: 2, Clarifications: 1}); err != nil || use != want || use.Any() {
			t.Fatalf("the contest has %+v, want %+v: %v", use, want, err)
		}
		old := *c
		c.Name = "changed"
		if err := h.SetContest(t.Context(), c, nil); err != nil {
			t.Fatal(err)
		}
		if err := h.RemoveContest(t.Context(), &old); !errors.Is(err, store.ErrChanged) {
			t.Errorf("a contest that has changed: %v", err)
		}
		if now := got[[]*store.Team](t)(h.Teams(t.Context(), id)); len(now) != 3 {
			t.Errorf("some of it is gone: %v", now)
		}
		if err := h.RemoveContest(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if _, err := h.Contest(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("the contest is there: %v", err)
		}
		if role := got[string](t)(h.GrantedRole(t.Context(), bob.ID, id)); role != "" {
			t.Errorf("a role is left: %s", role)
		}
		if _, err := h.Invitation(t.Context(), "hash"); !errors.Is(err, store.ErrRevoked) {
			t.Errorf("its invitation: %v", err)
		}
		if now := got[int64](t)(h.EventCount(t.Context())); now != last+1 {
			t.Errorf("the log ends at %d, before at %d", now, last+1)
		}
		if err := h.RemoveContest(t.Context(), c); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("once more: %v", err)
		}
		// After the removal, a second contest can have the same address. EventCount must still count the events of
		// removed contests.
		again := h.newContest("regional")
		last = got[int64](t)(h.EventCount(t.Context()))
		if err := h.RemoveContest(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		if now := got[int64](t)(h.EventCount(t.Context())); now != last {
			t.Errorf("the log ends at %d, before at %d", now, last)
		}
		if err := h.RemoveContest(t.Context(), got[*store.Contest](t)(h.Contest(t.Context(), store.Practice))); !errors.Is(err, store.ErrInUse) {
			t.Errorf("the practice: %v", err)
		}
	})
}

// TestRemoveWhatHasContent checks that a contest, hole or ladder with submissions or bots cannot be removed.
func TestRemoveWhatHasContent(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("full")
		team, err := h.Enter(t.Context(), c.ID, h.alice)
		if err != nil {
			t.Fatal(err)
		}
		sub := h.submission("key")
		sub.Contest, sub.Team, sub.Account = c.ID, team.ID, h.alice.ID
		if _, err := h.Submit(t.Context(), sub); err != nil {
			t.Fatal(err)
		}
		hole, ladder := h.hole(), h.ladder("hill")
		h.answer(hole, "")
		h.bot(ladder, h.alice, "bot")
		for what, err := range map[string]error{
			"contest": h.RemoveContest(t.Context(), c), "hole": h.RemoveHole(t.Context(), hole.ID), "ladder": h.RemoveLadder(t.Context(), ladder.ID),
		} {
			if !errors.Is(err, store.ErrInUse) {
				t.Errorf("the %s: %v", what, err)
			}
		}
		empty := &store.Hole{Slug: "empty", Name: "Empty", ProblemSlug: "nim", Visibility: store.VisibilityPublic}
		if err := h.NewHole(t.Context(), empty); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			err1, err2 := h.RemoveHole(t.Context(), empty.ID), h.RemoveLadder(t.Context(), h.ladder("empty").ID)
			if err1 != nil || err2 != nil {
				t.Errorf("the empty ones: %v, %v", err1, err2)
			}
			if err := h.NewHole(t.Context(), empty); err != nil {
				t.Errorf("the address is not free: %v", err)
			}
		}
		if err1, err2 := h.RemoveHole(t.Context(), "none"), h.RemoveLadder(t.Context(), "none"); !errors.Is(err1, store.ErrNotFound) ||
			!errors.Is(err2, store.ErrNotFound) {
			t.Errorf("those that are not there: %v, %v", err1, err2)
		}
	})
}

// TestSetTeams checks that a change of several teams is applied to all of them or to none.
func TestSetTeams(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		id, _, err := h.ImportContest(t.Context(), h.imported())
		if err != nil {
			t.Fatal(err)
		}
		teams := got[[]*store.Team](t)(h.Teams(t.Context(), id))
		was := []string{teams[0].Revision(), teams[1].Revision()}
		teams[0].Name, teams[1].Name = "one", "two"
		if err := h.SetTeams(t.Context(), []store.TeamChange{{Team: teams[0], OldRevision: was[0]},
			{Team: teams[1], OldRevision: "another"}}); !errors.Is(err, store.ErrChanged) {
			t.Errorf("one was changed: %v", err)
		}
		if now := got[[]*store.Team](t)(h.Teams(t.Context(), id)); now[0].Revision() != was[0] {
			t.Errorf("the other was saved: %+v", now[0])
		}
		if err := h.SetTeams(t.Context(), []store.TeamChange{{Team: teams[0], OldRevision: was[0]},
			{Team: teams[1], OldRevision: was[1]}}); err != nil {
			t.Fatal(err)
		}
		if now := got[[]*store.Team](t)(h.Teams(t.Context(), id)); now[0].Name != "one" || now[1].Name != "two" {
			t.Errorf("they are %+v", now)
		}
	})
}

// TestEnroll checks that accounts are created and join a contest. If any of this fails, nothing changes.
func TestEnroll(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		c := h.newContest("now")
		fresh := []store.NewAccount{{Login: "x", Display: "X", Kind: store.PersonAccount}, {Login: "y", Display: "Y", Kind: store.PersonAccount}}
		entrants := []store.Entrant{{Team: "two"}, {Account: h.alice}, {Team: "two"}}
		if _, err := h.Enroll(t.Context(), "none", fresh, entrants); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("no such contest: %v", err)
		}
		taken := append(slices.Clone(fresh[:1]), store.NewAccount{Login: "alice", Kind: store.PersonAccount})
		if _, err := h.Enroll(t.Context(), c.ID, taken, entrants); !errors.Is(err, store.ErrTaken) {
			t.Errorf("a login that is taken: %v", err)
		}
		if _, err := h.AccountByLogin(t.Context(), "x"); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("one account was made: %v", err)
		}
		all, err := h.Enroll(t.Context(), c.ID, fresh, entrants)
		if err != nil || len(all) != 3 || all[0].Login != "x" || all[1].ID != h.alice.ID || all[2].Login != "y" {
			t.Fatalf("the accounts are %v, %v", all, err)
		}
		teams := got[[]*store.Team](t)(h.Teams(t.Context(), c.ID))
		if len(teams) != 2 || teams[0].Name != "two" || teams[1].Name != "ALICE" {
			t.Errorf("the teams are %+v", teams)
		}
		if entrants[0].Account != nil {
			t.Error("what the caller has was changed")
		}
		if all, err := h.Enroll(t.Context(), "", []store.NewAccount{{Login: "z", Kind: store.PersonAccount}},
			[]store.Entrant{{}}); err != nil || all[0].Login != "z" {
			t.Errorf("without a contest: %v, %v", all, err)
		}
	})
}

// got returns the value of a call, and fails the test on its error.
func got[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
