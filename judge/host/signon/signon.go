// Package signon logs users in through an OpenID Connect provider, by the authorization code flow with PKCE. Begin
// returns the address of the provider to which the browser is redirected. Finish checks the query with which the
// browser returns. The package does not know accounts and does not store anything. The browser keeps the secret of
// a login, and the caller must remember which logins have been finished.
package signon

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"assay/judge/host/auth"
)

// Options configure a Provider.
type Options struct {
	Issuer string
	Client string // the id of this server at the provider
	Secret string // client secret; if empty, the client is public
	// Scopes are the requested scopes in addition to openid.
	Scopes []string
	// Callback is the address on this server to which the provider redirects the browser.
	Callback string
	// Claim is the claim that lists a user's groups. Roles maps groups to roles. A user gets the highest of these
	// roles, but never Admin.
	Claim string
	Roles map[string]auth.Role
	// Now returns the current time. If nil, time.Now is used.
	Now func() time.Time
}

// A Provider is an OpenID Connect provider. It is safe for concurrent use.
type Provider struct {
	o    Options
	http *http.Client

	mu        sync.Mutex
	discovery *discovery // nil before the first login
	err       error      // from the last discovery; nil if it succeeded
	tried     time.Time
}

// A discovery is a provider's description of itself.
type discovery struct {
	*oidc.Provider
	at       time.Time
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
	metadata metadata
}

// metadata is the part of a provider's description that package oidc ignores.
type metadata struct {
	ClientAuth  []string `json:"token_endpoint_auth_methods_supported"`
	SendsIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	UserInfo    string   `json:"userinfo_endpoint"`
	Keys        string   `json:"jwks_uri"`
	Algorithms  []string `json:"id_token_signing_alg_values_supported"`
}

// algorithms lists the accepted signature algorithms. All of them use public keys. No other signature may prove an
// identity.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// A keySet wraps an oidc.KeySet. It records in a context that the provider's keys could not be fetched, because
// package oidc reports this like a wrong signature.
type keySet struct{ oidc.KeySet }

type fetchFailure struct{}

// VerifySignature returns the payload of a token if the provider has signed it.
func (k keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, token)
	if failed, is := ctx.Value(fetchFailure{}).(*error); is {
		*failed = errors.Unwrap(err) // nil if the signature is wrong
	}
	return payload, err
}

// How long the result of discovery is used, and the pause after a failure.
const (
	discoveryLifetime = time.Hour
	discoveryPause    = 5 * time.Second
)

// requestTimeout is the time limit for a request to the provider.
const requestTimeout = 10 * time.Second

// FreshnessLimit is the maximum age of a login at the provider for which Person.Fresh is set. The provider's clock
// defines the age.
const FreshnessLimit = 2 * time.Minute

// maxSkew is how far the provider's clock may be behind. A token expires that much later. Package oidc accepts a token
// 5 minutes before it is valid, so the provider's clock may also be ahead by 5 minutes less maxSkew.
const maxSkew = 150 * time.Second

// A Person is a user who has logged in at the provider.
type Person struct {
	Issuer   string
	Subject  string // id of the user at the provider
	Name     string // it may be empty
	Username string // preferred username; may be empty
	Role     auth.Role
	// Fresh reports whether the user has authenticated at the provider, for example with a password, within
	// FreshnessLimit.
	Fresh bool
}

// LoginError is the error for an invalid login. The user may try again. Err is the reason.
type LoginError struct{ Err error }

func (r *LoginError) Error() string { return r.Err.Error() }

// Unwrap returns why.
func (r *LoginError) Unwrap() error { return r.Err }

func reject(format string, args ...any) error { return &LoginError{fmt.Errorf(format, args...)} }

// ErrCanceled means that the user or the provider has canceled the login.
var ErrCanceled = errors.New("the login was ended at the provider")

// New returns a provider. It sends no request yet.
func New(o Options) *Provider {
	if o.Now == nil {
		o.Now = time.Now
	}
	if !slices.Contains(o.Scopes, oidc.ScopeOpenID) {
		o.Scopes = append([]string{oidc.ScopeOpenID}, o.Scopes...)
	}
	return &Provider{o: o, http: &http.Client{Timeout: requestTimeout}}
}

// Host returns the host name of the provider, which users recognize.
func (p *Provider) Host() string {
	u, err := url.Parse(p.o.Issuer)
	if err != nil {
		return p.o.Issuer
	}
	return u.Host
}

// discover returns the provider's description of itself. The description is at most an hour old, unless the
// provider does not respond. The cached keys expire together with the description, so that withdrawn keys do not
// remain valid. New keys are fetched when a token names them.
func (p *Provider) discover(ctx context.Context) (*discovery, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Now()
	if p.discovery != nil && now.Sub(p.discovery.at) < discoveryLifetime {
		return p.discovery, nil
	}
	if now.Sub(p.tried) >= discoveryPause {
		var found *discovery
		p.tried = now
		if found, p.err = p.fetchDiscovery(context.WithoutCancel(ctx)); p.err == nil {
			p.discovery = found
		}
	}
	if p.discovery != nil {
		return p.discovery, nil
	}
	return nil, fmt.Errorf("read the settings of the provider %s: %w", p.o.Issuer, p.err)
}

func (p *Provider) fetchDiscovery(ctx context.Context) (*discovery, error) {
	ctx = oidc.ClientContext(ctx, p.http)
	provider, err := oidc.NewProvider(ctx, p.o.Issuer)
	if other, is := errors.AsType[*oidc.IssuerMismatchError](err); is {
		return nil, fmt.Errorf("the provider calls itself %.200q: set issuer in the [server.oidc] table of judge.toml to exactly that",
			other.Discovered)
	}
	if err != nil {
		return nil, err
	}
	d := &discovery{Provider: provider, at: p.o.Now()}
	if err := provider.Claims(&d.metadata); err != nil {
		return nil, err
	}
	checks := &oidc.Config{ClientID: p.o.Client, Now: func() time.Time { return p.o.Now().Add(-maxSkew) }}
	for _, name := range algorithms {
		if slices.Contains(d.metadata.Algorithms, name) {
			checks.SupportedSigningAlgs = append(checks.SupportedSigningAlgs, name)
		}
	}
	d.verifier = oidc.NewVerifier(p.o.Issuer, keySet{oidc.NewRemoteKeySet(ctx, d.metadata.Keys)}, checks)
	d.oauth = oauth2.Config{ClientID: p.o.Client, ClientSecret: p.o.Secret, Endpoint: provider.Endpoint(),
		RedirectURL: p.o.Callback, Scopes: p.o.Scopes}
	// Do not let the library try both styles: a provider may accept a code only once, even after a failed attempt.
	d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if ways := d.metadata.ClientAuth; p.o.Secret == "" || len(ways) > 0 && !slices.Contains(ways, "client_secret_basic") {
		d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return d, nil
}

// derive derives the value named what from the secret of a login. A derived value reveals nothing about other
// derived values.
func derive(secret, name string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(name))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func equalSecrets(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// AuthURL returns the address to which the browser is redirected to log in. The secret must be random, different for
// each login, and known only to the browser. If reauthenticate is true, the user must log in even after a recent login.
func (p *Provider) AuthURL(ctx context.Context, secret string, reauthenticate bool) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	with := []oauth2.AuthCodeOption{oidc.Nonce(derive(secret, "nonce")), oauth2.S256ChallengeOption(derive(secret, "verifier"))}
	if reauthenticate {
		with = append(with, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return d.oauth.AuthCodeURL(derive(secret, "state"), with...), nil
}

// CompleteLogin returns the user who has logged in. The argument back is the query with which the browser returned from
// the provider, and secret is the secret that the browser has kept. CompleteLogin returns a *LoginError if the login is not
// valid, and ErrCanceled if the provider reports that the login was canceled. If the provider cannot be reached,
// CompleteLogin returns another error.
func (p *Provider) CompleteLogin(ctx context.Context, secret string, query url.Values) (*Person, error) {
	if secret == "" || !equalSecrets(query.Get("state"), derive(secret, "state")) {
		return nil, reject("this browser has not begun this login")
	}
	d, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	if issuer := query.Get("iss"); issuer != p.o.Issuer && (issuer != "" || d.metadata.SendsIssuer) {
		return nil, reject("the answer is of another provider: %.200q", issuer)
	}
	if word := query.Get("error"); word != "" {
		return nil, fmt.Errorf("%w: %.100q %.300q", ErrCanceled, word, query.Get("error_description"))
	}
	if query.Get("code") == "" {
		return nil, reject("the provider sent no code")
	}
	ctx = oidc.ClientContext(ctx, p.http)
	tokens, err := d.oauth.Exchange(ctx, query.Get("code"), oauth2.VerifierOption(derive(secret, "verifier")))
	if refused, is := errors.AsType[*oauth2.RetrieveError](err); is && refused.ErrorCode == "invalid_grant" {
		return nil, reject("the code is not valid, or was used before")
	}
	if refused, is := errors.AsType[*oauth2.RetrieveError](err); is && (refused.ErrorCode == "invalid_client" ||
		refused.ErrorCode == "unauthorized_client") {
		return nil, fmt.Errorf("the provider does not accept this server: check client and secret_file in the [server.oidc] table of "+
			"judge.toml: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("exchange the code of a login: %w", err)
	}
	id, err := p.verify(ctx, d, tokens, derive(secret, "nonce"))
	if err != nil {
		return nil, err
	}
	return p.person(ctx, d, tokens, id)
}

// verify checks the ID token, which identifies the user.
func (p *Provider) verify(ctx context.Context, d *discovery, tokens *oauth2.Token, nonce string) (*oidc.IDToken, error) {
	text, _ := tokens.Extra("id_token").(string)
	if text == "" {
		return nil, reject("the provider sent no ID token")
	}
	var failed error
	id, err := d.verifier.Verify(context.WithValue(ctx, fetchFailure{}, &failed), text)
	if failed != nil {
		return nil, fmt.Errorf("fetch the keys of the provider: %w", failed)
	}
	_, expired := errors.AsType[*oidc.TokenExpiredError](err)
	if expired || err != nil && strings.Contains(err.Error(), "(not before)") {
		return nil, reject("by this server's clock, the token is not valid at %s: set the clocks of the provider and of this server by NTP",
			p.o.Now().UTC().Format(time.RFC3339))
	}
	if err != nil {
		return nil, &LoginError{err}
	}
	var header struct {
		Party string `json:"azp"`
	}
	switch err := id.Claims(&header); {
	case err != nil:
		return nil, &LoginError{err}
	case !equalSecrets(id.Nonce, nonce):
		return nil, reject("the token is of another login: its nonce differs")
	case len(id.Audience) > 1 && header.Party == "", header.Party != "" && header.Party != p.o.Client:
		return nil, reject("the token was made for another client: %.200q", header.Party)
	case id.Subject == "" || len(id.Subject) > 255 || !auth.IsPrintable(id.Subject):
		return nil, reject("the token names no person")
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(tokens.AccessToken); err != nil {
			return nil, &LoginError{err}
		}
	}
	return id, nil
}

// person returns the provider's data about a user, from the token or the userinfo endpoint.
func (p *Provider) person(ctx context.Context, d *discovery, tokens *oauth2.Token, id *oidc.IDToken) (*Person, error) {
	says := map[string]any{}
	if err := id.Claims(&says); err != nil {
		return nil, &LoginError{err}
	}
	one := &Person{Issuer: p.o.Issuer, Subject: id.Subject, Role: auth.Contestant}
	if at, is := says["auth_time"].(float64); is {
		age := id.IssuedAt.Sub(time.Unix(int64(at), 0))
		one.Fresh = age <= FreshnessLimit && age >= -FreshnessLimit
	}
	_, hasGroups := says[p.o.Claim]
	if d.metadata.UserInfo != "" && (claimText(says, "name") == "" || p.o.Claim != "" && !hasGroups) {
		info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		if err != nil {
			return nil, fmt.Errorf("read the user data from the provider: %w", err)
		}
		if info.Subject != id.Subject {
			return nil, reject("the provider tells of another person than its token")
		}
		more := map[string]any{}
		if err := info.Claims(&more); err != nil {
			return nil, fmt.Errorf("read the user data from the provider: %w", err)
		}
		for name, value := range more {
			if _, is := says[name]; !is {
				says[name] = value
			}
		}
	}
	one.Name, one.Username = claimText(says, "name"), claimText(says, "preferred_username")
	for _, group := range claimValues(says[p.o.Claim]) {
		if role := p.o.Roles[group]; role != auth.Admin {
			one.Role = auth.Higher(one.Role, role)
		}
	}
	return one, nil
}

func claimText(claims map[string]any, name string) string {
	value, _ := claims[name].(string)
	return strings.TrimSpace(value)
}

// claimValues returns the values of a claim, which is a string or a list of strings.
func claimValues(claim any) (values []string) {
	switch claim := claim.(type) {
	case string:
		return []string{claim}
	case []any:
		for _, one := range claim {
			if group, is := one.(string); is {
				values = append(values, group)
			}
		}
	}
	return values
}
