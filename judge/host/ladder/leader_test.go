package ladder

import (
	"log/slog"
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
