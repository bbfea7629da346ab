package ladder

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/store/storetest"
)

// TestTheLeadIsHeld checks that the leader keeps its lease, and does not acquire it each time it looks at the
// ladders.
func TestTheLeadIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), store.Options{Dir: storetest.Dir(t), Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		k := New(Options{Store: s, Holder: "one", Log: slog.New(slog.DiscardHandler)})
		go k.Run(t.Context())
		taken := time.Now()
		for _, row := range []struct{ after, renewed time.Duration }{{0, 0}, {store.LeaseRenewInterval, 0},
			{time.Second, store.LeaseRenewInterval + time.Second}} {
			time.Sleep(row.after)
			k.wake <- struct{}{}
			k.wake <- struct{}{} // received when it has looked
			lead, err := s.LeaseHolder(t.Context(), store.LaddersLease)
			if until := taken.Add(row.renewed + store.LeaseTerm); err != nil || lead.Holder != "one" || !lead.Until.Equal(until) {
				t.Errorf("after %v: %+v, %v; want one until %v", time.Since(taken), lead, err, until)
			}
		}
	})
}

// TestOneServerLeads checks that ladders move on without a call of Wake, that a server which is not the leader does
// nothing and logs nothing, and that it takes over at once when the leader stops. An error of the database is logged until
// the server stops.
func TestOneServerLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), store.Options{Dir: storetest.Dir(t), Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var log bytes.Buffer
		start := func(holder string) (stop func()) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				New(Options{Store: s, Holder: holder, Log: slog.New(slog.NewTextHandler(&log, nil))}).Run(ctx)
			}()
			return func() { cancel(); <-ended }
		}
		leads := func(want string) {
			t.Helper()
			if lead, err := s.LeaseHolder(t.Context(), store.LaddersLease); err != nil || lead.Holder != want || !lead.Until.After(time.Now()) {
				t.Errorf("the leader is %+v, %v; want %s", lead, err, want)
			}
		}
		first := start("one")
		time.Sleep(stepEvery / 2)
		leads("one")
		second := start("two")
		time.Sleep(10 * stepEvery)
		leads("one")
		first()
		time.Sleep(stepEvery + time.Millisecond)
		leads("two")
		if log.Len() > 0 {
			t.Errorf("the servers log %s", log.String())
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(stepEvery)
		synctest.Wait()
		if !strings.Contains(log.String(), "read the ladders") {
			t.Errorf("without a database, the leader logs %q", log.String())
		}
		second()
		log.Reset()
		New(Options{Store: s, Holder: "three", Log: slog.New(slog.NewTextHandler(&log, nil))}).Run(ended(t))
		if log.Len() > 0 {
			t.Errorf("a server that stops logs %s", log.String())
		}
	})
}

// ended returns a context that is done.
func ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
