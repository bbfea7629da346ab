package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store"
)

// TestSkew checks that ClockSkew compares the machine's clock with the database's clock, if the database has one. The
// result is the smallest difference that the machine's times before and after the query allow.
func TestSkew(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		ahead, query := time.Duration(0), time.Duration(0) // query is the time that the next query takes by the clock
		s := open(t, store.Options{DSN: dsn, Now: func() time.Time {
			defer func() { ahead, query = ahead+query, 0 }()
			return time.Now().Add(ahead)
		}})
		for _, tt := range []struct{ before, after, want time.Duration }{
			{time.Hour, time.Hour, time.Hour},
			{-2 * time.Hour, -2 * time.Hour, -2 * time.Hour},
			{-time.Hour, time.Hour, 0},
			{2 * time.Hour, 4 * time.Hour, 2 * time.Hour},
			{-4 * time.Hour, -2 * time.Hour, -2 * time.Hour},
		} {
			ahead, query = tt.before, tt.after-tt.before
			if !strings.HasPrefix(dsn, "postgres://") {
				tt.want = 0
			}
			if got, err := s.ClockSkew(t.Context()); err != nil || (got-tt.want).Abs() > 10*time.Minute {
				t.Errorf("%+v: %v, %v", tt, got, err)
			}
		}
	})
}

// TestServersAnnounceThemselves checks that a server id belongs to one process as long as that process is running.
func TestServersAnnounceThemselves(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		for _, step := range []struct {
			what, id, instance, before string
			after                      time.Duration
			depart                     bool
			taken                      bool
			epoch                      int64
			age                        time.Duration // of the process, if the id is not taken
		}{
			{what: "the first", id: "a", instance: "1", epoch: 1},
			{what: "again", id: "a", instance: "1", after: store.AnnounceInterval, epoch: 1, age: store.AnnounceInterval},
			{what: "another", id: "b", instance: "2", epoch: 1},
			{what: "of the same name", id: "a", instance: "3", taken: true, epoch: 1},
			{what: "a little later", id: "a", instance: "3", after: store.OfflineAfter, taken: true, epoch: 1},
			{what: "which is gone", id: "a", instance: "3", after: time.Microsecond, epoch: 2},
			{what: "after one that is known to have ended", id: "a", instance: "4", before: "3", epoch: 3},
			{what: "after another one", id: "a", instance: "5", before: "3", taken: true, epoch: 3},
			{what: "after one that said that it ends", id: "a", instance: "6", depart: true, epoch: 4},
			{what: "whose clock is behind", id: "a", instance: "7", after: -9 * store.OfflineAfter, taken: true, epoch: 4},
			{what: "after one whose clock was ahead", id: "a", instance: "7", after: -time.Hour, epoch: 5},
		} {
			if h.clock.add(step.after); step.depart {
				if err := h.Depart(t.Context(), "a", "4"); err != nil {
					t.Fatal(err)
				}
			}
			err := h.Announce(t.Context(), store.Server{ID: step.id, Instance: step.instance, Version: "v1", Address: "http://" + step.id},
				step.before)
			if errors.Is(err, store.ErrTaken) != step.taken || (err != nil) != step.taken {
				t.Errorf("%s: %v", step.what, err)
			}
			all, err := h.Servers(t.Context())
			for _, s := range all {
				if s.ID == step.id && (s.Epoch != step.epoch || !step.taken && (s.Instance != step.instance || !s.Online(h.clock.Now()) ||
					s.LastSeen.Sub(s.Started) != step.age)) || s.Address != "http://"+s.ID || s.Version != "v1" {
					t.Errorf("%s: %+v, %v", step.what, s, err)
				}
			}
		}
		if err := h.Depart(t.Context(), "a", "6"); err != nil { // instance 6 no longer holds the id
			t.Fatal(err)
		}
		all, err := h.Servers(t.Context())
		if err != nil || len(all) != 2 || all[0].LastSeen.IsZero() {
			t.Errorf("%+v, %v", all, err)
		}
	})
}

// TestOnline checks how long a server counts as running.
func TestOnline(t *testing.T) {
	s := store.Server{LastSeen: time.Now()}
	if !s.Online(s.LastSeen.Add(store.OfflineAfter-1)) || s.Online(s.LastSeen.Add(store.OfflineAfter)) {
		t.Error("a server is online too long, or not long enough")
	}
}

// TestABlobThatIsWantedStays checks that garbage collection keeps a blob that a request is about to refer to, even
// if no row referred to the blob when the collection began.
func TestABlobThatIsWantedStays(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		account := h.alice.ID
		for _, d := range []string{"wanted", "lost"} {
			if err := h.RecordBlobUpload(t.Context(), account, store.Blob{Digest: digest(d), Kind: store.TemporaryBlob}, 0); err != nil {
				t.Fatal(err)
			}
		}
		h.clock.add(2 * time.Hour)
		contents := func(blob.Digest) ([]blob.Digest, error) { return nil, nil }
		sent := func(d string) bool {
			is, err := h.HasUploaded(t.Context(), account, digest(d))
			if err != nil {
				t.Fatal(err)
			}
			return is
		}
		if !sent("wanted") {
			t.Fatal("it was sent")
		}
		gone, err := sweep(t, h.Store, contents)
		if err != nil || fmt.Sprint(gone) != fmt.Sprint([]blob.Digest{digest("lost")}) {
			t.Errorf("gone are %v, %v", gone, err)
		}
		if !sent("wanted") || sent("lost") {
			t.Error("what is gone is told to be there, or the other way round")
		}
		h.clock.add(50 * time.Minute)
		if gone, err := sweep(t, h.Store, contents); err != nil || len(gone) > 0 {
			t.Errorf("gone are %v, %v", gone, err)
		}
		h.clock.add(time.Hour)
		if gone, err := sweep(t, h.Store, contents); err != nil || len(gone) != 1 {
			t.Errorf("no row refers to it after all: %v, %v", gone, err)
		}
	})
}

// TestABlobStaysKnownIfItIsNotRemoved checks that the next garbage collection tries again if a blob cannot be
// removed.
func TestABlobStaysKnownIfItIsNotRemoved(t *testing.T) {
	onBoth(t, func(t *testing.T, dsn string) {
		h := newHarness(t, dsn)
		if err := h.RecordBlobs(t.Context(), store.Blob{Digest: digest("x"), Kind: store.TemporaryBlob}); err != nil {
			t.Fatal(err)
		}
		h.clock.add(2 * time.Hour)
		contents := func(blob.Digest) ([]blob.Digest, error) { return nil, nil }
		broken := errors.New("the disk does not answer")
		if _, err := h.CollectGarbage(t.Context(), contents, func(blob.Digest) error { return broken }); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		if gone, err := sweep(t, h.Store, contents); err != nil || len(gone) != 1 {
			t.Errorf("gone are %v, %v", gone, err)
		}
	})
}
