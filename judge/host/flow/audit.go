package flow

import (
	"encoding/json"
	"fmt"

	"assay/judge"
	"assay/judge/host/job"
)

// AuditOptions say what a worker said of the submission that Work is about.
type AuditOptions struct {
	Submission string        `json:"submission"` // id
	Worker     string        `json:"worker"`
	Verdict    judge.Verdict `json:"verdict"`
}

// NewAudit is a flow that has a submission judged again by another worker.
func NewAudit(w *job.Work, o AuditOptions) (*Spec, error) {
	data, err := json.Marshal(o)
	return &Spec{Kind: Audit, Work: *w, Options: data}, err
}

// Disagree says whether two workers cannot both be right: of a verdict of time, and of one that
// is the machine's, they can.
func Disagree(a, b judge.Verdict) bool {
	may := func(v judge.Verdict) bool {
		return v == judge.TimeLimit || v == judge.IdlenessLimit || v == judge.JudgeError
	}
	return a != b && !may(a) && !may(b)
}

// nextOfAudit asks a second worker. The flow fails where the two disagree.
func nextOfAudit(s *Spec, parts []Part) (*Step, error) {
	const key = "again"
	var o AuditOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	second := part(parts, key)
	if second == nil {
		work := s.Work
		work.Kind = job.Submission
		return &Step{Jobs: []Job{{Key: key, Work: work, Lane: job.Background, Cost: usualCost, Exclude: []string{o.Worker}}}}, nil
	}
	step := &Step{Done: true}
	if second.State == job.Done && Disagree(second.Verdict, o.Verdict) {
		step.Failed = fmt.Sprintf("%s says %s of the submission %s; %s says %s", o.Worker, o.Verdict, o.Submission, second.Worker, second.Verdict)
	}
	return step, nil
}
