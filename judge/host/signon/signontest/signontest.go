// Package signontest provides an OpenID Connect provider for tests, which can simulate all kinds of errors. It
// does not ask for passwords: each browser is logged in.
package signontest

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// The client that is registered at the provider.
const (
	Client = "assay"
	Secret = "secret of the client"
)

// A Provider is an OpenID Connect provider. Its fields may be set between two logins.
type Provider struct {
	*httptest.Server
	// Claims contains claims that replace claims of the same name in the ID token. A claim that is nil here is
	// omitted.
	Claims map[string]any
	// Info is the response of the userinfo endpoint. If nil, there is no such endpoint.
	Info map[string]any
	// Metadata contains additional properties of the provider's description.
	Metadata map[string]any
	// Sign creates the ID token. If nil, RS256 is used.
	Sign func(claims map[string]any) string
	// Keys are the published keys. If nil, they are the current key.
	Keys []any
	// Broken contains paths that respond with a server error.
	Broken map[string]bool
	// Refusal is the error code with which the token endpoint refuses every request. If empty, it refuses invalid ones.
	Refusal string
	// Public means that the client has no secret.
	Public bool
	// ReusableCodes makes a code valid more than once.
	ReusableCodes bool
	// Now is the clock.
	Now func() time.Time

	t        testing.TB
	mu       sync.Mutex
	key      *rsa.PrivateKey
	id       string // of the key
	codes    map[string]url.Values
	requests map[string]int // Now returns the current time.
}

// New starts a provider that stops at the end of the test.
func New(t testing.TB) *Provider {
	p := &Provider{t: t, Now: time.Now, Broken: map[string]bool{}, codes: map[string]url.Values{}, requests: map[string]int{}}
	p.Rotate("one")
	mux := http.NewServeMux()
	for path, handle := range map[string]http.HandlerFunc{
		"/.well-known/openid-configuration": p.describe, "/keys": p.keys, "/authorize": p.authorize, "/token": p.token, "/info": p.info,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.requests[path]++
			if p.Broken[path] {
				http.Error(w, "it is broken", http.StatusInternalServerError)
				return
			}
			handle(w, r)
		})
	}
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// Rotate gives the provider a new key, and withdraws the old one.
func (p *Provider) Rotate(id string) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		p.t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.key, p.id = key, id
}

// Requests returns the number of requests to a path.
func (p *Provider) Requests(path string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.requests[path]
}

// LogIn requests an address of the provider, as a browser does. It returns the query with which the browser is
// redirected back.
func (p *Provider) LogIn(address string) url.Values {
	p.t.Helper()
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Get(address)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	to, err := res.Location()
	if err != nil {
		p.t.Fatalf("%s answers %d: %v", address, res.StatusCode, err)
	}
	return to.Query()
}

func write(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(v)
}

func (p *Provider) describe(w http.ResponseWriter, _ *http.Request) {
	says := map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
	}
	if p.Info != nil {
		says["userinfo_endpoint"] = p.URL + "/info"
	}
	maps.Copy(says, p.Metadata)
	write(w, http.StatusOK, says)
}

func encode(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func (p *Provider) keys(w http.ResponseWriter, _ *http.Request) {
	keys := p.Keys
	if keys == nil {
		keys = []any{map[string]any{
			"kty": "RSA", "use": "sig", "alg": "RS256", "kid": p.id,
			"n": encode(p.key.N.Bytes()), "e": encode(big.NewInt(int64(p.key.E)).Bytes()),
		}}
	}
	write(w, http.StatusOK, map[string]any{"keys": keys})
}

func (p *Provider) authorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	to, err := url.Parse(query.Get("redirect_uri"))
	if err != nil || query.Get("client_id") != Client || query.Get("response_type") != "code" ||
		query.Get("code_challenge_method") != "S256" || query.Get("state") == "" {
		http.Error(w, "this is no login of the client", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.codes[code] = query
	to.RawQuery = url.Values{"code": {code}, "state": {query.Get("state")}, "iss": {p.URL}}.Encode()
	http.Redirect(w, r, to.String(), http.StatusFound)
}

func (p *Provider) token(w http.ResponseWriter, r *http.Request) {
	refuse := func(word string) { write(w, http.StatusBadRequest, map[string]string{"error": word}) }
	id, secret, basic := r.BasicAuth()
	if !basic {
		id, secret = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	} else if unescaped, err := url.QueryUnescape(secret); err == nil {
		secret = unescaped
	}
	want := Secret
	if p.Public {
		want = ""
	}
	// Without a list, a confidential client must use basic authentication.
	ways, listed := p.Metadata["token_endpoint_auth_methods_supported"].([]string)
	accepted := basic != p.Public
	if listed {
		accepted = slices.Contains(ways, map[bool]string{true: "client_secret_basic", false: "client_secret_post"}[basic])
	}
	switch {
	case p.Refusal != "":
		refuse(p.Refusal)
		return
	case id != Client || secret != want || !accepted:
		refuse("invalid_client")
		return
	}
	code := r.PostFormValue("code")
	request := p.codes[code]
	if !p.ReusableCodes {
		delete(p.codes, code)
	}
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if request == nil || request.Get("redirect_uri") != r.PostFormValue("redirect_uri") || encode(sum[:]) != request.Get("code_challenge") {
		refuse("invalid_grant")
		return
	}
	now := p.Now()
	claims := map[string]any{
		"iss": p.URL, "aud": Client, "sub": "subject-1", "nonce": request.Get("nonce"), "iat": now.Unix(),
		"exp":  now.Add(time.Minute).Unix(),
		"name": "Zoe Quinn", "preferred_username": "zoe@school.example", "email": "zoe@school.example",
	}
	if request.Get("max_age") == "0" {
		claims["auth_time"] = now.Unix()
	}
	for name, value := range p.Claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	sign := p.Sign
	if sign == nil {
		sign = p.RS256
	}
	write(w, http.StatusOK, map[string]any{"access_token": "access", "token_type": "Bearer", "expires_in": 60, "id_token": sign(claims)})
}

// RS256 signs claims with the current key.
func (p *Provider) RS256(claims map[string]any) string { return p.Signer()(claims) }

// Signer returns a function that signs claims with the current key, even after the key is withdrawn.
func (p *Provider) Signer() func(claims map[string]any) string {
	key, id := p.key, p.id
	return func(claims map[string]any) string {
		text := Unsigned(map[string]any{"alg": "RS256", "kid": id}, claims)
		sum := sha256.Sum256([]byte(text))
		sig, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
		if err != nil {
			p.t.Error(err)
		}
		return text + "." + encode(sig)
	}
}

// Key returns the public key as bytes, for attacks that use it as a shared secret.
func (p *Provider) Key() []byte { return p.key.N.Bytes() }

// Unsigned returns a token without a signature.
func Unsigned(head, claims map[string]any) string {
	h, err1 := json.Marshal(head)
	c, err2 := json.Marshal(claims)
	if err1 != nil || err2 != nil {
		return ""
	}
	return encode(h) + "." + encode(c)
}

func (p *Provider) info(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer access" {
		http.Error(w, "no token", http.StatusUnauthorized)
		return
	}
	write(w, http.StatusOK, p.Info)
}
