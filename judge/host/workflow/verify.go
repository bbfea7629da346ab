package workflow

import (
	"encoding/json"
	"fmt"
	"time"

	"assay/judge/bundle"
	"assay/judge/host/job"
)

// VerifyOptions configure the verification of a problem.
type VerifyOptions struct {
	// Problem is the path of the problem directory in the snapshot.
	Problem string   `json:"problem"`
	Only    []string `json:"only,omitempty"` // parts of the paths of solutions; if empty, all solutions
	All     bool     `json:"all,omitempty"`  // judge each solution on every test case
	Fresh   bool     `json:"fresh,omitempty"`
}

// ChecksOutput is the output of a job of kind Checks.
type ChecksOutput struct {
	Ready     bool             `json:"ready"`     // the solutions can be judged
	Solutions []string         `json:"solutions"` // their paths in the snapshot
	Findings  *bundle.Findings `json:"found,omitempty"`
}

// SolutionOptions say which solution a job of kind Solution judges.
type SolutionOptions struct {
	VerifyOptions
	Path     string           `json:"path"` // in the snapshot
	Findings *bundle.Findings `json:"found,omitempty"`
}

// ChecksKey is the key of the task that checks everything except the solutions.
const ChecksKey = "checks"

// SolutionKey returns the key of the task that judges a solution.
func SolutionKey(path string) string { return "solution " + path }

// defaultCost is the default estimate of a task's CPU time.
const defaultCost = time.Second

func checkVerify(s *Spec) error {
	var o VerifyOptions
	if err := s.decodeOptions(&o); err != nil {
		return err
	}
	return checkProblemPath(o.Problem)
}

func planVerify(s *Spec, parts []TaskResult) (*Step, error) {
	var o VerifyOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	step, err := s.planSingle(job.Checks, job.BackgroundPriority, ChecksKey, o, parts)
	if err != nil || !step.Done || step.Failed != "" {
		return step, err
	}
	var c ChecksOutput
	if err := json.Unmarshal(findResult(parts, ChecksKey).Output, &c); err != nil {
		return nil, fmt.Errorf("read what the checks found: %w", err)
	}
	if !c.Ready {
		return step, nil
	}
	for _, path := range c.Solutions {
		key := SolutionKey(path)
		if !step.isMissing(findResult(parts, key), path+": ") {
			continue
		}
		step.Done = false
		work, err := s.taskWork(job.Solution, SolutionOptions{o, path, c.Findings})
		if err != nil {
			return nil, err
		}
		step.Tasks = append(step.Tasks, Task{Key: key, Work: work, Priority: job.BackgroundPriority, Cost: defaultCost})
	}
	return step, nil
}
