package intake_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// TestStreamsBounded checks that an account can have 100 streams at once, and a network 2,000. A further stream is
// rejected after a delay. When a stream ends, another one can be opened.
func TestStreamsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		who  *store.Account
		most int
	}{"an account": {&store.Account{ID: "ada"}, 100}, "a network": {nil, 2000}} {
		synctest.Test(t, func(t *testing.T) {
			var d intake.Service
			var leave func()
			for range tt.most {
				var err error
				if leave, err = d.OpenStream(t.Context(), tt.who, "10.0.0.1:1"); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			_, err := d.OpenStream(t.Context(), tt.who, "10.0.0.1:2")
			if refusal, is := errors.AsType[*intake.Refusal](err); !is || refusal.Code != http.StatusTooManyRequests {
				t.Errorf("one more of %s: %v", name, err)
			}
			if took := time.Since(began); took != time.Second {
				t.Errorf("to be turned away takes %v", took)
			}
			if _, err := d.OpenStream(t.Context(), &store.Account{ID: "bob"}, "10.0.0.2:1"); err != nil {
				t.Errorf("another account than %s: %v", name, err)
			}
			leave()
			if _, err := d.OpenStream(t.Context(), tt.who, "10.0.0.1:3"); err != nil {
				t.Errorf("%s, after one has ended: %v", name, err)
			}
		})
	}
}

// TestFeedsBounded checks that a network can have 64 event feeds at once, and the server 500.
func TestFeedsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d intake.Service
		enter := func(network int, want string) {
			t.Helper()
			if _, err := d.OpenFeed(t.Context(), fmt.Sprintf("10.0.0.%d:1", network)); (err != nil) != (want != "") ||
				err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("another one of network %d: %v, want %q", network, err, want)
			}
		}
		for i := range 500 {
			enter(i/64, "")
			if i == 63 {
				enter(0, "64 event feeds of the Contest API for each network")
			}
		}
		enter(8, "500 event feeds of the Contest API on this server")
	})
}

// TestLimitsPage checks that the table in docs/operations.md contains all limits with their numbers.
func TestLimitsPage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	want := "| what | limit | for each |\n| --- | --- | --- |\n"
	for _, l := range intake.Limits {
		most, within := fmt.Sprint(l.Max), map[time.Duration]string{time.Minute: " per minute", time.Hour: " per hour"}[l.Period]
		if n := len(most); n > 3 {
			most = most[:n-3] + "," + most[n-3:]
		}
		want += fmt.Sprintf("| %s | %s%s | %s |\n", l.Items, most, within, l.Holder)
	}
	if !strings.Contains(string(page), "\n"+want+"\n") {
		t.Errorf("docs/operations.md does not have this table:\n%s", want)
	}
}

// TestReached checks that a Refusal names the limit and its holder.
func TestReached(t *testing.T) {
	for _, tt := range []struct {
		of   intake.Limit
		want string
	}{
		{intake.SubmissionRate.WithMax(3), "limit reached: 3 submissions to a contest per minute for each account"},
		{intake.RemoteRuns, "limit reached: 10 remote runs for each account"},
		{intake.Registrations, "limit reached: 60 accounts that register themselves per hour for each network"},
		{intake.FeedsOfServer, "limit reached: 500 event feeds of the Contest API on this server"},
	} {
		if got := tt.of.Refusal(); got.Text != tt.want || got.Code != http.StatusTooManyRequests {
			t.Errorf("%d %q, want %q", got.Code, got.Text, tt.want)
		}
	}
}

// TestCounter checks the limits of a holder and of all holders, and that leaving makes room.
func TestCounter(t *testing.T) {
	var c intake.Counter
	of, all := intake.Limit{Items: "doors", Max: 2}, intake.Limit{Items: "houses", Max: 3}
	enter := func(holder, want string) (leave func()) {
		t.Helper()
		leave, reached := c.Acquire(holder, of, all)
		if got := ""; reached != nil {
			if got = reached.Items; got != want || leave != nil {
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

// TestRecentForgets checks that the number of remembered holders is bounded.
func TestRecentForgets(t *testing.T) {
	var c intake.RateCounter
	now, l := time.Now(), intake.Limit{Max: 1, Period: time.Hour}
	for i := range 10_000 {
		c.Add(fmt.Sprint(i), l, now)
	}
	if wait := c.Add("0", l, now); wait != 0 {
		t.Errorf("with 10,000 holders the first one waits %v", wait)
	}
}

// TestRecent checks that each holder may act as often as the limit allows. The wait lasts until the period of the
// first action is over.
func TestRecent(t *testing.T) {
	var c intake.RateCounter
	now, l := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC), intake.Limit{Max: 2, Period: time.Hour}
	for _, tt := range []struct {
		holder   string
		at, wait time.Duration
	}{
		{"ada", 0, 0}, {"ada", 10 * time.Minute, 0}, {"ada", 20 * time.Minute, 40 * time.Minute}, {"bob", 20 * time.Minute, 0},
		{"ada", time.Hour, 0}, {"ada", 61 * time.Minute, 9 * time.Minute}, {"ada", 70 * time.Minute, 0},
	} {
		if got := c.Add(tt.holder, l, now.Add(tt.at)); got != tt.wait {
			t.Errorf("%s after %v waits %v, want %v", tt.holder, tt.at, got, tt.wait)
		}
	}
}

// TestWrongPasswords checks that four wrong passwords cause no delay. Each further one doubles the delay from 1 s
// to 30 s. The count is per username and network.
func TestWrongPasswords(t *testing.T) {
	var c intake.LoginThrottle
	now := time.Date(2026, 11, 28, 10, 0, 0, 0, time.UTC)
	ada := intake.ThrottleKey("Ada", "10.0.0.1:1")
	try := func(by string, good bool, says string) {
		t.Helper()
		asked := false
		got, err := c.Try(by, now, func() (bool, error) { asked = true; return good, nil })
		if status, text := code(t, err); text != says || (says != "") != (status == http.StatusTooManyRequests) || asked != (says == "") ||
			got != (good && asked) {
			t.Errorf("%s: %v, %d %q, want %q", by, got, status, text, says)
		}
	}
	for _, wait := range []int{0, 0, 0, 0, 1, 2, 4, 8, 16, 30, 30} {
		try(ada, false, "")
		if wait > 0 { // an attempt without a delay would count
			now = now.Add(time.Duration(wait)*time.Second - time.Nanosecond)
			try(ada, true, "too many wrong passwords: wait 1 second")
			now = now.Add(time.Nanosecond)
		}
	}
	try(ada, false, "")
	try(intake.ThrottleKey("ada", "10.0.0.1:9"), true, "too many wrong passwords: wait 30 seconds")
	try(intake.ThrottleKey("ada", "10.0.0.2:1"), false, "")
	try(intake.ThrottleKey("bob", "10.0.0.1:1"), false, "")
	now = now.Add(30 * time.Second)
	try(ada, true, "")
	for range 4 {
		try(ada, false, "")
	}
	try(ada, true, "")
}
