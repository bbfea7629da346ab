package flow

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
	Answers []GolfAnswer `json:"answers"`
	// Reading says how the submissions are read. Its Header and Footer are paths of files in Work.
	Reading golf.Reading `json:"reading"`
	Proof   golf.Options `json:"proof"`
}

// A GolfAnswer is a file to check.
type GolfAnswer struct {
	Name string `json:"name"` // name in reports
	File string `json:"file"`
}

// ProofOptions configure a job of kind Proof.
type ProofOptions struct {
	GolfAnswer
	Reading golf.Reading `json:"reading"`
	Proof   golf.Options `json:"proof"`
}

// Proved is the output of a job of kind Proof. If the submission cannot be read because of its options, Misuse
// contains the reason, and there is no event.
type Proved struct {
	Misuse  string                     `json:"misuse,omitempty"`
	Unknown *golf.UnknownLanguageError `json:"unknown,omitempty"` // set if the language is unknown
	// Verdict is the verdict in the event, or empty if there is no event. Language is the id of the detected
	// language, and Toolchain identifies the toolchain that ran the submission.
	Verdict   judge.GolfVerdict `json:"verdict,omitempty"`
	Language  string            `json:"language,omitempty"`
	Toolchain string            `json:"toolchain,omitempty"`
}

// ProofKey returns the key of the part that checks the given golf submission.
func ProofKey(answer int) string { return "proof " + strconv.Itoa(answer) }

func checkGolf(s *Spec) error {
	var o GolfOptions
	if err := s.strict(&o); err != nil {
		return err
	}
	if len(o.Answers) == 0 || len(o.Answers) > job.MaxFiles {
		return fmt.Errorf("the options name %d answers; it must be 1 to %d", len(o.Answers), job.MaxFiles)
	}
	for _, a := range o.Answers {
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

func nextOfGolf(s *Spec, parts []Part) (*Step, error) {
	var o GolfOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	step := &Step{Done: true}
	for n, answer := range o.Answers {
		key := ProofKey(n)
		if !step.missing(part(parts, key), "") {
			continue
		}
		step.Done = false
		work, err := s.work(job.Proof, ProofOptions{answer, o.Reading, o.Proof})
		if err != nil {
			return nil, err
		}
		wanted := []string{answer.File, o.Reading.Header, o.Reading.Footer}
		work.Files = slices.DeleteFunc(slices.Clone(work.Files), func(f job.File) bool { return !slices.Contains(wanted, f.Path) })
		step.Jobs = append(step.Jobs, Job{Key: key, Work: work, Lane: job.Practice, Cost: usualCost})
	}
	return step, nil
}
