package staff

import (
	"time"

	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// overviewFacts holds the figures of an overview.
type overviewFacts struct {
	*store.FinalizeBlockers
	Time     string      // contest time; empty before the start
	Online   int         // workers
	Disputed []int64     // numbers of submissions about which workers disagreed
	Backups  web.Backups // of the server
	Late     bool        // the last backup failed or is too old
	// Blocking lists the failed checks for final results, except those that the page shows under "needs
	// attention". It is set only for readers who may finalize the results.
	Blocking []checkLine
}

// setFacts sets the figures in v, and the checks that prevent the results from becoming final.
func (s *site) setFacts(r *web.Request, v *overviewView) error {
	c, now := access.Of(r).Contest, s.Time()
	f := &v.Facts
	var compared *store.Comparison
	var err error
	if v.CanFinalize && !v.Final {
		if compared, err = s.compareWithPrimary(r); err != nil {
			return err
		}
	}
	if f.FinalizeBlockers, err = s.Store.FinalizeBlockers(r.Context(), c, compared); err != nil {
		return err
	}
	if v.showsBlockers() {
		for _, line := range checkLines(c, f.FinalizeBlockers, compared, now) {
			if !line.Good && !line.InOverview {
				f.Blocking = append(f.Blocking, line)
			}
		}
	}
	if f.Disputed, err = s.Store.DisputedSubmissions(r.Context(), c.ID); err != nil {
		return err
	}
	for _, worker := range v.Workers {
		if worker.Online {
			f.Online++
		}
	}
	if clock := scoreboard.Contest(c, nil); clock.Started(now) {
		at := now
		if end := clock.End(); !end.IsZero() && end.Before(now) {
			at = end
		}
		f.Time = scoreboard.ContestTime(clock.Time(at).Truncate(time.Second))
	}
	if s.Options.Backups != nil {
		f.Backups = s.Options.Backups()
		f.Late = f.Backups.On && f.Backups.Late(now)
	}
	return nil
}

// FirstDisputed returns at most five of the disputed submissions.
func (f overviewFacts) FirstDisputed() []int64 { return f.Disputed[:min(len(f.Disputed), 5)] }
