package blob

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Digest identifies bytes by their SHA-256, as 64 lowercase hexadecimal digits.
type Digest string

// DigestOf returns the digest of data.
func DigestOf(data []byte) Digest {
	sum := sha256.Sum256(data)
	return Digest(hex.EncodeToString(sum[:]))
}

// Parse checks that text is a digest, and returns it.
func Parse(text string) (Digest, error) {
	bad := func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') }
	if len(text) != 2*sha256.Size {
		return "", fmt.Errorf("%.80q is not a SHA-256: want %d hexadecimal digits", text, 2*sha256.Size)
	}
	for _, r := range text {
		if bad(r) {
			return "", fmt.Errorf("%q is not a SHA-256: want lower-case hexadecimal digits", text)
		}
	}
	return Digest(text), nil
}
