package flow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/host/job"
)

// AuditOptions contain the verdict of the first worker on the submission in Work.
type AuditOptions struct {
	Submission string        `json:"submission"` // id
	Worker     string        `json:"worker"`
	Verdict    judge.Verdict `json:"verdict"`
}

// NewAudit returns a workflow in which another worker rejudges a submission.
func NewAudit(w *job.Work, o AuditOptions) (*Spec, error) {
	data, err := json.Marshal(o)
	return &Spec{Kind: Audit, Work: *w, Options: data}, err
}

// Disagree reports whether two verdicts contradict each other. A verdict that depends on the machine, such as a
// time limit, contradicts no other verdict.
func Disagree(a, b judge.Verdict) bool { return a != b && !hangs(a) && !hangs(b) }

// hangs reports whether a verdict depends on the machine.
func hangs(v judge.Verdict) bool {
	return v == judge.TimeLimit || v == judge.IdlenessLimit || v == judge.JudgeError
}

// nextOfAudit lets a second worker judge the submission. If the first two workers disagree, each of them judges
// the submission twice more, to show whether the program or a machine behaves randomly. A third worker also judges
// it, to decide which of the two is right.
func nextOfAudit(s *Spec, parts []Part) (*Step, error) {
	var o AuditOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	work := s.Work
	work.Kind = job.Submission
	step := &Step{}
	ask := func(key, only string, exclude ...string) {
		if part(parts, key) == nil {
			step.Jobs = append(step.Jobs, Job{Key: key, Work: work, Lane: job.Background, Cost: usualCost, Only: only, Exclude: exclude})
		}
	}
	const again = "again"
	ask(again, "", o.Worker)
	if second := part(parts, again); second != nil && second.State == job.Done && Disagree(second.Verdict, o.Verdict) {
		ask("third", "", o.Worker, second.Worker)
		for _, n := range []string{"2", "3"} {
			ask("first/"+n, o.Worker)
			ask("second/"+n, second.Worker)
		}
	}
	step.Done = len(step.Jobs) == 0
	return step, nil
}

// An Opinion contains the verdicts of one worker on a submission.
type Opinion struct {
	Worker   string
	Verdicts []judge.Verdict
	// Right reports whether another worker gives the same verdict. Wrong reports whether another worker gives a
	// contradicting verdict and none gives the same. With two workers, Wrong is set for both, unless one
	// contradicts itself. If all contradict themselves, the program behaves randomly, and no worker is wrong.
	Right, Wrong bool
}

// disagrees reports whether a verdict of o contradicts a verdict of the other opinion.
func (o *Opinion) disagrees(with *Opinion) bool {
	return slices.ContainsFunc(o.Verdicts, func(a judge.Verdict) bool {
		return slices.ContainsFunc(with.Verdicts, func(b judge.Verdict) bool { return Disagree(a, b) })
	})
}

// same reports whether the two opinions have a common verdict that does not depend on the machine.
func (o *Opinion) same(as *Opinion) bool {
	return slices.ContainsFunc(o.Verdicts, func(v judge.Verdict) bool { return !hangs(v) && slices.Contains(as.Verdicts, v) })
}

// Audited is the current result of an audit.
type Audited struct {
	Submission string     // id
	Opinions   []*Opinion // the first worker's is first
	Agree      bool       // no two verdicts contradict each other
}

// endOfAudit adds the current result of an audit to a step. It also makes the jobs of the step optional, because
// an audit does not wait for workers that are offline.
func endOfAudit(s *Spec, parts []Part, step *Step) {
	var o AuditOptions
	if step.Failed != "" || json.Unmarshal(s.Options, &o) != nil { // nextOfAudit reports this error
		return
	}
	step.Optional, step.Audit = true, &Audited{Submission: o.Submission}
	step.Audit.Opinions, step.Audit.Agree = opinions(&o, parts)
}

// opinions returns the opinions of the workers in an audit, starting with the first worker's. Agree reports
// whether no two verdicts contradict each other.
func opinions(o *AuditOptions, parts []Part) (all []*Opinion, agree bool) {
	all = []*Opinion{{Worker: o.Worker, Verdicts: []judge.Verdict{o.Verdict}}}
	for _, p := range parts {
		if p.State != job.Done {
			continue
		}
		i := slices.IndexFunc(all, func(o *Opinion) bool { return o.Worker == p.Worker })
		if i < 0 {
			i, all = len(all), append(all, &Opinion{Worker: p.Worker})
		}
		all[i].Verdicts = append(all[i].Verdicts, p.Verdict)
	}
	agree = true
	for _, one := range all {
		varies := one.disagrees(one)
		steady, against := false, false // another worker was asked repeatedly and is consistent; one disagrees
		for _, other := range all {
			if other == one || other.disagrees(other) {
				continue
			}
			steady, against = steady || len(other.Verdicts) > 1, against || one.disagrees(other)
			one.Right = one.Right || !varies && one.same(other)
		}
		one.Wrong = varies && steady || !varies && against && !one.Right
		agree = agree && !varies && !against
	}
	return all, agree
}

func (o *Opinion) String() string {
	said := make([]string, len(o.Verdicts))
	for i, v := range o.Verdicts {
		said[i] = string(v)
	}
	return fmt.Sprintf("%s says %s", o.Worker, strings.Join(said, ", "))
}
