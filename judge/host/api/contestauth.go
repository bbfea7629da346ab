package api

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// passwordCache caches correct passwords for a short time, because clients send them with each request and checking
// one takes long. The zero value is ready to use.
type passwordCache struct {
	mu      sync.Mutex
	key     []byte
	entries map[string]cachedPassword
}

// A cachedPassword is the hash of a correct password, with the time until which it is cached.
type cachedPassword struct {
	hash  string
	until time.Time
}

const (
	cacheLifetime = 10 * time.Minute
	maxCached     = 10_000
)

// cacheKey returns the cache key of a password. The key does not reveal the password.
func (p *passwordCache) cacheKey(login, password string) string {
	if p.key == nil {
		p.key = make([]byte, sha256.Size)
		_, _ = rand.Read(p.key) // never fails
	}
	mac := hmac.New(sha256.New, p.key)
	fmt.Fprintf(mac, "%q %q", login, password)
	return string(mac.Sum(nil))
}

func (p *passwordCache) contains(a *store.Account, password string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	entry, found := p.entries[p.cacheKey(a.Login, password)]
	return found && entry.hash == a.Password && time.Now().Before(entry.until)
}

func (p *passwordCache) add(a *store.Account, password string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.entries == nil || len(p.entries) >= maxCached {
		p.entries = map[string]cachedPassword{}
	}
	p.entries[p.cacheKey(a.Login, password)] = cachedPassword{a.Password, time.Now().Add(cacheLifetime)}
}

var errPassword = &status{http.StatusUnauthorized, "wrong username or password", ""}

// apiCaller returns the caller of a request, or nil for the public. With HTTP basic authentication, the password
// can also be a token.
func (a *api) apiCaller(r *http.Request) (*caller, error) {
	if r.Header.Get("Authorization") == "" {
		return nil, nil
	}
	user, password, basic := r.BasicAuth()
	if !basic {
		return a.authenticate(r, needToken)
	}
	asToken := r.Clone(r.Context())
	asToken.Header.Set("Authorization", "Bearer "+password)
	caller, err := a.authenticate(asToken, needToken)
	switch {
	case err == errToken || err == errNoToken:
		return a.callerByPassword(r, user, password)
	case err == nil && user != caller.account.Login:
		return nil, errToken
	}
	return caller, err
}

// callerByPassword returns the caller with this username and password. After wrong passwords, further attempts are
// delayed.
func (a *api) callerByPassword(r *http.Request, login, password string) (*caller, error) {
	account := &store.Account{} // checking the password of an unknown account must take as long
	if auth.ValidUsername(login) {
		found, err := a.Store.AccountByLogin(r.Context(), login)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err == nil {
			account = found
		}
	}
	cached := account.ID != "" && a.passwordCache.contains(account, password)
	if !cached {
		good, err := a.Throttle.Try(intake.ThrottleKey(login, r.RemoteAddr), a.Time(), func() (bool, error) {
			return a.Passwords.Check(r.Context(), password, account.Password)
		})
		if err != nil {
			return nil, err
		}
		if !good {
			return nil, errPassword
		}
		a.passwordCache.add(account, password)
	}
	if account.Disabled {
		return nil, errPassword
	}
	if err := errors.Join(a.CheckPasswordLogin(r.Context(), account), a.CheckAddress(r.Context(), account, r.RemoteAddr)); err != nil {
		return nil, err
	}
	if !cached { // cached passwords need no write
		if err := a.Store.RecordLogin(r.Context(), account.ID); err != nil {
			return nil, err
		}
	}
	return &caller{account: account, scopes: intake.Scopes(intake.ServerRole(account))}, nil
}
