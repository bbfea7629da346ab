package ladder

import (
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"assay/judge/host/store"
)

// TestTheLeadIsRenewedInTime, and not each time that the ladders are looked at, for then the
// disk is synced.
func TestTheLeadIsRenewedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir(), Version: "test"})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		k := New(Options{Store: s, Holder: "one", Log: slog.New(slog.DiscardHandler)})
		go k.Run(t.Context())
		k.poke <- struct{}{}
		k.poke <- struct{}{} // it has looked once, and has the lead
		renewals := 0
		var before time.Time
		for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(lookEvery / 2) {
			k.poke <- struct{}{}
			lead, err := s.Leading(t.Context(), store.LaddersLead)
			if err != nil || lead.Holder != "one" || time.Until(lead.Until) < store.LeadTerm/2 {
				t.Fatalf("after %v: %+v, %v", time.Since(began), lead, err)
			}
			if lead.Until != before {
				renewals++
			}
			before = lead.Until
		}
		if renewals > int(time.Minute/store.LeadRenew)+1 {
			t.Errorf("it was renewed %d times in a minute", renewals)
		}
		if _, err := s.Lead(t.Context(), store.LaddersLead, "two", store.LeadTerm); !errors.Is(err, store.ErrNotLeader) {
			t.Errorf("another one takes the lead: %v", err)
		}
	})
}
