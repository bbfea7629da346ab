package report

import (
	"slices"

	"assay/judge"
)

// A record collects the events of a judging or verification, for reports that need all of them before they can
// write anything.
type record struct {
	started     *judge.Started // nil for a verification
	built       *judge.Built
	cases       []*judge.CaseJudged
	groups      []*judge.GroupJudged // with cases
	outerGroups []*judge.GroupJudged // groups that contain groups
	finished    *judge.Finished      // nil if the stream broke off

	verify    *judge.VerifyStarted // nil for a judging
	checks    []*judge.Checked
	faults    []*judge.ProblemError
	warnings  []*judge.ProblemError
	solutions []*judge.SolutionJudged
	verified  *judge.VerifyFinished // nil if the stream broke off

	adequacy *judge.AdequacyMeasured // if not nil, the record contains only a measurement
	golf     []*judge.GolfChecked    // golf submissions, which form one table

	notes []string
}

// add adds an event to r. It returns false, and adds nothing, if the event starts a new judging or verification.
func (r *record) add(e judge.Event) bool {
	switch e := e.(type) {
	case *judge.Started:
		if !r.empty() {
			return false
		}
		r.started = e
	case *judge.VerifyStarted:
		if !r.empty() {
			return false
		}
		r.verify = e
	case *judge.AdequacyMeasured:
		if !r.empty() {
			return false
		}
		r.adequacy = e
	case *judge.CasesGenerated, *judge.FilesGenerated: // preceding faults were already reported
		if r.verify == nil {
			r.faults = nil
		}
	case *judge.GolfChecked:
		if !r.empty() && len(r.golf) == 0 {
			return false
		}
		r.golf = append(r.golf, e)
	case *judge.Built:
		r.built = e
	case *judge.CaseJudged:
		r.cases = append(r.cases, e)
	case *judge.GroupJudged:
		if e.Inner {
			r.outerGroups = append(r.outerGroups, e)
		}
		if !e.Inner || len(r.casesOf(e.Group)) > 0 {
			r.groups = append(r.groups, e)
		}
	case *judge.Finished:
		r.finished = e
	case *judge.Noted:
		r.notes = append(r.notes, e.Text)
	case *judge.Checked:
		r.checks = append(r.checks, e)
	case *judge.ProblemErrorFound:
		if e.Fault != nil {
			r.faults = append(r.faults, e.Fault)
		}
	case *judge.WarningFound:
		if e.Fault != nil {
			r.warnings = append(r.warnings, e.Fault)
		}
	case *judge.SolutionJudged:
		r.solutions = append(r.solutions, e)
	case *judge.VerifyFinished:
		r.verified = e
	}
	return true
}

// empty reports whether the record contains only notes. Notes belong to the events that follow them.
func (r *record) empty() bool {
	return r.started == nil && r.verify == nil && r.adequacy == nil && r.built == nil && len(r.cases) == 0 &&
		len(r.groups) == 0 && r.finished == nil && len(r.checks) == 0 && len(r.faults) == 0 &&
		len(r.solutions) == 0 && r.verified == nil && len(r.golf) == 0
}

// isVerification reports whether the record is a verification.
func (r *record) isVerification() bool {
	return r.verify != nil || len(r.checks) > 0 || len(r.faults) > 0 || len(r.solutions) > 0 || r.verified != nil
}

// failed returns the cases that were neither accepted nor skipped, in judging order.
func (r *record) failed() []*judge.CaseJudged {
	return slices.DeleteFunc(slices.Clone(r.cases), func(c *judge.CaseJudged) bool {
		return c.Verdict == judge.Accepted || c.Verdict == judge.Skipped
	})
}

// deciding returns the case that decided the verdict, or nil if there is none.
func (r *record) deciding() *judge.CaseJudged {
	for _, c := range r.failed() {
		if r.finished == nil || r.finished.First == "" || c.ID() == r.finished.First {
			return c
		}
	}
	return nil
}

// total returns the submission's score, or nil if there is none.
func (r *record) total() *judge.Score {
	if r.finished == nil {
		return nil
	}
	return r.finished.Score
}

// dialogues returns the accepted cases whose dialogue was requested.
func (r *record) dialogues() []*judge.CaseJudged {
	return slices.DeleteFunc(slices.Clone(r.cases), func(c *judge.CaseJudged) bool {
		return c.Verdict != judge.Accepted || c.Dialogue == ""
	})
}

// scoredGroups returns the groups that contain other groups and have a score. It returns none if the submission has no
// score or only one group contains other groups.
func (r *record) scoredGroups() []*judge.GroupJudged {
	return slices.DeleteFunc(slices.Clone(r.outerGroups), func(g *judge.GroupJudged) bool {
		return g.Score == nil || r.total() == nil || len(r.outerGroups) == 1
	})
}

// casesOf returns the cases of a group.
func (r *record) casesOf(group string) []*judge.CaseJudged {
	return slices.DeleteFunc(slices.Clone(r.cases), func(c *judge.CaseJudged) bool { return c.Group != group })
}

// groupsSoFar returns the judged groups. If the stream broke off within a group, it also returns that group with
// the cases judged so far.
func (r *record) groupsSoFar() []*judge.GroupJudged {
	if len(r.cases) == 0 {
		return r.groups
	}
	last := r.cases[len(r.cases)-1].Group
	if slices.ContainsFunc(r.groups, func(g *judge.GroupJudged) bool { return g.Group == last }) {
		return r.groups
	}
	open := &judge.GroupJudged{Group: last}
	for _, c := range r.casesOf(last) {
		open.Cases++
		open.Verdict = judge.Worst(open.Verdict, c.Verdict)
		if c.Verdict == judge.Accepted {
			open.Passed++
		}
	}
	if open.Verdict == judge.Accepted {
		open.Verdict = judge.NotJudged // more cases of this group were expected
	}
	return append(slices.Clone(r.groups), open)
}

// verdict returns the submission's verdict. If the stream broke off, it returns the verdict of the build, or
// NotJudged if there is none.
func (r *record) verdict() judge.Verdict {
	switch {
	case r.finished != nil:
		return r.finished.Verdict
	case r.built != nil:
		return r.built.Verdict
	}
	return judge.NotJudged
}

// records collects events into records, one for each judging or verification.
type records struct{ all []*record }

func (r *records) add(e judge.Event) {
	if len(r.all) == 0 {
		r.all = []*record{{}}
	}
	if !r.all[len(r.all)-1].add(e) {
		next := &record{}
		next.add(e)
		r.all = append(r.all, next)
	}
}
