// Package auth creates and checks credentials: passwords, sessions and tokens of accounts, join codes of workers,
// and signatures of workers. Can decides from a single table which role may do what. The package does not store
// anything: package store keeps hashes and public keys.
package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nkeys"
)

// tokenPrefix begins every token, so that scanners recognize a published one.
const tokenPrefix = "assay_"

// NewToken returns a token of 256 random bits, and the hash to store.
func NewToken() (text, hash string) {
	text = tokenPrefix + strings.ToLower(rand.Text()+rand.Text())
	return text, Hash(text)
}

// NewCode returns a worker's join code, and the hash to store.
func NewCode() (text, hash string) {
	text = strings.ToLower(rand.Text())
	return text, Hash(text)
}

// Hash returns the hash of a token or code to store. A fast hash is enough, because tokens and codes are long and
// random.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// IsPublicKey reports whether a text is the public half of a worker's key.
func IsPublicKey(text string) bool { return nkeys.IsValidPublicUserKey(text) }

// workerScheme begins the Authorization header of a worker's request.
const workerScheme = "Worker "

// maxSkew is the accepted difference between a worker's clock and the server's.
const maxSkew = 5 * time.Minute

// Sign returns the Authorization header of a worker's request. It contains the public key, the time in seconds,
// and a signature over both, the method and the path.
func Sign(seed []byte, now time.Time, method, path string) (string, error) {
	pair, err := nkeys.FromSeed(seed)
	if err != nil {
		return "", fmt.Errorf("read a key: %w", err)
	}
	defer pair.Wipe()
	public, err := pair.PublicKey()
	if err != nil {
		return "", err
	}
	at := strconv.FormatInt(now.Unix(), 10)
	sig, err := pair.Sign(signedText(public, at, method, path))
	if err != nil {
		return "", fmt.Errorf("sign a request: %w", err)
	}
	return workerScheme + public + " " + at + " " + base64.RawURLEncoding.EncodeToString(sig), nil
}

func signedText(public, timestamp, method, path string) []byte {
	return []byte(strings.Join([]string{"assay worker request", public, timestamp, method, path}, "\n"))
}

// ErrClock means that the time in a signature is too far from the server's time.
var ErrClock = errors.New("the clocks of the worker and of the server are more than five minutes apart: set them by NTP")

// errSignature does not say what is wrong, because the sender may be an attacker.
var errSignature = errors.New("the request is not signed by the key of a worker")

// Verify returns the public key that signed a request. The caller must check which worker has the key, and whether
// that worker is admitted.
func Verify(authorization string, now time.Time, method, path string) (public string, err error) {
	rest, ok := strings.CutPrefix(authorization, workerScheme)
	parts := strings.Split(rest, " ")
	if !ok || len(parts) != 3 {
		return "", errSignature
	}
	at, err := strconv.ParseInt(parts[1], 10, 64)
	if err != nil {
		return "", errSignature
	}
	sig, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || !IsPublicKey(parts[0]) {
		return "", errSignature
	}
	key, err := nkeys.FromPublicKey(parts[0])
	if err != nil || key.Verify(signedText(parts[0], parts[1], method, path), sig) != nil {
		return "", errSignature
	}
	if d := now.Sub(time.Unix(at, 0)); d > maxSkew || d < -maxSkew {
		return "", ErrClock
	}
	return parts[0], nil
}

// IsWorker reports whether an Authorization header was made by Sign.
func IsWorker(authorization string) bool { return strings.HasPrefix(authorization, workerScheme) }

// Bearer returns the bearer token of an Authorization header. It returns an empty string if there is none.
func Bearer(authorization string) string {
	text, ok := strings.CutPrefix(authorization, "Bearer ")
	if !ok {
		return ""
	}
	return strings.TrimSpace(text)
}
