package desk

import (
	"strings"
	"sync"
	"time"
)

// A LoginThrottle delays logins after wrong passwords and doubles the delay each time. It counts per
// username and network, so an attacker elsewhere cannot lock out the owner, and a school may be one
// address. The zero value is ready.
type LoginThrottle struct {
	mu sync.Mutex
	of map[string]*wrong
}

type wrong struct {
	n     int
	until time.Time
}

// mostPause is the longest delay.
const mostPause = 30 * time.Second

// LoginFrom names a username from a network, by which attempts are counted.
func LoginFrom(login, address string) string {
	return strings.ToLower(login) + " from " + Network(address).String()
}

// Begin counts an attempt, or returns how long to wait for the next. An attempt is a wrong one until
// Forget is called, so that of many at once only some are checked.
func (t *LoginThrottle) Begin(by string, now time.Time) time.Duration {
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

// Forget forgets the wrong attempts.
func (t *LoginThrottle) Forget(by string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.of, by)
}
