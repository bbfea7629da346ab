package auth

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestPasswords(t *testing.T) {
	p := NewPasswords()
	hash, err := p.Hash(t.Context(), "correct horse")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("got %q, %v", hash, err)
	}
	again, _ := p.Hash(t.Context(), "correct horse")
	if again == hash {
		t.Error("two hashes of a password are the same")
	}
	// This hash was created by another program with other parameters.
	const foreign = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$HuKfIeGCr1WROJmHbAnNzNmQsVeXu3MHYkSs4hqc1QU"
	for _, tt := range []struct {
		password, hash string
		good           bool
	}{
		{"correct horse", hash, true},
		{"correct horse", again, true},
		{"correct horsf", hash, false},
		{"", hash, false},
		{"", "", false},
		{"", unusableHash, false},
		{"x", foreign, false},
		{strings.Repeat("x", MaxPassword+1), hash, false},
	} {
		if good, err := p.Check(t.Context(), tt.password, tt.hash); err != nil || good != tt.good {
			t.Errorf("Check(%.20q, %q) = %v, %v; want %v", tt.password, tt.hash, good, err, tt.good)
		}
	}
	for _, bad := range []string{"x", "$2y$10$abc", strings.Replace(hash, "m=19456", "m=99999999", 1),
		strings.Replace(hash, "t=2", "t=0", 1), strings.Replace(hash, "v=19", "v=16", 1), hash[:len(hash)-44] + "$"} {
		if good, err := p.Check(t.Context(), "correct horse", bad); good || err == nil {
			t.Errorf("the hash %q: %v, %v", bad, good, err)
		}
	}
}

// TestPasswordsWait checks that only a few passwords are checked at once, and that a request with 200 others
// waiting is rejected.
func TestPasswordsWait(t *testing.T) {
	p := NewPasswords()
	for range cap(p.slots) {
		p.slots <- struct{}{} // occupy every slot
	}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range MaxQueuedPasswords {
		all.Go(func() {
			if _, err := p.Hash(ctx, "x"); !errors.Is(err, context.Canceled) {
				t.Errorf("one who waits: %v", err)
			}
		})
	}
	for p.waiting.Load() < MaxQueuedPasswords {
	}
	if _, err := p.Hash(ctx, "x"); !errors.Is(err, ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	cancel()
	all.Wait()
	<-p.slots
	if _, err := p.Hash(t.Context(), "x"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestWrongPasswordsRest checks that the slot of a wrong password pauses for as long as the check took.
func TestWrongPasswordsRest(t *testing.T) {
	p := NewPasswords()
	var free []func()
	p.callLater = func(d time.Duration, f func()) {
		if d <= 0 {
			t.Errorf("it rests for %v", d)
		}
		free = append(free, f)
	}
	hash, err := p.Hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	for _, password := range []string{"correct horse", "wrong"} {
		if _, err := p.Check(t.Context(), password, hash); err != nil {
			t.Fatal(err)
		}
		if rests := len(p.slots) > 0; rests != (password == "wrong") || rests != (len(free) == 1) {
			t.Errorf("%q: its place rests: %v", password, rests)
		}
	}
	free[0]()
	if len(p.slots) > 0 {
		t.Error("its place is never free again")
	}
}

func TestNewPassword(t *testing.T) {
	seen := map[string]bool{}
	for range 1000 {
		p := NewPassword()
		if len(p) != 14 || strings.ContainsAny(p, "il1o0") || seen[p] {
			t.Fatalf("the password %q", p)
		}
		seen[p] = true
	}
	text, hash := NewSession()
	other, _ := NewSession()
	if len(text) != 43 || text == other || hash != Hash(text) {
		t.Errorf("the sessions %q and %q", text, other)
	}
}

// TestHashAll checks that HashAll keeps the order and reports progress. If one password cannot be hashed, it
// returns no hashes.
func TestHashAll(t *testing.T) {
	p := NewPasswords()
	p.slots = make(chan struct{}, 3)
	var all []string
	for i := range 7 {
		all = append(all, fmt.Sprint("password-", i))
	}
	var told []int
	hashes, err := p.HashAll(t.Context(), all, func(n int) { told = append(told, n) })
	if err != nil || len(hashes) != 7 || !slices.Equal(told, []int{1, 2, 3, 4, 5, 6, 7}) {
		t.Fatalf("%d hashes, told %v: %v", len(hashes), told, err)
	}
	for i, hash := range hashes {
		if good, err := p.Check(t.Context(), all[i], hash); err != nil || !good {
			t.Errorf("the hash of %s: %v, %v", all[i], good, err)
		}
	}
	if hashes, err := p.HashAll(t.Context(), nil, nil); err != nil || len(hashes) != 0 {
		t.Errorf("none: %v, %v", hashes, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	hashes, err = p.HashAll(ctx, all, func(n int) { cancel() })
	if !errors.Is(err, context.Canceled) || hashes != nil {
		t.Errorf("the caller has gone: %v, %v", hashes, err)
	}
	p.waiting.Store(MaxQueuedPasswords)
	if hashes, err := p.HashAll(t.Context(), all, func(int) { t.Error("one was hashed") }); !errors.Is(err, ErrBusy) || hashes != nil {
		t.Errorf("too many wait: %v, %v", hashes, err)
	}
}

// TestHashAllAtOnce checks that HashAll uses all free slots at once.
func TestHashAllAtOnce(t *testing.T) {
	p := NewPasswords()
	p.slots = make(chan struct{}, 2)
	p.slots <- struct{}{}
	p.slots <- struct{}{} // both slots are taken
	end := make(chan error)
	go func() {
		_, err := p.HashAll(t.Context(), []string{"a", "b", "c"}, func(int) {})
		end <- err
	}()
	for p.waiting.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	<-p.slots
	<-p.slots
	if err := <-end; err != nil {
		t.Error(err)
	}
}
