package board

import (
	"context"

	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// A Move is a team whose rank or score a rejudging changes.
type Move struct {
	Was, Now scoring.Place
}

// Moves returns the teams whose rank or score would change in the jury's view if a rejudging were applied, in
// their new order. Pending submissions keep their current effect.
func (h *Hall) Moves(ctx context.Context, contest string, rejudged []*store.Rejudged) ([]Move, error) {
	s, _, err := h.state(ctx, contest)
	if err != nil {
		return nil, err
	}
	was := map[string]scoring.Place{}
	b := scoring.New(s.Contest, s.Teams, s.Submissions, s.Contest.Staff())
	for _, p := range b.Places() {
		was[p.Team.ID] = p
	}
	scored, err := h.o.Store.ScoredOf(ctx, contest)
	if err != nil {
		return nil, err
	}
	decided := map[int64]bool{} // verdict overrides, which a rejudging does not change
	for _, one := range scored {
		decided[one.Number] = one.Given || one.Ignored
	}
	at := map[int64]int{}
	for i := range s.Submissions {
		at[s.Submissions[i].Number] = i
	}
	var change []scoring.Submission
	for _, r := range rejudged {
		if i, counts := at[r.Number]; counts && r.Done && !decided[r.Number] {
			one := s.Submissions[i]
			one.Verdict, one.Ignored, one.Score, one.Parts = r.Verdict, r.Verdict == "", nil, nil
			if r.Finished != nil && r.Score != "" {
				one.Score, one.Parts = r.Finished.Score, r.Finished.Parts
			}
			change = append(change, one)
		}
	}
	b.Apply(scoring.Change{Submissions: change})
	var moves []Move
	for _, p := range b.Places() {
		if w := was[p.Team.ID]; w.Rank != p.Rank || w.Solved != p.Solved || w.Points != p.Points || w.Time != p.Time {
			moves = append(moves, Move{w, p})
		}
	}
	return moves, nil
}
