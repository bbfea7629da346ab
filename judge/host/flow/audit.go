package flow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/host/job"
)

// AuditOptions say what a worker said of the submission that Work is about.
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

// Disagree says whether two workers cannot both be right: of a verdict that hangs on the
// machine, they can.
func Disagree(a, b judge.Verdict) bool { return a != b && !hangs(a) && !hangs(b) }

// hangs says whether a verdict is one of time, or a machine's own.
func hangs(v judge.Verdict) bool {
	return v == judge.TimeLimit || v == judge.IdlenessLimit || v == judge.JudgeError
}

// nextOfAudit asks a second worker. Where that disagrees with the first, each of the two judges
// the submission twice more, which shows whether the program or a machine varies, and a third
// worker says which of the two is right.
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

// Opinion is what a worker said of a submission, each time that it judged it.
type Opinion struct {
	Worker   string
	Verdicts []judge.Verdict
	// Right says that another worker gives the same verdict. Wrong says that another one gives
	// a verdict that excludes it, and none gives the same: with two workers it is both, or the one
	// that contradicts itself. Where all contradict themselves the program varies, and none is wrong.
	Right, Wrong bool
}

// disagrees says whether a verdict of one excludes a verdict of the other.
func (o *Opinion) disagrees(with *Opinion) bool {
	return slices.ContainsFunc(o.Verdicts, func(a judge.Verdict) bool {
		return slices.ContainsFunc(with.Verdicts, func(b judge.Verdict) bool { return Disagree(a, b) })
	})
}

// same says whether both gave a verdict that does not hang on the machine.
func (o *Opinion) same(as *Opinion) bool {
	return slices.ContainsFunc(o.Verdicts, func(v judge.Verdict) bool { return !hangs(v) && slices.Contains(as.Verdicts, v) })
}

// Audited is what the workers of an audit say of a submission.
type Audited struct {
	Submission string     // id
	Opinions   []*Opinion // that of the first worker comes first
	Agree      bool       // no two verdicts exclude each other
}

// endOfAudit says what the workers say. An audit does not wait for workers that are offline.
func endOfAudit(s *Spec, parts []Part, step *Step) {
	var o AuditOptions
	if step.Failed != "" || json.Unmarshal(s.Options, &o) != nil { // nextOfAudit has read them
		return
	}
	step.Optional, step.Audit = true, &Audited{Submission: o.Submission}
	step.Audit.Opinions, step.Audit.Agree = opinions(&o, parts)
}

// opinions returns those of the workers of an audit, the first worker's first. Agree reports whether no
// two verdicts exclude each other.
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
		steady, against := false, false // another was asked more than once and does not vary; another says otherwise
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
