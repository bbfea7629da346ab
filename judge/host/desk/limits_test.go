package desk_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// TestStreamsBounded: an account has 100 at once, and a network 2,000. One more is refused slowly, and one that ends
// gives its place to another.
func TestStreamsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		who  *store.Account
		most int
	}{"an account": {&store.Account{ID: "ada"}, 100}, "a network": {nil, 2000}} {
		synctest.Test(t, func(t *testing.T) {
			var d desk.Desk
			var leave func()
			for range tt.most {
				var err error
				if leave, err = d.EnterStream(t.Context(), tt.who, "10.0.0.1:1"); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			_, err := d.EnterStream(t.Context(), tt.who, "10.0.0.1:2")
			if refusal, is := errors.AsType[*desk.Refusal](err); !is || refusal.Code != http.StatusTooManyRequests {
				t.Errorf("one more of %s: %v", name, err)
			}
			if took := time.Since(began); took != time.Second {
				t.Errorf("to be turned away takes %v", took)
			}
			if _, err := d.EnterStream(t.Context(), &store.Account{ID: "bob"}, "10.0.0.2:1"); err != nil {
				t.Errorf("another account than %s: %v", name, err)
			}
			leave()
			if _, err := d.EnterStream(t.Context(), tt.who, "10.0.0.1:3"); err != nil {
				t.Errorf("%s, after one has ended: %v", name, err)
			}
		})
	}
}

// TestLimitsPage: the table of docs/operations.md has all limits with their numbers.
func TestLimitsPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| what | limit | for each |\n| --- | --- | --- |\n"
	for _, l := range desk.Limits {
		most, within := fmt.Sprint(l.Most), map[time.Duration]string{time.Minute: " per minute", time.Hour: " per hour"}[l.Within]
		if n := len(most); n > 3 {
			most = most[:n-3] + "," + most[n-3:]
		}
		want += fmt.Sprintf("| %s | %s%s | %s |\n", l.What, most, within, l.Of)
	}
	if !strings.Contains(string(page), "\n"+want+"\n") {
		t.Errorf("docs/operations.md does not have this table:\n%s", want)
	}
}

// TestReached: a refusal names the limit and who has it.
func TestReached(t *testing.T) {
	for _, tt := range []struct {
		of   desk.Limit
		want string
	}{
		{desk.SubmissionRate.With(3), "limit reached: 3 submissions to a contest per minute for each account"},
		{desk.RemoteRuns, "limit reached: 10 remote runs for each account"},
		{desk.Registrations, "limit reached: 60 accounts that register themselves per hour for each network"},
		{desk.FeedsOfServer, "limit reached: 500 event feeds of the Contest API on this server"},
	} {
		if got := tt.of.Reached(); got.Text != tt.want || got.Code != http.StatusTooManyRequests {
			t.Errorf("%d %q, want %q", got.Code, got.Text, tt.want)
		}
	}
}

// TestCounter: a holder and all holders have a limit each, and one that leaves makes room.
func TestCounter(t *testing.T) {
	var c desk.Counter
	of, all := desk.Limit{What: "doors", Most: 2}, desk.Limit{What: "houses", Most: 3}
	enter := func(holder, want string) (leave func()) {
		t.Helper()
		leave, reached := c.Enter(holder, of, all)
		if got := ""; reached != nil {
			if got = reached.What; got != want || leave != nil {
				t.Errorf("%s reaches the limit of %q, want %q", holder, got, want)
			}
		} else if want != "" {
			t.Errorf("%s enters", holder)
		}
		return leave
	}
	first := enter("ada", "")
	enter("ada", "")
	enter("ada", "doors")
	enter("bob", "")
	enter("bob", "houses")
	first()
	enter("bob", "")
	enter("ada", "houses")
}

// TestRecent: as many as the limit within its time, of each holder, and the wait is until the first is over.
func TestRecent(t *testing.T) {
	var c desk.Recent
	now, l := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC), desk.Limit{Most: 2, Within: time.Hour}
	for _, tt := range []struct {
		holder   string
		at, wait time.Duration
	}{
		{"ada", 0, 0}, {"ada", 10 * time.Minute, 0}, {"ada", 20 * time.Minute, 40 * time.Minute}, {"bob", 20 * time.Minute, 0},
		{"ada", time.Hour, 0}, {"ada", 61 * time.Minute, 9 * time.Minute}, {"ada", 70 * time.Minute, 0},
	} {
		if got := c.Enter(tt.holder, l, now.Add(tt.at)); got != tt.wait {
			t.Errorf("%s after %v waits %v, want %v", tt.holder, tt.at, got, tt.wait)
		}
	}
}
