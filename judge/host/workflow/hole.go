package workflow

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/host/job"
)

// HoleOptions say how a golf submission to a hole is checked.
type HoleOptions struct {
	GolfCheckOptions
	// Recheck reports whether this is a recheck of a valid submission. Two workers must then find the submission
	// wrong before it becomes invalid.
	Recheck bool `json:"again,omitempty"`
	// Toolchain is the identity of the workers' current toolchain, for a recheck.
	Toolchain string `json:"toolchain,omitempty"`
}

// The keys of the tasks.
const (
	SamplesKey    = "quick"  // samples and edge cases
	ExhaustiveKey = "whole"  // all inputs
	SecondKey     = "second" // all inputs by another worker, for a valid submission
)

// Estimates of the CPU time of a check with samples and edge cases and of a check with all inputs, and the time
// limit for the latter.
const (
	samplesCost    = time.Second
	exhaustiveCost = 5 * time.Second
	MaxCheckTime   = 10 * time.Minute // a Python program takes two minutes for 10,000 inputs
)

// NewHoleSpec returns a workflow that checks a golf submission. For a recheck, again identifies the new toolchain.
func NewHoleSpec(w job.Work, o GolfCheckOptions, toolchain string) (*Spec, error) {
	data, err := json.Marshal(HoleOptions{GolfCheckOptions: o, Recheck: toolchain != "", Toolchain: toolchain})
	return &Spec{Kind: Hole, Work: w, Options: data}, err
}

// planHole checks a new submission first with samples and edge cases. If the submission is correct there,
// planHole checks it with all inputs. A valid submission is rechecked with all inputs immediately.
func planHole(s *Spec, parts []TaskResult) (*Step, error) {
	var o HoleOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	step := &Step{}
	found := "" // how the submission is called
	want := func(key string, priority job.Priority, cost time.Duration, exclude ...string) (*Step, error) {
		options := o.GolfCheckOptions
		if options.Check.Quick = key == SamplesKey; !options.Check.Quick {
			options.Check.Budget, options.Check.First = MaxCheckTime, found
		}
		work, err := s.taskWork(job.GolfCheck, options)
		step.Tasks = []Task{{Key: key, Work: work, Priority: priority, Cost: cost, Exclude: exclude}}
		return step, err
	}
	keys := []string{SamplesKey, ExhaustiveKey}
	if o.Recheck {
		keys = []string{ExhaustiveKey, SecondKey}
	}
	var exclude []string
	for _, key := range keys {
		p := findResult(parts, key)
		if step.isMissing(p, "") {
			if key == SamplesKey {
				return want(key, job.PracticePriority, samplesCost)
			}
			return want(key, job.GolfPriority, exhaustiveCost, exclude...)
		}
		if step.Failed != "" {
			break
		}
		proved, err := readGolfOutput(p)
		if err != nil {
			return nil, err
		}
		if found = proved.How; o.Recheck {
			exclude, found = append(exclude, p.Worker), "" // the second worker detects it too
		}
		if right := proved.Verdict == judge.GolfCorrect; right == o.Recheck {
			break // a new submission is wrong, or a valid one is still correct
		}
	}
	step.Done = true
	return step, nil
}

func readGolfOutput(p *TaskResult) (*GolfCheckOutput, error) {
	proved := &GolfCheckOutput{}
	if err := json.Unmarshal(p.Output, proved); err != nil {
		return nil, fmt.Errorf("read the part %s: %w", p.Key, err)
	}
	return proved, nil
}

// GolfOutcome is the result of checking a golf submission.
type GolfOutcome struct {
	Unreadable string           // reason why there is no result; if set, all other fields are empty
	Deciding   *TaskResult      // the deciding task; nil if no worker could check it
	Output     *GolfCheckOutput // its output
	Correct    bool
	Recheck    bool     // the submission was valid before
	Workers    []string // workers that checked it
	Toolchain  string   // identifies the toolchain that was used
}

// addHoleResult adds the result to a finished step.
func addHoleResult(s *Spec, parts []TaskResult, step *Step) {
	if !step.Done {
		return
	}
	var err error
	if step.GolfCheck, err = golfOutcome(s, parts); err != nil {
		step.GolfCheck = &GolfOutcome{Unreadable: err.Error()}
	}
}

// golfOutcome returns the result of a finished check.
func golfOutcome(s *Spec, parts []TaskResult) (*GolfOutcome, error) {
	var o HoleOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	a := &GolfOutcome{Recheck: o.Recheck, Toolchain: o.Toolchain}
	for _, key := range []string{SamplesKey, ExhaustiveKey, SecondKey} {
		p := findResult(parts, key)
		if p == nil {
			continue
		}
		if p.State != job.Done {
			a.Deciding, a.Output, a.Correct = nil, nil, false
			return a, nil
		}
		proved, err := readGolfOutput(p)
		if err != nil {
			return nil, err
		}
		a.Deciding, a.Output, a.Correct = p, proved, proved.Verdict == judge.GolfCorrect && key != SamplesKey
		if !slices.Contains(a.Workers, p.Worker) {
			a.Workers = append(a.Workers, p.Worker)
		}
		if !o.Recheck {
			a.Toolchain = proved.Toolchain
		}
	}
	return a, nil
}

// RejectReason returns a line that says why a golf submission is not correct, with the smallest input that shows it.
func RejectReason(r *judge.GolfChecked) string {
	switch {
	case r.Verdict == judge.GolfCannotRun:
		first, _, _ := strings.Cut(r.Log, "\n")
		return first
	case len(r.Wrong) > 0:
		w := r.Wrong[0]
		return fmt.Sprintf("%s gave %s: %s", w.In, w.Gave, w.Why)
	case len(r.Slow) > 0:
		return fmt.Sprintf("no answer within %g s of CPU time at %s", float64(r.TimeMS)/1000, r.Slow[0])
	case r.Verdict == judge.GolfTooSlow:
		return r.Log
	}
	return ""
}

// A GolfSubmissionOptions says how a golf submission is read and called. Everything that it does not set is detected.
type GolfSubmissionOptions struct {
	Language string   `json:"language,omitempty"` // id; if empty, the file or the post decides
	Flags    []string `json:"flags,omitempty"`
	Reading  string   `json:"as,omitempty"`
	Entry    string   `json:"entry,omitempty"`
	Call     string   `json:"call,omitempty"`
	In       string   `json:"in,omitempty"`
}

// maxFlags is the maximum number of bytes in all flags together, because flags do not count toward the size.
const maxFlags = 40

// CheckOptions returns how the submission in a file is checked. It returns an error if a hole does not allow the settings
// of a.
func (a *GolfSubmissionOptions) CheckOptions(file string) (GolfCheckOptions, error) {
	o := GolfCheckOptions{
		GolfFile: GolfFile{Name: file, File: file}, Reading: golf.ReadOptions{Language: a.Language, Flags: a.Flags},
		Check: golf.Options{Kind: a.Reading, Entry: a.Entry, Call: a.Call, InputForm: a.In, Seed: 1},
	}
	if a.Reading != "" && a.Reading != "function" && a.Reading != "program" {
		return o, fmt.Errorf("an answer is a function or a program, and not %.40q", a.Reading)
	}
	if a.In != "" && !slices.Contains(golf.InputForms(), a.In) {
		return o, fmt.Errorf("a program gets its input as one of %s, and not as %.40q", strings.Join(golf.InputForms(), "; "), a.In)
	}
	return o, CheckFlags(a.Flags)
}

// CheckFlags rejects flags that could contain code, because flags do not count toward the size.
func CheckFlags(flags []string) error {
	size := 0
	for _, f := range flags {
		size += len(f)
		if !strings.HasPrefix(f, "-") || strings.Trim(f, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=.:/+-") != "" {
			return fmt.Errorf("the flag %.40q has code in it: code belongs in the answer, where its length is counted", f)
		}
	}
	if size > maxFlags {
		return fmt.Errorf("%d bytes of flags are too many: flags are not counted, so the limit is %d", size, maxFlags)
	}
	return nil
}
