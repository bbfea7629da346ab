package auth

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"
)

func TestTokens(t *testing.T) {
	a, hash := NewToken()
	b, _ := NewToken()
	if a == b || !strings.HasPrefix(a, "assay_") || len(a) < 50 || Hash(a) != hash || strings.Contains(hash, a) {
		t.Errorf("tokens %q and %q, hash %q", a, b, hash)
	}
	if got := Bearer("Bearer " + a); got != a {
		t.Errorf("got %q", got)
	}
	for _, bad := range []string{"", a, "Basic " + a} {
		if got := Bearer(bad); got != "" {
			t.Errorf("%q gives the token %q", bad, got)
		}
	}
}

// newKey creates a worker key.
func newKey(t *testing.T) (seed []byte, public string) {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err1 := pair.Seed()
	public, err2 := pair.PublicKey()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return seed, public
}

func TestWorkersSign(t *testing.T) {
	seed, public := newKey(t)
	if !IsPublicKey(public) || IsPublicKey(string(seed)) {
		t.Error("the halves of a key are not told apart")
	}
	now := time.Unix(1_000_000, 0)
	good, err := Sign(seed, now, "GET", "/blob/x")
	if err != nil {
		t.Fatal(err)
	}
	if !IsWorker(good) || IsWorker("Bearer x") {
		t.Error("a worker's request is not known as one")
	}
	if got, err := Verify(good, now.Add(4*time.Minute), "GET", "/blob/x"); err != nil || got != public {
		t.Errorf("got %q, %v", got, err)
	}
	other, _ := newKey(t)
	theirs, _ := Sign(other, now, "GET", "/blob/x")
	parts := strings.Split(good, " ")
	forged := strings.Join([]string{parts[0], parts[1], parts[2], strings.Split(theirs, " ")[3]}, " ")
	for name, tt := range map[string]struct {
		header, method, path string
		at                   time.Time
		want                 error
	}{
		"another method":        {good, "PUT", "/blob/x", now, errSignature},
		"another path":          {good, "GET", "/blob/y", now, errSignature},
		"another's signature":   {forged, "GET", "/blob/x", now, errSignature},
		"another time in it":    {strings.Replace(good, "1000000", "1000100", 1), "GET", "/blob/x", now, errSignature},
		"too late":              {good, "GET", "/blob/x", now.Add(6 * time.Minute), ErrClock},
		"too early":             {good, "GET", "/blob/x", now.Add(-6 * time.Minute), ErrClock},
		"nothing":               {"", "GET", "/blob/x", now, errSignature},
		"a token":               {"Bearer x", "GET", "/blob/x", now, errSignature},
		"cut":                   {good[:len(good)-5], "GET", "/blob/x", now, errSignature},
		"a key that is not one": {"Worker ABC 1000000 AAAA", "GET", "/blob/x", now, errSignature},
	} {
		if _, err := Verify(tt.header, tt.at, tt.method, tt.path); !errors.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
	if _, err := Sign([]byte("nonsense"), now, "GET", "/"); err == nil {
		t.Error("nonsense signs")
	}
}
