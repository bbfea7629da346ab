package workflow

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

// NewAuditSpec returns a workflow in which another worker rejudges a submission.
func NewAuditSpec(w *job.Work, o AuditOptions) (*Spec, error) {
	data, err := json.Marshal(o)
	return &Spec{Kind: Audit, Work: *w, Options: data}, err
}

// Disagree reports whether two verdicts contradict each other. A verdict that depends on the machine, such as a
// time limit, contradicts no other verdict.
func Disagree(a, b judge.Verdict) bool { return a != b && !isTimeLimit(a) && !isTimeLimit(b) }

// isTimeLimit reports whether a verdict depends on the machine.
func isTimeLimit(v judge.Verdict) bool {
	return v == judge.TimeLimit || v == judge.IdlenessLimit || v == judge.JudgeError
}

// planAudit lets a second worker judge the submission. If the first two workers disagree, each of them judges
// the submission twice more, to show whether the program or a machine behaves randomly. A third worker also judges
// it, to decide which of the two is right.
func planAudit(s *Spec, parts []TaskResult) (*Step, error) {
	var o AuditOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	work := s.Work
	work.Kind = job.Submission
	step := &Step{}
	ask := func(key, only string, exclude ...string) {
		if findResult(parts, key) == nil {
			step.Tasks = append(
				step.Tasks,
				Task{Key: key, Work: work, Priority: job.BackgroundPriority, Cost: defaultCost, Only: only, Exclude: exclude},
			)
		}
	}
	const again = "again"
	ask(again, "", o.Worker)
	if second := findResult(parts, again); second != nil && second.State == job.Done && Disagree(second.Verdict, o.Verdict) {
		ask("third", "", o.Worker, second.Worker)
		for _, n := range []string{"2", "3"} {
			ask("first/"+n, o.Worker)
			ask("second/"+n, second.Worker)
		}
	}
	step.Done = len(step.Tasks) == 0
	return step, nil
}

// An WorkerVerdicts contains the verdicts of one worker on a submission.
type WorkerVerdicts struct {
	Worker   string
	Verdicts []judge.Verdict
	// Right reports whether another worker gives the same verdict. Wrong reports whether another worker gives a
	// contradicting verdict and none gives the same. With two workers, Wrong is set for both, unless one
	// contradicts itself. If all contradict themselves, the program behaves randomly, and no worker is wrong.
	Right, Wrong bool
}

// contradicts reports whether a verdict of o contradicts a verdict of the other opinion.
func (o *WorkerVerdicts) contradicts(other *WorkerVerdicts) bool {
	return slices.ContainsFunc(o.Verdicts, func(a judge.Verdict) bool {
		return slices.ContainsFunc(other.Verdicts, func(b judge.Verdict) bool { return Disagree(a, b) })
	})
}

// agrees reports whether the two opinions have a common verdict that does not depend on the machine.
func (o *WorkerVerdicts) agrees(other *WorkerVerdicts) bool {
	return slices.ContainsFunc(o.Verdicts, func(v judge.Verdict) bool { return !isTimeLimit(v) && slices.Contains(other.Verdicts, v) })
}

// AuditResult is the current result of an audit.
type AuditResult struct {
	Submission string            // id
	Opinions   []*WorkerVerdicts // the first worker's is first
	Consistent bool              // no two verdicts contradict each other
}

// addAuditResult adds the current result of an audit to a step. It also makes the jobs of the step optional, because
// an audit does not wait for workers that are offline.
func addAuditResult(s *Spec, parts []TaskResult, step *Step) {
	var o AuditOptions
	if step.Failed != "" || json.Unmarshal(s.Options, &o) != nil { // planAudit reports this error
		return
	}
	step.Optional, step.Audit = true, &AuditResult{Submission: o.Submission}
	step.Audit.Opinions, step.Audit.Consistent = opinions(&o, parts)
}

// opinions returns the opinions of the workers in an audit, starting with the first worker's. Consistent reports
// whether no two verdicts contradict each other.
func opinions(o *AuditOptions, parts []TaskResult) (verdicts []*WorkerVerdicts, agree bool) {
	verdicts = []*WorkerVerdicts{{Worker: o.Worker, Verdicts: []judge.Verdict{o.Verdict}}}
	for _, p := range parts {
		if p.State != job.Done {
			continue
		}
		i := slices.IndexFunc(verdicts, func(o *WorkerVerdicts) bool { return o.Worker == p.Worker })
		if i < 0 {
			i, verdicts = len(verdicts), append(verdicts, &WorkerVerdicts{Worker: p.Worker})
		}
		verdicts[i].Verdicts = append(verdicts[i].Verdicts, p.Verdict)
	}
	agree = true
	for _, one := range verdicts {
		varies := one.contradicts(one)
		steady, contradicted := false, false // another worker was asked repeatedly and is consistent; one disagrees
		for _, other := range verdicts {
			if other == one || other.contradicts(other) {
				continue
			}
			steady, contradicted = steady || len(other.Verdicts) > 1, contradicted || one.contradicts(other)
			one.Right = one.Right || !varies && one.agrees(other)
		}
		one.Wrong = varies && steady || !varies && contradicted && !one.Right
		agree = agree && !varies && !contradicted
	}
	return verdicts, agree
}

func (o *WorkerVerdicts) String() string {
	said := make([]string, len(o.Verdicts))
	for i, v := range o.Verdicts {
		said[i] = string(v)
	}
	return fmt.Sprintf("%s says %s", o.Worker, strings.Join(said, ", "))
}
