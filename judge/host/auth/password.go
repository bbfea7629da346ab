package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"math/big"
	"runtime"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"
)

// Passwords hashes and checks passwords with argon2id. Each operation needs 19 MiB, so only a few run at once, and
// the others wait in a queue. After a wrong password, the slot that checked it pauses for as long as the check
// took, so that an attacker cannot occupy all processors.
type Passwords struct {
	// MemoryKiB is the memory that each new hash needs, in KiB. Zero means 19 MiB. Only tests need less.
	MemoryKiB uint32

	slots     chan struct{}
	waiting   atomic.Int64
	callLater func(time.Duration, func()) // calls a function later
}

// The cost parameters of a password hash.
const (
	memoryKiB = 19 << 10
	passes    = 2
	lanes     = 1
	saltBytes = 16
	hashBytes = 32
)

// MaxQueuedPasswords is the maximum number of passwords that may wait to be checked.
const MaxQueuedPasswords = 200

// The limits of a chosen password, in bytes.
const (
	MinPassword = 8
	MaxPassword = 200
)

// ErrBusy means that too many passwords are being checked already.
var ErrBusy = errors.New("too many people are logging in: try again in a few seconds")

// NewPasswords returns the queue of a server.
func NewPasswords() *Passwords {
	return &Passwords{
		slots:     make(chan struct{}, max(1, runtime.NumCPU()/2)),
		callLater: func(d time.Duration, f func()) { time.AfterFunc(d, f) },
	}
}

// withSlot waits for a slot and calls work. If work reports a failure, the slot pauses before it is free again.
func (p *Passwords) withSlot(ctx context.Context, work func() (wrong bool)) error {
	defer p.waiting.Add(-1)
	if p.waiting.Add(1) > MaxQueuedPasswords {
		return ErrBusy
	}
	select {
	case p.slots <- struct{}{}:
		began, wrong := time.Now(), false
		defer func() {
			if wrong {
				p.callLater(time.Since(began), func() { <-p.slots })
			} else {
				<-p.slots
			}
		}()
		wrong = work()
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Hash returns the text to store for a password: parameters, salt and hash.
func (p *Passwords) Hash(ctx context.Context, password string) (hash string, err error) {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails
	memory := cmp.Or(p.MemoryKiB, memoryKiB)
	err = p.withSlot(ctx, func() bool {
		hash = encodeHash(memory, passes, lanes, salt, deriveKey(password, salt, memory, passes, lanes, hashBytes))
		return false
	})
	return hash, err
}

func deriveKey(password string, salt []byte, memory, time uint32, threads uint8, size int) []byte {
	return argon2.IDKey([]byte(password), salt, time, memory, threads, uint32(size))
}

func encodeHash(memory, time uint32, threads uint8, salt, key []byte) string {
	b64 := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memory, time, threads, b64(salt), b64(key))
}

// unusableHash is a hash that no password has. Checking it takes as long as checking any other hash.
var unusableHash = encodeHash(memoryKiB, passes, lanes, make([]byte, saltBytes), make([]byte, hashBytes))

// Check reports whether a password has the given hash. If the account has no password or does not exist, hash is
// empty. Then Check returns false, after the same time as for any other hash.
func (p *Passwords) Check(ctx context.Context, password, hash string) (matches bool, err error) {
	if hash == "" || len(password) > MaxPassword {
		hash, password = unusableHash, ""
	}
	var memory, rounds uint32
	var threads uint8
	var version int
	parts := strings.Split(hash, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false, errors.New("the hash of a password cannot be read")
	}
	_, err1 := fmt.Sscanf(parts[2], "v=%d", &version)
	_, err2 := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &rounds, &threads)
	salt, err3 := base64.RawStdEncoding.DecodeString(parts[4])
	key, err4 := base64.RawStdEncoding.DecodeString(parts[5])
	if err := errors.Join(err1, err2, err3, err4); err != nil || version != argon2.Version || rounds == 0 || threads == 0 ||
		memory > 1<<20 || rounds > 100 || len(key) == 0 {
		return false, fmt.Errorf("the hash of a password cannot be read: %w",
			errors.Join(err, errors.New("it has unsupported parameters")))
	}
	err = p.withSlot(ctx, func() bool {
		matches = subtle.ConstantTimeCompare(deriveKey(password, salt, memory, rounds, threads, len(key)), key) == 1
		return !matches
	})
	return matches && err == nil, err
}

// passwordLetters lists the characters of generated passwords. No two of them look alike on paper.
const passwordLetters = "abcdefghjkmnpqrstuvwxyz23456789"

// NewPassword returns a random password of 12 characters that is easy to read and type. It has 59 random bits.
func NewPassword() string {
	var b strings.Builder
	for i := range 12 {
		if i > 0 && i%4 == 0 {
			b.WriteByte('-')
		}
		n, _ := rand.Int(rand.Reader, big.NewInt(int64(len(passwordLetters)))) // it never fails
		b.WriteByte(passwordLetters[n.Int64()])
	}
	return b.String()
}

// NewSession returns the secret of a session for the browser, and the hash to store.
func NewSession() (text, hash string) {
	secret := make([]byte, 32)
	_, _ = rand.Read(secret) // it never fails
	text = base64.RawURLEncoding.EncodeToString(secret)
	return text, Hash(text)
}
