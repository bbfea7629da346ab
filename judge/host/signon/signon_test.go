package signon_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/signon"
	"assay/judge/host/signon/signontest"
)

// A login is a provider with a client and a shared clock.
type login struct {
	*testing.T
	at     *signontest.Provider
	client *signon.Provider
	now    time.Time
}

func newLogin(t *testing.T, change ...func(*signon.Options)) *login {
	l := &login{T: t, at: signontest.New(t), now: time.Now()}
	clock := func() time.Time { return l.now }
	l.at.Now = clock
	o := signon.Options{
		Issuer: l.at.URL, Client: signontest.Client, Secret: signontest.Secret,
		Callback: "https://judge.example/login/sso/callback", Scopes: []string{"profile"}, Now: clock,
		Claim: "groups", Roles: map[string]auth.Role{"teachers": auth.Judge, "helpers": auth.BalloonRunner, "rulers": auth.Admin},
	}
	for _, c := range change {
		c(&o)
	}
	l.client = signon.New(o)
	return l
}

// try logs in. The function change may modify the query with which the browser returns.
func (l *login) try(change func(url.Values)) (*signon.Person, error) {
	l.Helper()
	to, err := l.client.AuthURL(l.Context(), "secret", false)
	if err != nil {
		return nil, err
	}
	back := l.at.LogIn(to)
	if change != nil {
		change(back)
	}
	return l.client.CompleteLogin(l.Context(), "secret", back)
}

func set(name, value string) func(url.Values) {
	return func(q url.Values) { q.Set(name, value) }
}

// TestRejected checks that a login with a single error is rejected, and that the error message describes it.
func TestRejected(t *testing.T) {
	for name, one := range map[string]struct {
		says   map[string]any
		info   map[string]any
		meta   map[string]any
		sign   func(p *signontest.Provider, claims map[string]any) string
		back   func(url.Values)
		reason string
	}{
		"another nonce":        {says: map[string]any{"nonce": "another"}, reason: "another login"},
		"no nonce":             {says: map[string]any{"nonce": nil}, reason: "another login"},
		"another audience":     {says: map[string]any{"aud": "another"}, reason: "audience"},
		"no audience":          {says: map[string]any{"aud": nil}, reason: "audience"},
		"made for another":     {says: map[string]any{"azp": "another"}, reason: "another client"},
		"audiences of two":     {says: map[string]any{"aud": []string{signontest.Client, "another"}}, reason: "another client"},
		"expired":              {says: map[string]any{"exp": time.Now().Add(-4 * time.Minute).Unix()}, reason: "by NTP"},
		"never expires":        {says: map[string]any{"exp": nil}, reason: "is not valid at"},
		"of the future":        {says: map[string]any{"nbf": time.Now().Add(time.Hour).Unix()}, reason: "by NTP"},
		"another issuer":       {says: map[string]any{"iss": "https://evil.example"}, reason: "different provider"},
		"no subject":           {says: map[string]any{"sub": nil}, reason: "no person"},
		"an invisible subject": {says: map[string]any{"sub": "a\x00b"}, reason: "no person"},
		"a long subject":       {says: map[string]any{"sub": strings.Repeat("a", 256)}, reason: "no person"},
		"another access token": {says: map[string]any{"at_hash": "AAAAAAAAAAAAAAAAAAAAAA"}, reason: "access token"},
		"told of another":      {info: map[string]any{"sub": "subject-2", "groups": "teachers"}, reason: "another person"},
		"answer of another":    {back: set("iss", "https://evil.example"), reason: "another provider"},
		"answer without issuer": {back: func(q url.Values) { q.Del("iss") },
			meta: map[string]any{"authorization_response_iss_parameter_supported": true}, reason: "another provider"},
		"another state":   {back: set("state", "another"), reason: "has not begun"},
		"no state":        {back: func(q url.Values) { q.Del("state") }, reason: "has not begun"},
		"no code":         {back: func(q url.Values) { q.Del("code") }, reason: "no code"},
		"an unknown code": {back: set("code", "another"), reason: "not valid"},
		"no signature": {sign: func(_ *signontest.Provider, c map[string]any) string {
			return signontest.Unsigned(map[string]any{"alg": "none"}, c) + "."
		}, reason: ""},
		"no token": {sign: func(*signontest.Provider, map[string]any) string { return "" }, reason: "no ID token"},
		"another key": {sign: func(p *signontest.Provider,
			c map[string]any) string {
			return signontest.New(t).RS256(c)
		}, reason: "signature"},
		"the key as a secret": {sign: hs256, reason: ""},
		"another algorithm": {meta: map[string]any{"id_token_signing_alg_values_supported": []string{"ES256"}},
			reason: "unexpected signature algorithm"},
		"claims changed after it": {sign: forged, reason: "signature"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLogin(t)
			l.at.Claims, l.at.Info, l.at.Metadata = one.says, one.info, one.meta
			if one.sign != nil {
				l.at.Sign = func(claims map[string]any) string { return one.sign(l.at, claims) }
			}
			p, err := l.try(one.back)
			if rejected, is := errors.AsType[*signon.LoginError](err); !is || !strings.Contains(rejected.Error(), one.reason) {
				t.Errorf("%+v, %v, want an error with %q", p, err, one.reason)
			}
		})
	}
}

// hs256 signs claims with the public key, as if it were a shared secret.
func hs256(p *signontest.Provider, claims map[string]any) string {
	text := signontest.Unsigned(map[string]any{"alg": "HS256", "kid": "one"}, claims)
	mac := hmac.New(sha256.New, p.Key())
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// forged returns a token with a changed subject and the signature of the unchanged token.
func forged(p *signontest.Provider, claims map[string]any) string {
	parts := strings.Split(p.RS256(claims), ".")
	claims["sub"] = "the administrator"
	other := strings.Split(p.RS256(claims), ".")
	return parts[0] + "." + other[1] + "." + parts[2]
}

// TestCodesCountOnce checks that a code is rejected the second time, and if another browser sends it.
func TestCodesCountOnce(t *testing.T) {
	l := newLogin(t)
	to, err := l.client.AuthURL(t.Context(), "secret", false)
	if err != nil {
		t.Fatal(err)
	}
	back := l.at.LogIn(to)
	if p, err := l.client.CompleteLogin(t.Context(), "secret", back); err != nil || p.Subject != "subject-1" {
		t.Fatalf("%+v, %v", p, err)
	}
	if _, err := l.client.CompleteLogin(t.Context(), "secret", back); !is[*signon.LoginError](err) {
		t.Errorf("the same code again: %v", err)
	}
	for _, secret := range []string{"another", ""} {
		if _, err := l.client.CompleteLogin(t.Context(), secret, l.at.LogIn(to)); !is[*signon.LoginError](err) {
			t.Errorf("a browser with the secret %q: %v", secret, err)
		}
	}
	// A code from another login does not belong to the state of this login. It fails because the verifier does not
	// match.
	other, err := l.client.AuthURL(t.Context(), "other", false)
	if err != nil {
		t.Fatal(err)
	}
	back.Set("code", l.at.LogIn(other).Get("code"))
	if _, err := l.client.CompleteLogin(t.Context(), "secret", back); !is[*signon.LoginError](err) {
		t.Errorf("a code of another login: %v", err)
	}
}

func is[E error](err error) bool {
	_, is := errors.AsType[E](err)
	return is
}

// TestPersons checks the user's data from the provider, and the role that results from the groups.
func TestPersons(t *testing.T) {
	for name, one := range map[string]struct {
		says, info map[string]any
		want       signon.Person
	}{
		"usual": {nil, nil, signon.Person{Subject: "subject-1", Name: "Zoe Quinn",
			Username: "zoe@school.example", Role: auth.Contestant}},
		"a group": {map[string]any{"groups": "teachers"}, nil, signon.Person{Subject: "subject-1",
			Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Judge}},
		"the highest of groups": {map[string]any{"groups": []any{"helpers", "teachers", "helpers", 7, "others"}}, nil,
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Judge}},
		"never an administrator": {map[string]any{"groups": []string{"rulers", "helpers"}}, nil,
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.BalloonRunner}},
		"told elsewhere": {map[string]any{"name": nil, "preferred_username": nil},
			map[string]any{"sub": "subject-1", "name": "Zoe", "groups": "teachers",
				"auth_time": time.Now().Unix()}, signon.Person{Subject: "subject-1", Name: "Zoe", Role: auth.Judge}},
		"what the token says is true": {map[string]any{"groups": []any{}}, map[string]any{"sub": "subject-1",
			"groups": "teachers"},
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Contestant}},
		"and the rest is told elsewhere": {map[string]any{"groups": []any{}, "name": nil, "preferred_username": "zoe"},
			map[string]any{"sub": "subject-1", "name": "Zoe", "preferred_username": "root", "groups": "teachers"},
			signon.Person{Subject: "subject-1", Name: "Zoe", Username: "zoe", Role: auth.Contestant}},
		"a name with blanks, and a long subject": {map[string]any{"name": " Zoe \n", "sub": strings.Repeat("a", 255)}, nil,
			signon.Person{Subject: strings.Repeat("a", 255), Name: "Zoe", Username: "zoe@school.example", Role: auth.Contestant}},
		"all is in the token": {map[string]any{"groups": "teachers"}, map[string]any{"sub": "not asked"},
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Judge}},
		"logged in after the token by another clock": {map[string]any{"auth_time": time.Now().Add(time.Minute).Unix()}, nil,
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Contestant, Fresh: true}},
		"logged in just now": {map[string]any{"auth_time": time.Now().Add(-time.Minute).Unix()}, nil,
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Contestant, Fresh: true}},
		"logged in a little too long ago": {map[string]any{"auth_time": time.Now().Add(-signon.FreshnessLimit - 2*time.Second).Unix()}, nil,
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Contestant}},
		"logged in, and no time of the token": {map[string]any{"auth_time": time.Now().Unix(), "iat": nil}, nil,
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Contestant}},
		"logged in long ago": {map[string]any{"auth_time": time.Now().Add(-time.Hour).Unix()}, nil,
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Contestant}},
		"logs in tomorrow": {map[string]any{"auth_time": time.Now().Add(time.Hour).Unix()}, nil,
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Contestant}},
		"two audiences": {map[string]any{"aud": []string{"another", signontest.Client},
			"azp": signontest.Client}, nil,
			signon.Person{Subject: "subject-1", Name: "Zoe Quinn", Username: "zoe@school.example", Role: auth.Contestant}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLogin(t)
			l.at.Claims, l.at.Info = one.says, one.info
			one.want.Issuer = l.at.URL
			if p, err := l.try(nil); err != nil || *p != one.want {
				t.Errorf("%+v, %v, want %+v", p, err, one.want)
			}
		})
	}
}

// TestFresh checks how long before or after the token a login at the provider may be to count as fresh. The clock is that of
// the machine, which is the default.
func TestFresh(t *testing.T) {
	l := newLogin(t, func(o *signon.Options) { o.Now = nil })
	for age, want := range map[time.Duration]bool{
		-signon.FreshnessLimit - time.Second: false, -signon.FreshnessLimit: true, 0: true, signon.FreshnessLimit: true,
		signon.FreshnessLimit + time.Second: false,
	} {
		made := time.Now()
		l.at.Claims = map[string]any{"iat": made.Unix(), "auth_time": made.Add(-age).Unix()}
		if p, err := l.try(nil); err != nil || p.Fresh != want {
			t.Errorf("a login %v before the token: %+v, %v, want fresh: %v", age, p, err, want)
		}
	}
}

// TestNoGroups checks that the userinfo endpoint is not asked for groups if no claim has them.
func TestNoGroups(t *testing.T) {
	l := newLogin(t, func(o *signon.Options) { o.Claim = "" })
	l.at.Info = map[string]any{"sub": "not asked"}
	if p, err := l.try(nil); err != nil || p.Name != "Zoe Quinn" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestABrowserWithoutASecret checks that a login with an empty secret is rejected, even with the state that
// belongs to an empty secret.
func TestABrowserWithoutASecret(t *testing.T) {
	l := newLogin(t)
	to, err := l.client.AuthURL(t.Context(), "", false)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := l.client.CompleteLogin(t.Context(), "", l.at.LogIn(to)); !is[*signon.LoginError](err) ||
		!strings.Contains(err.Error(), "has not begun") {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestConfirming checks that AuthURL asks the provider to make the user log in again if its argument again is true.
func TestConfirming(t *testing.T) {
	l := newLogin(t)
	to, err := l.client.AuthURL(t.Context(), "secret", true)
	if err != nil {
		t.Fatal(err)
	}
	if q := to; !strings.Contains(q, "prompt=login") || !strings.Contains(q, "max_age=0") || !strings.Contains(q, "scope=openid+profile") {
		t.Errorf("the browser goes to %s", to)
	}
	if p, err := l.client.CompleteLogin(t.Context(), "secret", l.at.LogIn(to)); err != nil || !p.Fresh {
		t.Errorf("%+v, %v", p, err)
	}
	l = newLogin(t, func(o *signon.Options) { o.Scopes = []string{"profile", "openid"} })
	if to, err := l.client.AuthURL(t.Context(), "secret", false); err != nil || !strings.Contains(to, "scope=profile+openid&") {
		t.Errorf("the browser goes to %s, %v", to, err)
	}
	if got := l.client.Host(); "http://"+got != l.at.URL {
		t.Errorf("the provider's host is %q", got)
	}
}

// TestARequestThatEnds checks that the description, and the keys that are fetched later, do not depend on the request
// that was the first to need them.
func TestARequestThatEnds(t *testing.T) {
	l := newLogin(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.client.AuthURL(ctx, "secret", false); err != nil {
		t.Error(err)
	}
	if _, err := l.try(nil); err != nil {
		t.Error(err)
	}
}

// TestClocks checks that people can log in, and confirm that by a new login, if the provider's clock is wrong by 2
// minutes. If it is wrong by 5 minutes, the error says so. A token of this provider is valid for a minute.
func TestClocks(t *testing.T) {
	for ahead, want := range map[time.Duration]string{
		-5 * time.Minute: "is not valid at", -3 * time.Minute: "", 2 * time.Minute: "", 5 * time.Minute: "is not valid at",
	} {
		l := newLogin(t)
		l.at.Now = func() time.Time { return l.now.Add(ahead) }
		l.at.Claims = map[string]any{"nbf": l.at.Now().Unix()}
		to, err := l.client.AuthURL(t.Context(), "secret", true)
		if err != nil {
			t.Fatal(err)
		}
		p, err := l.client.CompleteLogin(t.Context(), "secret", l.at.LogIn(to))
		switch {
		case want == "" && (err != nil || !p.Fresh):
			t.Errorf("%v ahead: %+v, %v", ahead, p, err)
		case want != "" && (!is[*signon.LoginError](err) || !strings.Contains(err.Error(), want)):
			t.Errorf("%v ahead: %+v, %v", ahead, p, err)
		}
	}
}

// TestFailures checks that provider failures are not reported as the user's errors.
func TestFailures(t *testing.T) {
	for _, path := range []string{"/.well-known/openid-configuration", "/token", "/keys", "/info"} {
		l := newLogin(t)
		l.at.Info = map[string]any{"sub": "subject-1"}
		l.at.Broken[path] = true
		if p, err := l.try(nil); err == nil || is[*signon.LoginError](err) || errors.Is(err, signon.ErrCanceled) {
			t.Errorf("%s is broken: %+v, %v", path, p, err)
		}
	}
	l := newLogin(t, func(o *signon.Options) { o.Secret = "another" })
	if _, err := l.try(nil); err == nil || is[*signon.LoginError](err) || !strings.Contains(err.Error(), "check client and secret_file") {
		t.Errorf("with another secret of the client: %v", err)
	}
	l = newLogin(t)
	for _, word := range []string{"invalid_client", "unauthorized_client"} {
		l.at.Refusal = word
		if _, err := l.try(nil); err == nil || is[*signon.LoginError](err) || !strings.Contains(err.Error(), "check client and secret_file") {
			t.Errorf("%s: %v", word, err)
		}
	}
	l.at.Refusal = "invalid_request"
	if _, err := l.try(nil); err == nil || is[*signon.LoginError](err) || !strings.Contains(err.Error(), "exchange the code of a login") {
		t.Errorf("another refusal: %v", err)
	}
	l = newLogin(t, func(o *signon.Options) { o.Issuer += "/" })
	if _, err := l.try(nil); err == nil || is[*signon.LoginError](err) ||
		!strings.Contains(err.Error(), `calls itself "`+l.at.URL+`": set issuer`) {
		t.Errorf("with another name of the issuer: %v", err)
	}
	l = newLogin(t)
	if _, err := l.try(set("error", "access_denied")); !errors.Is(err, signon.ErrCanceled) {
		t.Errorf("the person does not want to: %v", err)
	}
}

// TestClientAuthentication checks that the client sends its secret in the way that the provider requires, already
// in the first request.
func TestClientAuthentication(t *testing.T) {
	for _, ways := range [][]string{nil, {"client_secret_basic", "client_secret_post"}, {"client_secret_basic"}, {"client_secret_post"}} {
		l := newLogin(t)
		if ways != nil {
			l.at.Metadata = map[string]any{"token_endpoint_auth_methods_supported": ways}
		}
		if _, err := l.try(nil); err != nil || l.at.Requests("/token") != 1 {
			t.Errorf("%v: %v after %d tries", ways, err, l.at.Requests("/token"))
		}
	}
	l := newLogin(t, func(o *signon.Options) { o.Secret = "" })
	l.at.Public = true
	if _, err := l.try(nil); err != nil || l.at.Requests("/token") != 1 {
		t.Errorf("a public client: %v after %d tries", err, l.at.Requests("/token"))
	}
}

// TestDiscovery checks that the provider's description is requested once per hour. Its keys are also requested
// when a token names an unknown key.
func TestDiscovery(t *testing.T) {
	const description = "/.well-known/openid-configuration"
	l := newLogin(t)
	works := func(what string, descriptions, keys int) {
		t.Helper()
		if _, err := l.try(nil); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if d, k := l.at.Requests(description), l.at.Requests("/keys"); d != descriptions || k != keys {
			t.Errorf("%s: %d descriptions and %d sets of keys, want %d and %d", what, d, k, descriptions, keys)
		}
	}
	works("at first", 1, 1)
	l.now = l.now.Add(59 * time.Minute)
	works("within an hour", 1, 1)
	l.at.Rotate("two")
	works("with a new key", 1, 2)
	l.now = l.now.Add(time.Minute)
	works("after an hour", 2, 3)
	l.at.Broken[description] = true
	l.now = l.now.Add(time.Hour)
	works("while the description is away", 3, 3)
	works("at once again", 3, 3)
	l.now = l.now.Add(5 * time.Second)
	works("after a pause", 4, 3)

	l = newLogin(t)
	l.at.Broken[description] = true
	fails := func(what string, descriptions int) {
		t.Helper()
		if _, err := l.try(nil); err == nil || l.at.Requests(description) != descriptions {
			t.Errorf("%s: %v after %d descriptions", what, err, l.at.Requests(description))
		}
	}
	fails("nothing is known", 1)
	fails("at once again", 1)
	l.at.Broken[description] = false
	fails("it is there, but that is not known", 1)
	l.now = l.now.Add(5 * time.Second)
	works("after a pause", 2, 1)
}

// TestWithdrawnKeys checks that withdrawn keys are rejected after an hour.
func TestWithdrawnKeys(t *testing.T) {
	l := newLogin(t)
	if _, err := l.try(nil); err != nil {
		t.Fatal(err)
	}
	l.at.Sign = l.at.Signer()
	l.at.Rotate("two")
	if _, err := l.try(nil); err != nil {
		t.Errorf("within the hour: %v", err)
	}
	l.now = l.now.Add(time.Hour)
	if _, err := l.try(nil); !is[*signon.LoginError](err) {
		t.Errorf("after an hour: %v", err)
	}
}
