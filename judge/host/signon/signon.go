// Package signon logs people in by an OpenID Connect provider. Begin returns the address at the provider to
// which a browser goes, and Finish checks with what it comes back: the authorization code flow with PKCE.
// The package does not know accounts and does not store anything: the browser keeps the secret of a login,
// and the caller remembers which logins have come back.
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
	Secret string // of the client. If empty, the client is a public one
	// Scopes are asked for. Openid is always among them.
	Scopes []string
	// Callback is the address of this server to which the provider sends the browser back.
	Callback string
	// Claim is the claim with the groups of a person, which Roles turns into roles. The role of a person is the
	// highest of them; Admin is never given.
	Claim string
	Roles map[string]auth.Role
	// Now is the clock. If nil, it is time.Now.
	Now func() time.Time
}

// A Provider is an OpenID Connect provider. It may be used by several goroutines at once.
type Provider struct {
	o    Options
	http *http.Client

	mu    sync.Mutex
	known *discovered // nil before the first login
	err   error       // of the last discovery, if it has failed
	tried time.Time
}

// discovered is what a provider says of itself.
type discovered struct {
	*oidc.Provider
	at       time.Time
	oauth    oauth2.Config
	verifier *oidc.IDTokenVerifier
	says     metadata
}

// metadata is the part of a provider's description that package oidc does not read.
type metadata struct {
	ClientAuth []string `json:"token_endpoint_auth_methods_supported"`
	SaysIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	UserInfo   string   `json:"userinfo_endpoint"`
	Keys       string   `json:"jwks_uri"`
	Algorithms []string `json:"id_token_signing_alg_values_supported"`
}

// algorithms are those of signatures with a public key: no other one may prove an identity.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// keySet notes in a context that the keys of the provider cannot be fetched. For package oidc that is a
// wrong signature like any other.
type keySet struct{ oidc.KeySet }

type fetchFailure struct{}

// VerifySignature returns what a token says, if it is signed by the provider.
func (k keySet) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	payload, err := k.KeySet.VerifySignature(ctx, token)
	if failed, is := ctx.Value(fetchFailure{}).(*error); is {
		*failed = errors.Unwrap(err) // nil for a wrong signature
	}
	return payload, err
}

// The times of discovery: how long its result is used, and the pause after a failure.
const (
	discoveryLives = time.Hour
	discoveryPause = 5 * time.Second
)

// answerWithin bounds a request to the provider.
const answerWithin = 10 * time.Second

// FreshFor is how old the login at the provider may be that confirms an account once more. Clocks may
// differ a little.
const FreshFor = 2 * time.Minute

// A Person is who has logged in at the provider.
type Person struct {
	Issuer   string
	Subject  string // the id of the person at the provider
	Name     string // it may be empty
	Username string // what the person prefers as username; it may be empty
	Role     auth.Role
	// Fresh reports whether the person has typed the password there, or the like, within FreshFor.
	Fresh bool
}

// Rejected is the error of a login that does not count: the person may try again. Err is the reason.
type Rejected struct{ Err error }

func (r *Rejected) Error() string { return r.Err.Error() }

// Unwrap returns why.
func (r *Rejected) Unwrap() error { return r.Err }

func reject(format string, args ...any) error { return &Rejected{fmt.Errorf(format, args...)} }

// ErrCanceled is the error of a login that the person or the provider has ended.
var ErrCanceled = errors.New("the login was ended at the provider")

// New returns a provider. It does not ask it for anything yet.
func New(o Options) *Provider {
	if o.Now == nil {
		o.Now = time.Now
	}
	if !slices.Contains(o.Scopes, oidc.ScopeOpenID) {
		o.Scopes = append([]string{oidc.ScopeOpenID}, o.Scopes...)
	}
	return &Provider{o: o, http: &http.Client{Timeout: answerWithin}}
}

// Host is the name of the provider's machine, by which people recognize it.
func (p *Provider) Host() string {
	u, err := url.Parse(p.o.Issuer)
	if err != nil {
		return p.o.Issuer
	}
	return u.Host
}

// discover returns what the provider says of itself: at most an hour old, unless it does not answer. Keys are
// forgotten with it, also those that the provider has withdrawn; new ones are fetched when a token names them.
func (p *Provider) discover(ctx context.Context) (*discovered, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Now()
	if p.known != nil && now.Sub(p.known.at) < discoveryLives {
		return p.known, nil
	}
	if p.err == nil || now.Sub(p.tried) >= discoveryPause {
		var found *discovered
		p.tried = now
		if found, p.err = p.ask(context.WithoutCancel(ctx)); p.err == nil {
			p.known = found
		}
	}
	if p.known != nil {
		return p.known, nil
	}
	return nil, fmt.Errorf("ask the provider %s what it is: %w", p.o.Issuer, p.err)
}

func (p *Provider) ask(ctx context.Context) (*discovered, error) {
	ctx = oidc.ClientContext(ctx, p.http)
	provider, err := oidc.NewProvider(ctx, p.o.Issuer)
	if err != nil {
		return nil, err
	}
	d := &discovered{Provider: provider, at: p.o.Now()}
	if err := provider.Claims(&d.says); err != nil {
		return nil, err
	}
	checks := &oidc.Config{ClientID: p.o.Client, Now: p.o.Now}
	for _, name := range algorithms {
		if slices.Contains(d.says.Algorithms, name) {
			checks.SupportedSigningAlgs = append(checks.SupportedSigningAlgs, name)
		}
	}
	d.verifier = oidc.NewVerifier(p.o.Issuer, keySet{oidc.NewRemoteKeySet(ctx, d.says.Keys)}, checks)
	d.oauth = oauth2.Config{ClientID: p.o.Client, ClientSecret: p.o.Secret, Endpoint: provider.Endpoint(),
		RedirectURL: p.o.Callback, Scopes: p.o.Scopes}
	// Chosen and not tried out: a provider may take a code only once, also from a client that it does not know.
	d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInHeader
	if ways := d.says.ClientAuth; p.o.Secret == "" || len(ways) > 0 && !slices.Contains(ways, "client_secret_basic") {
		d.oauth.Endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return d, nil
}

// derive makes one of the values of a login from its secret: none says anything of another one.
func derive(secret, what string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(what))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// Begin returns the address to which a browser goes to log in. The secret is random, of this login, and known
// to the browser alone. If again is true, the person is to log in there even if that has just happened.
func (p *Provider) Begin(ctx context.Context, secret string, again bool) (string, error) {
	d, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	with := []oauth2.AuthCodeOption{oidc.Nonce(derive(secret, "nonce")), oauth2.S256ChallengeOption(derive(secret, "verifier"))}
	if again {
		with = append(with, oauth2.SetAuthURLParam("prompt", "login"), oauth2.SetAuthURLParam("max_age", "0"))
	}
	return d.oauth.AuthCodeURL(derive(secret, "state"), with...), nil
}

// Finish returns who has logged in, by the query with which a browser comes back from the provider and the
// secret that it has kept. It returns a *Rejected if the login does not count, ErrCanceled if the provider
// says so, and another error if the provider cannot be asked.
func (p *Provider) Finish(ctx context.Context, secret string, back url.Values) (*Person, error) {
	if secret == "" || !same(back.Get("state"), derive(secret, "state")) {
		return nil, reject("this browser has not begun this login")
	}
	d, err := p.discover(ctx)
	if err != nil {
		return nil, err
	}
	if from := back.Get("iss"); from != p.o.Issuer && (from != "" || d.says.SaysIssuer) {
		return nil, reject("the answer is of another provider: %.200q", from)
	}
	if word := back.Get("error"); word != "" {
		return nil, fmt.Errorf("%w: %.100q %.300q", ErrCanceled, word, back.Get("error_description"))
	}
	if back.Get("code") == "" {
		return nil, reject("the provider sent no code")
	}
	ctx = oidc.ClientContext(ctx, p.http)
	tokens, err := d.oauth.Exchange(ctx, back.Get("code"), oauth2.VerifierOption(derive(secret, "verifier")))
	if refused, is := errors.AsType[*oauth2.RetrieveError](err); is && refused.ErrorCode == "invalid_grant" {
		return nil, reject("the code is not valid, or was used before")
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

// verify checks the token that says who has logged in.
func (p *Provider) verify(ctx context.Context, d *discovered, tokens *oauth2.Token, nonce string) (*oidc.IDToken, error) {
	text, _ := tokens.Extra("id_token").(string)
	if text == "" {
		return nil, reject("the provider sent no ID token")
	}
	var failed error
	id, err := d.verifier.Verify(context.WithValue(ctx, fetchFailure{}, &failed), text)
	if failed != nil {
		return nil, fmt.Errorf("fetch the keys of the provider: %w", failed)
	}
	if err != nil {
		return nil, &Rejected{err}
	}
	var of struct {
		Party string `json:"azp"`
	}
	switch err := id.Claims(&of); {
	case err != nil:
		return nil, &Rejected{err}
	case !same(id.Nonce, nonce):
		return nil, reject("the token is of another login: its nonce differs")
	case len(id.Audience) > 1 && of.Party == "", of.Party != "" && of.Party != p.o.Client:
		return nil, reject("the token was made for another client: %.200q", of.Party)
	case id.Subject == "" || len(id.Subject) > 255 || !auth.Legible(id.Subject):
		return nil, reject("the token names no person")
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(tokens.AccessToken); err != nil {
			return nil, &Rejected{err}
		}
	}
	return id, nil
}

// person reads what the provider says of a person: in the token, or where it is asked.
func (p *Provider) person(ctx context.Context, d *discovered, tokens *oauth2.Token, id *oidc.IDToken) (*Person, error) {
	says := map[string]any{}
	if err := id.Claims(&says); err != nil {
		return nil, &Rejected{err}
	}
	one := &Person{Issuer: p.o.Issuer, Subject: id.Subject, Role: auth.Contestant}
	if at, is := says["auth_time"].(float64); is {
		age := p.o.Now().Sub(time.Unix(int64(at), 0))
		one.Fresh = age <= FreshFor && age >= -FreshFor
	}
	_, hasGroups := says[p.o.Claim]
	if d.says.UserInfo != "" && (text(says, "name") == "" || p.o.Claim != "" && !hasGroups) {
		info, err := d.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
		if err != nil {
			return nil, fmt.Errorf("ask the provider for a person: %w", err)
		}
		if info.Subject != id.Subject {
			return nil, reject("the provider tells of another person than its token")
		}
		more := map[string]any{}
		if err := info.Claims(&more); err != nil {
			return nil, fmt.Errorf("ask the provider for a person: %w", err)
		}
		for name, value := range more {
			if _, is := says[name]; !is {
				says[name] = value
			}
		}
	}
	one.Name, one.Username = text(says, "name"), text(says, "preferred_username")
	for _, group := range groups(says[p.o.Claim]) {
		if role := p.o.Roles[group]; role != auth.Admin {
			one.Role = auth.Higher(one.Role, role)
		}
	}
	return one, nil
}

func text(says map[string]any, name string) string {
	value, _ := says[name].(string)
	return strings.TrimSpace(value)
}

// groups are the values of a claim: a text, or a list of them.
func groups(claim any) (all []string) {
	switch claim := claim.(type) {
	case string:
		return []string{claim}
	case []any:
		for _, one := range claim {
			if group, is := one.(string); is {
				all = append(all, group)
			}
		}
	}
	return all
}
