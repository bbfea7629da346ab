package intake

import (
	"cmp"
	"context"
	"slices"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// practiceLevel returns what practice with a problem shows to an account, if no contest has the problem. Only accounts
// without a role can practice. This includes accounts that only use the command line.
func (d *Service) practiceLevel(a *store.Account, p *store.Problem) store.PracticeLevel {
	if a.Role != "" {
		return store.PracticeOff
	}
	return d.DefaultPractice(p)
}

// DefaultPractice returns what practice with a problem shows if no contest has the problem. It does not check whether
// an account may practice.
func (d *Service) DefaultPractice(p *store.Problem) store.PracticeLevel {
	return cmp.Or(p.Practice, d.Practice, store.PracticeSamples)
}

// Shows returns how much an account may see of the judgement of its own submission.
func (d *Service) Shows(ctx context.Context, a *store.Account, s *store.Submission) (judge.Visibility, error) {
	if auth.Can(ServerRole(a), auth.SeeAll, auth.State{}) {
		return judge.ShowAll, nil
	}
	if s.Contest == store.Practice {
		contests, err := d.Store.ContestsWithProblem(ctx, s.Problem)
		if err != nil || len(contests) > 0 {
			return judge.ShowSamples, err
		}
		p, err := d.Store.Problem(ctx, s.Problem)
		if err != nil {
			return "", err
		}
		switch d.practiceLevel(a, p) {
		case store.PracticeAll:
			return judge.ShowAll, nil
		case store.PracticeSamples:
			return judge.ShowSamples, nil
		}
		return judge.ShowVerdict, nil
	}
	c, err := d.Store.Contest(ctx, s.Contest)
	if err != nil {
		return "", err
	}
	seat, err := d.ContestAccess(ctx, c, a)
	if err != nil {
		return "", err
	}
	return seat.Shows(), nil
}

// Shows returns how much the caller may see of a judgement.
func (s *ContestAccess) Shows() judge.Visibility {
	if s.Can(auth.SeeSecret) {
		return judge.ShowAll
	}
	return s.Contest.Settings.Shows()
}

// ShowsTimes reports whether the caller may see the time and the memory of a judgement.
func (s *ContestAccess) ShowsTimes() bool {
	return slices.Index(judge.VisibilityLevels, s.Shows()) >= slices.Index(judge.VisibilityLevels, judge.ShowCases)
}
