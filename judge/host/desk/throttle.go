package desk

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"assay/judge"
	"assay/judge/host/store"
)

// A LoginThrottle delays logins after wrong passwords and doubles the delay each time. It counts per username and
// network. Therefore an attacker elsewhere cannot lock out the owner, and a school can share one address. The zero
// value is ready to use.
type LoginThrottle struct {
	mu sync.Mutex
	of map[string]*wrong
}

type wrong struct {
	n     int
	until time.Time
}

// mostPause is the maximum delay.
const mostPause = 30 * time.Second

// AcceptsPassword is called after a correct password. It returns a *Refusal if StaffPasswords is set and the
// account has no role above contestant, on the server or in a contest.
func (d *Desk) AcceptsPassword(ctx context.Context, a *store.Account) error {
	if !d.StaffPasswords {
		return nil
	}
	staff, err := d.Store.IsStaff(ctx, a.ID)
	if err != nil || staff {
		return err
	}
	return &Refusal{Code: http.StatusForbidden, Text: "only staff can log in with a password on this server", Hint: "use single sign-on"}
}

// LoginFrom returns the key that counts login attempts with a username from the network of an address.
func LoginFrom(login, address string) string {
	return strings.ToLower(login) + " from " + Network(address).String()
}

// Try calls check, which reports whether a password is correct. It counts wrong passwords under the key by, which
// LoginFrom returns. After several wrong passwords, Try does not call check, but returns a *Refusal that says how
// long to wait.
func (t *LoginThrottle) Try(by string, now time.Time, check func() (bool, error)) (good bool, err error) {
	if wait := t.begin(by, now); wait > 0 {
		return false, &Refusal{
			Code: http.StatusTooManyRequests,
			Text: fmt.Sprintf("too many wrong passwords: wait %s", judge.Count(int((wait+time.Second-1)/time.Second), "second")),
		}
	}
	if good, err = check(); good && err == nil {
		t.forget(by)
	}
	return good, err
}

// begin counts an attempt and returns zero. If the next attempt must still wait, begin counts nothing and returns
// the remaining time. An attempt counts as wrong until forget is called, so that only some of many concurrent
// attempts are checked.
func (t *LoginThrottle) begin(by string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.of[by]
	if w != nil && now.Before(w.until) {
		return w.until.Sub(now)
	}
	if w == nil {
		if len(t.of) >= mostRemembered {
			for old, one := range t.of {
				if now.After(one.until) {
					delete(t.of, old)
				}
			}
		}
		if len(t.of) >= mostRemembered {
			clear(t.of)
		}
		if t.of == nil {
			t.of = map[string]*wrong{}
		}
		w = &wrong{}
		t.of[by] = w
	}
	if w.n++; w.n > int(WrongPasswords.Most) {
		w.until = now.Add(min(time.Second<<min(w.n-int(WrongPasswords.Most)-1, 10), mostPause))
	}
	return 0
}

// forget clears the count of wrong passwords.
func (t *LoginThrottle) forget(by string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, by)
}
