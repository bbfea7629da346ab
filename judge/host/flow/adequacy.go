package flow

import (
	"encoding/json"
	"fmt"
	"time"

	"assay/judge/blob"
	"assay/judge/cases/mutate"
	"assay/judge/host/job"
)

// AdequacyOptions configure a workflow that measures how well the test cases of a problem detect mutants.
type AdequacyOptions struct {
	// Problem is the path of the problem directory in the snapshot.
	Problem  string      `json:"problem"`
	Hunt     mutate.Hunt `json:"hunt"`
	Thorough bool        `json:"thorough,omitempty"`
	Grid     bool        `json:"grid,omitempty"` // measure only what each test case finds
}

// Mutated is the output of a job of kind Lab. If the job finds problem errors, it reports them instead, and Made
// is empty.
type Mutated struct {
	Made  string        `json:"made,omitempty"` // identifies the set of all mutants
	Count int           `json:"count"`
	Each  time.Duration `json:"each_ns"` // average time for judging one of the mutants that were tried
}

// MutantsOptions select the mutants that a job of kind Mutants judges: every Of-th mutant, starting at First.
type MutantsOptions struct {
	AdequacyOptions
	Made  string `json:"made"`
	First int    `json:"first"`
	Of    int    `json:"of"`
}

// ScoreOptions configure a job of kind Score. The Lines of the job contain the lines of a journal.
type ScoreOptions struct {
	AdequacyOptions
	Made string `json:"made"`
}

// The keys of parts that occur only once.
const (
	LabKey   = "lab"
	ScoreKey = "score"
	GridKey  = "grid"
)

// MutantsKey returns the key of the part with every of-th mutant.
func MutantsKey(first, of int) string { return fmt.Sprintf("mutants %d of %d", first, of) }

// The mutants are divided into at most mostMutants jobs that take about mutantsTime each.
const (
	mutantsTime = 3 * time.Second
	mostMutants = 250
)

// Cut returns the number of jobs into which the mutants are divided.
func (m *Mutated) Cut() int {
	if m.Count <= 0 {
		return 0
	}
	n := int64(m.Each) * int64(m.Count) / int64(mutantsTime)
	return int(min(max(n, 1), mostMutants, int64(m.Count)))
}

func checkAdequacy(s *Spec) error {
	var o AdequacyOptions
	if err := s.strict(&o); err != nil {
		return err
	}
	return named(o.Problem)
}

func nextOfAdequacy(s *Spec, parts []Part) (*Step, error) {
	var o AdequacyOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	if o.Grid {
		return s.single(job.Grid, job.Background, GridKey, o, parts)
	}
	step, err := s.single(job.Lab, job.Background, LabKey, o, parts)
	if err != nil || !step.Done || step.Failed != "" {
		return step, err
	}
	var made Mutated
	if err := json.Unmarshal(part(parts, LabKey).Output, &made); err != nil {
		return nil, fmt.Errorf("read what the lab made: %w", err)
	}
	if made.Made == "" { // it reported problem errors
		return step, nil
	}
	var lines []blob.Digest
	for first, of := 0, made.Cut(); first < of; first++ {
		key := MutantsKey(first, of)
		if p := part(parts, key); !step.missing(p, key+": ") {
			lines = append(lines, p.Events)
			continue
		}
		work, err := s.work(job.Mutants, MutantsOptions{o, made.Made, first, of})
		if err != nil {
			return nil, err
		}
		step.Jobs = append(step.Jobs, Job{Key: key, Work: work, Lane: job.Background, Cost: mutantsTime})
	}
	if len(step.Jobs) > 0 || step.Failed != "" {
		step.Done = len(step.Jobs) == 0
		return step, nil
	}
	judged := *s
	judged.Work.Lines = lines
	return judged.single(job.Score, job.Background, ScoreKey, ScoreOptions{o, made.Made}, parts)
}
