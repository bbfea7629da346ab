package workflow

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
	Problem  string              `json:"problem"`
	Budget   mutate.SearchBudget `json:"hunt"`
	Thorough bool                `json:"thorough,omitempty"`
	Grid     bool                `json:"grid,omitempty"` // measure only what each test case finds
}

// MutantSet is the output of a job of kind Lab. If the job finds problem errors, it reports them instead, and Digest
// is empty.
type MutantSet struct {
	Digest        string        `json:"made,omitempty"` // identifies the set of all mutants
	Count         int           `json:"count"`
	TimePerMutant time.Duration `json:"each_ns"` // average time for judging one of the mutants that were tried
}

// MutantsOptions select the mutants that a job of kind Mutants judges: every Stride-th mutant, starting at First.
type MutantsOptions struct {
	AdequacyOptions
	Digest string `json:"made"`
	First  int    `json:"first"`
	Stride int    `json:"of"`
}

// ScoreOptions configure a job of kind Score. The Lines of the job contain the lines of a journal.
type ScoreOptions struct {
	AdequacyOptions
	Digest string `json:"made"`
}

// The keys of tasks that occur only once.
const (
	MutantGenerationKey = "lab"
	ScoreKey            = "score"
	GridKey             = "grid"
)

// MutantsKey returns the key of the task that judges every stride-th mutant.
func MutantsKey(first, stride int) string { return fmt.Sprintf("mutants %d of %d", first, stride) }

// The mutants are divided into at most maxTasks jobs that take about taskTime each.
const (
	taskTime = 3 * time.Second
	maxTasks = 250
)

// TaskCount returns the number of jobs into which the mutants are divided.
func (m *MutantSet) TaskCount() int {
	if m.Count <= 0 {
		return 0
	}
	n := int64(m.TimePerMutant) * int64(m.Count) / int64(taskTime)
	return int(min(max(n, 1), maxTasks, int64(m.Count)))
}

func checkAdequacy(s *Spec) error {
	var o AdequacyOptions
	if err := s.decodeOptions(&o); err != nil {
		return err
	}
	return checkProblemPath(o.Problem)
}

func planAdequacy(s *Spec, parts []TaskResult) (*Step, error) {
	var o AdequacyOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	if o.Grid {
		return s.planSingle(job.Grid, job.BackgroundPriority, GridKey, o, parts)
	}
	step, err := s.planSingle(job.MutantGeneration, job.BackgroundPriority, MutantGenerationKey, o, parts)
	if err != nil || !step.Done || step.Failed != "" {
		return step, err
	}
	var mutants MutantSet
	if err := json.Unmarshal(findResult(parts, MutantGenerationKey).Output, &mutants); err != nil {
		return nil, fmt.Errorf("read what the lab made: %w", err)
	}
	if mutants.Digest == "" { // it reported problem errors
		return step, nil
	}
	var lines []blob.Digest
	for first, count := 0, mutants.TaskCount(); first < count; first++ {
		key := MutantsKey(first, count)
		if p := findResult(parts, key); !step.isMissing(p, key+": ") {
			lines = append(lines, p.Events)
			continue
		}
		work, err := s.taskWork(job.Mutants, MutantsOptions{o, mutants.Digest, first, count})
		if err != nil {
			return nil, err
		}
		step.Tasks = append(step.Tasks, Task{Key: key, Work: work, Priority: job.BackgroundPriority, Cost: taskTime})
	}
	if len(step.Tasks) > 0 || step.Failed != "" {
		step.Done = len(step.Tasks) == 0
		return step, nil
	}
	judged := *s
	judged.Work.Lines = lines
	return judged.planSingle(job.Score, job.BackgroundPriority, ScoreKey, ScoreOptions{o, mutants.Digest}, parts)
}
