package scoreboard

import (
	"context"

	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// A RankChange is a team whose rank or score a rejudging changes.
type RankChange struct {
	Before, After scoring.RankedRow
}

// RankChanges returns the teams whose rank or score would change in the jury's view if a rejudging were applied, in
// their new order. Pending submissions keep their current effect.
func (h *Registry) RankChanges(ctx context.Context, contest string, rejudged []*store.RejudgedSubmission) ([]RankChange, error) {
	s, _, err := h.state(ctx, contest)
	if err != nil {
		return nil, err
	}
	before := map[string]scoring.RankedRow{}
	b := scoring.New(s.Contest, s.Teams, s.Submissions, s.Contest.Jury())
	for _, p := range b.Rows() {
		before[p.Team.ID] = p
	}
	scored, err := h.o.Store.ScoredSubmissions(ctx, contest)
	if err != nil {
		return nil, err
	}
	overridden := map[int64]bool{} // verdict overrides, which a rejudging does not change
	for _, one := range scored {
		overridden[one.Number] = one.Overridden || one.Ignored
	}
	indexes := map[int64]int{}
	for i := range s.Submissions {
		indexes[s.Submissions[i].Number] = i
	}
	var change []scoring.Submission
	for _, r := range rejudged {
		if i, counts := indexes[r.Number]; counts && r.Ended && !overridden[r.Number] {
			one := s.Submissions[i]
			one.Verdict, one.Ignored, one.Score, one.Parts = r.Verdict, r.Verdict == "", nil, nil
			if r.Finished != nil && r.Score != "" {
				one.Score, one.Parts = r.Finished.Score, r.Finished.ScoreParts
			}
			change = append(change, one)
		}
	}
	b.Apply(scoring.Change{Submissions: change})
	var moves []RankChange
	for _, p := range b.Rows() {
		if w := before[p.Team.ID]; w.Rank != p.Rank || w.Solved != p.Solved || w.Points != p.Points || w.Time != p.Time {
			moves = append(moves, RankChange{w, p})
		}
	}
	return moves, nil
}
