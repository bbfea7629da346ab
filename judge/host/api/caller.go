package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/store"
)

// A caller is the account or worker that sends a request.
type caller struct {
	account *store.Account
	scopes  []string
	worker  *store.Worker
}

func (c *caller) hasScope(s client.Scope) bool {
	if c.account == nil {
		return false
	}
	for _, scope := range c.scopes {
		if scope == string(s) || scope == string(client.Admin) {
			return true
		}
	}
	return false
}

// name returns the name of the caller for the audit log.
func (c *caller) name() string {
	if c.worker != nil {
		return c.worker.Name
	}
	return c.account.ID
}

// A status is the response to a rejected request.
type status struct {
	code       int
	text, hint string
}

func (s *status) Error() string { return s.text }

var (
	errNoToken = &status{
		http.StatusUnauthorized, "this needs a token, and the request has none",
		"ask the server's administrator for one, then: judge login URL",
	}
	errToken = &status{
		http.StatusUnauthorized, "the token is not known here",
		"ask the server's administrator for another one, then: judge login URL",
	}
	errRevoked = &status{
		http.StatusUnauthorized, "the token was revoked",
		"ask the server's administrator for another one, then: judge login URL",
	}
	errExpired = &status{
		http.StatusUnauthorized, "the token has expired",
		"ask the server's administrator for another one, then: judge login URL",
	}
	errKey = &status{
		http.StatusUnauthorized, "the key of this worker is not known here",
		"join again, with a code of: judged admin worker add NAME",
	}
	errWorkerRevoked = &status{http.StatusForbidden, "this worker was revoked", "join again, with a code of: judged admin worker add NAME"}
)

// authenticate identifies the caller, and checks the requirements of the route.
func (a *api) authenticate(r *http.Request, n need) (*caller, error) {
	if n == needNothing {
		return nil, nil
	}
	header := r.Header.Get("Authorization")
	if auth.IsWorker(header) {
		key, err := auth.Verify(header, time.Now(), r.Method, r.URL.Path)
		if err != nil {
			return nil, &status{http.StatusUnauthorized, err.Error(), ""}
		}
		w, err := a.Store.WorkerByKey(r.Context(), key)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil, errKey
		case err != nil:
			return nil, err
		case w.State == store.WorkerRevoked:
			return nil, errWorkerRevoked
		case n != needWorker:
			return nil, &status{http.StatusForbidden, "a worker may not do this", ""}
		}
		return &caller{worker: w}, nil
	}
	text := auth.Bearer(header)
	if text == "" {
		return nil, errNoToken
	}
	t, account, err := a.Store.TokenByHash(r.Context(), auth.Hash(text))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, errToken
	case errors.Is(err, store.ErrRevoked):
		return nil, errRevoked
	case errors.Is(err, store.ErrExpired):
		return nil, errExpired
	case err != nil:
		return nil, err
	}
	c := &caller{account: account, scopes: t.Scopes}
	enough := map[need]bool{
		needToken: true, needSubmit: c.hasScope(client.Submit), needPublish: c.hasScope(client.Publish),
		needAdmin:  c.hasScope(client.Admin),
		needUpload: c.hasScope(client.Submit) || c.hasScope(client.Publish),
	}[n]
	if !enough {
		return nil, &status{
			http.StatusForbidden,
			fmt.Sprintf("%s's token does not allow this; its scopes: %s", account.Login, strings.Join(t.Scopes, ", ")), "",
		}
	}
	if err := a.CheckAddress(r.Context(), account, r.RemoteAddr); err != nil {
		return nil, err
	}
	return c, nil
}
