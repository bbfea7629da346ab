package intake

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
	mu       sync.Mutex
	failures map[string]*loginFailures
}

type loginFailures struct {
	n     int
	until time.Time
}

// maxDelay is the maximum delay.
const maxDelay = 30 * time.Second

// CheckPasswordLogin is called after a correct password. It returns a *Refusal if StaffPasswords is set and the
// account has no role above contestant, on the server or in a contest.
func (d *Service) CheckPasswordLogin(ctx context.Context, a *store.Account) error {
	if !d.StaffPasswords {
		return nil
	}
	hasRole, err := d.Store.HasElevatedRole(ctx, a.ID)
	if err != nil || hasRole {
		return err
	}
	return &Refusal{Code: http.StatusForbidden, Text: "only staff can log in with a password on this server", Hint: "use single sign-on"}
}

// ThrottleKey returns the key that counts login attempts with a username from the network of an address.
func ThrottleKey(login, address string) string {
	return strings.ToLower(login) + " from " + Network(address).String()
}

// Try calls check, which reports whether a password is correct. It counts wrong passwords under the key by, which
// ThrottleKey returns. After several wrong passwords, Try does not call check, but returns a *Refusal that says how
// long to wait.
func (t *LoginThrottle) Try(key string, now time.Time, check func() (bool, error)) (correct bool, err error) {
	if wait := t.begin(key, now); wait > 0 {
		return false, &Refusal{
			Code: http.StatusTooManyRequests,
			Text: fmt.Sprintf("too many wrong passwords: wait %s", judge.Quantity(int((wait+time.Second-1)/time.Second), "second")),
		}
	}
	if correct, err = check(); correct && err == nil {
		t.reset(key)
	}
	return correct, err
}

// begin counts an attempt and returns zero. If the next attempt must still wait, begin counts nothing and returns
// the remaining time. An attempt counts as wrong until forget is called, so that only some of many concurrent
// attempts are checked.
func (t *LoginThrottle) begin(key string, now time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.failures[key]
	if w != nil && now.Before(w.until) {
		return w.until.Sub(now)
	}
	if w == nil {
		if len(t.failures) >= maxHolders {
			for old, one := range t.failures {
				if now.After(one.until) {
					delete(t.failures, old)
				}
			}
		}
		if len(t.failures) >= maxHolders {
			clear(t.failures)
		}
		if t.failures == nil {
			t.failures = map[string]*loginFailures{}
		}
		w = &loginFailures{}
		t.failures[key] = w
	}
	if w.n++; w.n > int(WrongPasswords.Max) {
		w.until = now.Add(min(time.Second<<min(w.n-int(WrongPasswords.Max)-1, 10), maxDelay))
	}
	return 0
}

// reset clears the count of wrong passwords.
func (t *LoginThrottle) reset(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.failures, key)
}
