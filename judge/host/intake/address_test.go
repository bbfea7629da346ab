package intake_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// expect sets the addresses at which accounts are expected in a contest. Each account is in its own team.
func (d *door) expect(c *store.Contest, addresses map[string][]string) {
	d.Helper()
	n := &store.ContestImport{ID: c.ID}
	for login, all := range addresses {
		n.Teams = append(n.Teams, store.Team{ExtID: login, Name: "Team " + login})
		n.Accounts = append(n.Accounts, store.ImportedAccount{ID: login, Type: "team", Team: login, Account: d.who[login], Addresses: all})
	}
	_, _, err := d.Store.ImportContest(d.Context(), n)
	d.must(err)
}

// TestExpectedAddresses checks which account a button logs in at 10.0.0.7, and which accounts can log in only at their
// address, in each phase. A contest is over when the last of its teams has ended.
func TestExpectedAddresses(t *testing.T) {
	const here, elsewhere = "10.0.0.7:1000", "10.0.0.8:1000"
	own := map[string][]string{"outsider": {"10.0.0.7"}}
	for _, tt := range []struct {
		name     string
		phase    auth.Phase
		expected map[string][]string
		extra    time.Duration // of another team
		button   string        // login of the account; may be empty
		refused  string        // where outsider cannot log in
	}{
		{"before", auth.Before, own, 0, "outsider", elsewhere},
		{"running", auth.Running, own, 0, "outsider", elsewhere},
		{"over", auth.Over, own, 0, "", ""},
		{"over, except for a team with extra time", auth.Over, own, time.Minute, "outsider", elsewhere},
		{"two addresses", auth.Running, map[string][]string{"outsider": {"10.0.0.6", "10.0.0.7"}}, 0, "outsider", elsewhere},
		{"an address and its network", auth.Running, map[string][]string{"outsider": {"10.0.0.7", "10.0.0.0/28"}}, 0, "outsider", ""},
		{"another address", auth.Running, map[string][]string{"outsider": {"10.0.0.8"}}, 0, "", here},
		{"two accounts", auth.Running, map[string][]string{"outsider": {"10.0.0.7"}, "roleless": {"10.0.0.7"}}, 0, "", elsewhere},
		{"no address", auth.Running, map[string][]string{"outsider": nil}, 0, "", ""},
		{"a judge", auth.Running, map[string][]string{"judge": {"10.0.0.7"}}, 0, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t)
			c := d.contest(store.VisibilityPublic, tt.phase, store.Settings{})
			d.expect(c, tt.expected)
			team := d.seat(c, "team").Team
			team.ExtraTime = tt.extra
			d.must(d.Store.SetTeam(t.Context(), team, ""))
			for _, on := range []bool{false, true} {
				d.AutoLogin, d.LockAddress = on, on
				a, err := d.AccountAtAddress(t.Context(), here)
				d.must(err)
				login := ""
				if a != nil {
					login = a.Login
				}
				if want := map[bool]string{true: tt.button}[on]; login != want {
					t.Errorf("on %v: the button logs in %q, want %q", on, login, want)
				}
				for _, address := range []string{here, elsewhere} {
					want := http.StatusOK
					if on && address == tt.refused {
						want = http.StatusForbidden
					}
					if got, text := code(t, d.CheckAddress(t.Context(), d.who["outsider"], address)); got != want {
						t.Errorf("on %v: from %s: %d %q, want %d", on, address, got, text, want)
					}
				}
				d.must(d.CheckAddress(t.Context(), d.who["judge"], elsewhere))
				d.must(d.CheckAddress(t.Context(), nil, elsewhere))
			}
			d.must(d.Store.SetDisabled(t.Context(), d.who["outsider"].ID, true))
			if a, err := d.AccountAtAddress(t.Context(), here); a != nil || err != nil {
				t.Errorf("the button logs in a disabled account: %v, %v", a, err)
			}
		})
	}
}

// TestAddressOfSeveralContests checks that an account is expected at its address until the last of its contests is over,
// and never if it has a role in one of them.
func TestAddressOfSeveralContests(t *testing.T) {
	for _, tt := range []struct {
		phases []auth.Phase
		role   auth.Role // in the last contest
		want   bool
	}{
		{[]auth.Phase{auth.Over, auth.Over}, "", false},
		{[]auth.Phase{auth.Over, auth.Running}, "", true},
		{[]auth.Phase{auth.Running, auth.Over}, "", true},
		{[]auth.Phase{auth.Running, auth.Before}, "", true},
		{[]auth.Phase{auth.Running, auth.Running}, auth.BalloonRunner, false},
	} {
		d := newDoor(t)
		d.AutoLogin = true
		for i, phase := range tt.phases {
			c := d.contest(store.VisibilityPublic, phase, store.Settings{})
			d.expect(c, map[string][]string{"outsider": {"10.0.0.7"}})
			if i == len(tt.phases)-1 && tt.role != "" {
				d.must(d.Store.SetContestRole(t.Context(), d.who["outsider"].ID, c.ID, string(tt.role)))
			}
		}
		a, err := d.AccountAtAddress(t.Context(), "10.0.0.7:1000")
		d.must(err)
		if (a != nil) != tt.want {
			t.Errorf("%s: the button logs in %v, want an account: %v", fmt.Sprint(tt.phases, " ", tt.role), a, tt.want)
		}
	}
}
