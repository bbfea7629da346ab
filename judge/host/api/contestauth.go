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
	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// remembered caches correct passwords for a short time, because clients send them with each request and checking
// one takes long. The zero value is ready to use.
type remembered struct {
	mu  sync.Mutex
	key []byte
	of  map[string]proven
}

// A proven is the hash of a correct password, with the time until which it is cached.
type proven struct {
	hash  string
	until time.Time
}

const (
	rememberFor    = 10 * time.Minute
	mostRemembered = 10_000
)

// name returns the cache key of a password. The key does not reveal the password.
func (p *remembered) name(login, password string) string {
	if p.key == nil {
		p.key = make([]byte, sha256.Size)
		_, _ = rand.Read(p.key) // never fails
	}
	mac := hmac.New(sha256.New, p.key)
	fmt.Fprintf(mac, "%q %q", login, password)
	return string(mac.Sum(nil))
}

func (p *remembered) knows(a *store.Account, password string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	one, known := p.of[p.name(a.Login, password)]
	return known && one.hash == a.Password && time.Now().Before(one.until)
}

func (p *remembered) keep(a *store.Account, password string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil || len(p.of) >= mostRemembered {
		p.of = map[string]proven{}
	}
	p.of[p.name(a.Login, password)] = proven{a.Password, time.Now().Add(rememberFor)}
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
		return a.who(r, token)
	}
	asToken := r.Clone(r.Context())
	asToken.Header.Set("Authorization", "Bearer "+password)
	who, err := a.who(asToken, token)
	switch {
	case err == errToken || err == errNoToken:
		return a.byPassword(r, user, password)
	case err == nil && user != who.account.Login:
		return nil, errToken
	}
	return who, err
}

// byPassword returns the caller with this username and password. After wrong passwords, further attempts are
// delayed.
func (a *api) byPassword(r *http.Request, login, password string) (*caller, error) {
	account := &store.Account{} // checking the password of an unknown account must take as long
	if auth.GoodLogin(login) {
		found, err := a.Store.AccountByLogin(r.Context(), login)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err == nil {
			account = found
		}
	}
	known := account.ID != "" && a.remembered.knows(account, password)
	if !known {
		good, err := a.Throttle.Try(desk.LoginFrom(login, r.RemoteAddr), a.Time(), func() (bool, error) {
			return a.Passwords.Check(r.Context(), password, account.Password)
		})
		if err != nil {
			return nil, err
		}
		if !good {
			return nil, errPassword
		}
		a.remembered.keep(account, password)
	}
	if account.Disabled {
		return nil, errPassword
	}
	if err := errors.Join(a.AcceptsPassword(r.Context(), account), a.Elsewhere(r.Context(), account, r.RemoteAddr)); err != nil {
		return nil, err
	}
	if !known { // cached passwords need no write
		if err := a.Store.LoggedIn(r.Context(), account.ID); err != nil {
			return nil, err
		}
	}
	return &caller{account: account, scopes: desk.Scopes(desk.Role(account))}, nil
}
