package server

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// TestWhatIsNotThereIsWaitedFor checks that a server that starts waits as long as necessary for a service that
// does not respond. After a permanent error it must not wait.
func TestWhatIsNotThereIsWaitedFor(t *testing.T) {
	gone, wrong := errors.New("no answer"), errors.New("the password is wrong")
	for name, tt := range map[string]struct {
		says  []error
		end   time.Duration
		calls int
		want  error
	}{
		"it is there":         {says: []error{nil}, calls: 1},
		"it comes after days": {says: []error{gone, gone, gone, nil}, calls: 4},
		"it refuses":          {says: []error{gone, wrong, nil}, calls: 2, want: wrong},
		"the server ends": {says: []error{gone, gone, gone, gone, gone, gone}, end: 20 * time.Second, calls: 5,
			want: context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.end > 0 {
					within, cancel := context.WithTimeout(ctx, tt.end)
					defer cancel()
					ctx = within
				}
				s, calls := &Server{o: Options{Log: slog.New(slog.DiscardHandler)}}, 0
				err := s.openWithRetry(ctx, "it", func(err error) bool { return err == gone }, func() error {
					calls++
					return tt.says[calls-1]
				})
				if !errors.Is(err, tt.want) || calls != tt.calls {
					t.Errorf("after %d calls: %v", calls, err)
				}
			})
		})
	}
}
