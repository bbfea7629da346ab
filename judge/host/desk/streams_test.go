package desk_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// TestStreamsBounded: an account has 100 at once, and a network 2,000; who has them is told
// slowly, and what ends gives its place to another.
func TestStreamsBounded(t *testing.T) {
	for name, tt := range map[string]struct {
		who  *store.Account
		most int
	}{"an account": {&store.Account{ID: "ada"}, 100}, "a network": {nil, 2000}} {
		synctest.Test(t, func(t *testing.T) {
			var streams desk.Streams
			var leave func()
			for range tt.most {
				var err error
				if leave, err = streams.Enter(t.Context(), tt.who, "10.0.0.1:1"); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			_, err := streams.Enter(t.Context(), tt.who, "10.0.0.1:2")
			if refusal, is := errors.AsType[*desk.Refusal](err); !is || refusal.Code != http.StatusTooManyRequests {
				t.Errorf("one more of %s: %v", name, err)
			}
			if took := time.Since(began); took != time.Second {
				t.Errorf("to be turned away takes %v", took)
			}
			if _, err := streams.Enter(t.Context(), &store.Account{ID: "bob"}, "10.0.0.2:1"); err != nil {
				t.Errorf("somebody else than %s: %v", name, err)
			}
			leave()
			if _, err := streams.Enter(t.Context(), tt.who, "10.0.0.1:3"); err != nil {
				t.Errorf("%s, after one has ended: %v", name, err)
			}
		})
	}
}
