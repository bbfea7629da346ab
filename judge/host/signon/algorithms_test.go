package signon_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"math/big"
	"testing"

	"assay/judge/host/signon/signontest"
)

// TestAlgorithms checks that a provider may sign with each algorithm that uses public keys.
func TestAlgorithms(t *testing.T) {
	encode := base64.RawURLEncoding.EncodeToString
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	must(err)
	rsaJWK := map[string]any{"kty": "RSA", "n": encode(rsaKey.N.Bytes()), "e": encode(big.NewInt(int64(rsaKey.E)).Bytes())}
	public, edKey, err := ed25519.GenerateKey(rand.Reader)
	must(err)
	sum := func(hash crypto.Hash, text string) []byte {
		h := hash.New()
		h.Write([]byte(text))
		return h.Sum(nil)
	}
	hashes := map[string]crypto.Hash{"256": crypto.SHA256, "384": crypto.SHA384, "512": crypto.SHA512}
	curves := map[string]elliptic.Curve{"256": elliptic.P256(), "384": elliptic.P384(), "512": elliptic.P521()}
	for _, name := range []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"} {
		var jwk map[string]any
		var sign func(text string) ([]byte, error)
		switch kind, size := name[:2], name[2:]; kind {
		case "RS":
			jwk, sign = rsaJWK, func(text string) ([]byte, error) {
				return rsa.SignPKCS1v15(rand.Reader, rsaKey, hashes[size], sum(hashes[size], text))
			}
		case "PS":
			jwk, sign = rsaJWK, func(text string) ([]byte, error) {
				return rsa.SignPSS(rand.Reader, rsaKey, hashes[size], sum(hashes[size], text), &rsa.PSSOptions{SaltLength: rsa.PSSSaltLengthEqualsHash})
			}
		case "ES":
			key, err := ecdsa.GenerateKey(curves[size], rand.Reader)
			must(err)
			point, err := key.PublicKey.Bytes() // 4, x, y
			must(err)
			half := len(point) / 2
			jwk = map[string]any{"kty": "EC", "crv": key.Params().Name, "x": encode(point[1 : 1+half]), "y": encode(point[1+half:])}
			sign = func(text string) ([]byte, error) {
				r, s, err := ecdsa.Sign(rand.Reader, key, sum(hashes[size], text))
				if err != nil {
					return nil, err
				}
				return append(r.FillBytes(make([]byte, half)), s.FillBytes(make([]byte, half))...), nil
			}
		default:
			jwk = map[string]any{"kty": "OKP", "crv": "Ed25519", "x": encode(public)}
			sign = func(text string) ([]byte, error) { return ed25519.Sign(edKey, []byte(text)), nil }
		}
		l := newLogin(t)
		l.at.Keys = []any{jwk}
		l.at.Metadata = map[string]any{"id_token_signing_alg_values_supported": []string{name}}
		l.at.Sign = func(claims map[string]any) string {
			text := signontest.Unsigned(map[string]any{"alg": name}, claims)
			signature, err := sign(text)
			must(err)
			return text + "." + encode(signature)
		}
		if p, err := l.try(nil); err != nil || p.Subject != "subject-1" {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}
