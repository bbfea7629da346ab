package staff

import (
	"time"

	"assay/judge/host/board"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// overviewFacts holds the figures of an overview.
type overviewFacts struct {
	*store.Unfinished
	Time     string      // contest time; empty before the start
	Online   int         // workers
	Disputed []int64     // numbers of submissions about which workers disagreed
	Backups  web.Backups // of the server
	Late     bool        // the last backup failed or is too old
	// Blocking lists the failed checks for final results, except those that the page shows under "needs
	// attention". It is set only for readers who may finalize the results.
	Blocking []checkLine
}

// overviewFacts sets the figures in v, and the checks that prevent the results from becoming final.
func (s *site) overviewFacts(r *web.Request, v *overviewView) error {
	c, now := access.Of(r).Contest, s.Time()
	f := &v.Facts
	var compared *store.Comparison
	var err error
	if v.Conclude && !v.Final {
		if compared, err = s.compared(r); err != nil {
			return err
		}
	}
	if f.Unfinished, err = s.Store.Unfinished(r.Context(), c, compared); err != nil {
		return err
	}
	if v.finalizes() {
		for _, line := range checkLines(c, f.Unfinished, compared, now) {
			if !line.Good && !line.Attended {
				f.Blocking = append(f.Blocking, line)
			}
		}
	}
	if f.Disputed, err = s.Store.Disputed(r.Context(), c.ID); err != nil {
		return err
	}
	for _, one := range v.Workers {
		if one.Here {
			f.Online++
		}
	}
	if clock := board.Contest(c, nil); clock.Started(now) {
		at := now
		if end := clock.End(); !end.IsZero() && end.Before(now) {
			at = end
		}
		f.Time = board.ContestTime(clock.Time(at).Truncate(time.Second))
	}
	if s.Options.Backups != nil {
		f.Backups = s.Options.Backups()
		f.Late = f.Backups.On && f.Backups.Late(now)
	}
	return nil
}

// Most returns at most five of the disputed submissions.
func (f overviewFacts) Most() []int64 { return f.Disputed[:min(len(f.Disputed), 5)] }
