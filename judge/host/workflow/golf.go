package workflow

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/host/job"
)

// GolfOptions say which golf submissions are checked, and how. All files that they name must be in the Files of
// the workflow's Work.
type GolfOptions struct {
	Submissions []GolfFile `json:"answers"`
	// Reading says how the submissions are read. Its Header and Footer are paths of files in Work.
	Reading golf.ReadOptions `json:"reading"`
	Check   golf.Options     `json:"proof"`
}

// A GolfFile is a file to check.
type GolfFile struct {
	Name string `json:"name"` // name in reports
	File string `json:"file"`
}

// GolfCheckOptions configure a job of kind Check.
type GolfCheckOptions struct {
	GolfFile
	Reading golf.ReadOptions `json:"reading"`
	Check   golf.Options     `json:"proof"`
}

// GolfCheckOutput is the output of a job of kind Check. If the submission cannot be read because of its options, Misuse
// contains the reason, and there is no event.
type GolfCheckOutput struct {
	Misuse  string                     `json:"misuse,omitempty"`
	Unknown *golf.UnknownLanguageError `json:"unknown,omitempty"` // set if the language is unknown
	// Verdict is the verdict in the event, or empty if there is no event. Language is the id of the detected
	// language, and Toolchain identifies the toolchain that ran the submission. How is the way in which it was called.
	Verdict   judge.GolfVerdict `json:"verdict,omitempty"`
	Language  string            `json:"language,omitempty"`
	Toolchain string            `json:"toolchain,omitempty"`
	How       string            `json:"how,omitempty"`
}

// GolfCheckKey returns the key of the task that checks the given golf submission.
func GolfCheckKey(index int) string { return "proof " + strconv.Itoa(index) }

func checkGolf(s *Spec) error {
	var o GolfOptions
	if err := s.decodeOptions(&o); err != nil {
		return err
	}
	if len(o.Submissions) == 0 || len(o.Submissions) > job.MaxFiles {
		return fmt.Errorf("the options name %d answers; it must be 1 to %d", len(o.Submissions), job.MaxFiles)
	}
	for _, a := range o.Submissions {
		if a.Name == "" {
			return errors.New("an answer of the options has no name")
		}
		for _, path := range []string{a.File, o.Reading.Header, o.Reading.Footer} {
			if (path != "" || path == a.File) && !slices.ContainsFunc(s.Work.Files, func(f job.File) bool { return f.Path == path }) {
				return fmt.Errorf("the options name the file %.200q, which did not come along", path)
			}
		}
	}
	return nil
}

func planGolf(s *Spec, parts []TaskResult) (*Step, error) {
	var o GolfOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	step := &Step{Done: true}
	for n, answer := range o.Submissions {
		key := GolfCheckKey(n)
		if !step.isMissing(findResult(parts, key), "") {
			continue
		}
		step.Done = false
		work, err := s.taskWork(job.GolfCheck, GolfCheckOptions{answer, o.Reading, o.Check})
		if err != nil {
			return nil, err
		}
		wanted := []string{answer.File, o.Reading.Header, o.Reading.Footer}
		work.Files = slices.DeleteFunc(slices.Clone(work.Files), func(f job.File) bool { return !slices.Contains(wanted, f.Path) })
		step.Tasks = append(step.Tasks, Task{Key: key, Work: work, Priority: job.PracticePriority, Cost: defaultCost})
	}
	return step, nil
}
