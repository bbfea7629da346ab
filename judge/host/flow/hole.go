package flow

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
	ProofOptions
	// Again reports whether this is a recheck of a valid submission. Two workers must then find the submission
	// wrong before it becomes invalid.
	Again bool `json:"again,omitempty"`
	// Toolchain is the identity of the workers' current toolchain, for a recheck.
	Toolchain string `json:"toolchain,omitempty"`
}

// The keys of the parts.
const (
	QuickKey  = "quick"  // samples and edge cases
	WholeKey  = "whole"  // all inputs
	SecondKey = "second" // all inputs by another worker, for a valid submission
)

// Estimates of the CPU time of a check with samples and edge cases and of a check with all inputs, and the time
// limit for the latter.
const (
	quickCost  = time.Second
	wholeCost  = 5 * time.Second
	MostProved = 10 * time.Minute // a Python program takes two minutes for 10,000 inputs
)

// NewHole returns a workflow that checks a golf submission. For a recheck, again identifies the new toolchain.
func NewHole(w job.Work, o ProofOptions, again string) (*Spec, error) {
	data, err := json.Marshal(HoleOptions{ProofOptions: o, Again: again != "", Toolchain: again})
	return &Spec{Kind: Hole, Work: w, Options: data}, err
}

// nextOfHole checks a new submission first with samples and edge cases. If the submission is correct there,
// nextOfHole checks it with all inputs. A valid submission is rechecked with all inputs immediately.
func nextOfHole(s *Spec, parts []Part) (*Step, error) {
	var o HoleOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	step := &Step{}
	want := func(key string, lane job.Lane, cost time.Duration, exclude ...string) (*Step, error) {
		asked := o.ProofOptions
		if asked.Proof.Quick = key == QuickKey; !asked.Proof.Quick {
			asked.Proof.Budget = MostProved
		}
		work, err := s.work(job.Proof, asked)
		step.Jobs = []Job{{Key: key, Work: work, Lane: lane, Cost: cost, Exclude: exclude}}
		return step, err
	}
	keys := []string{QuickKey, WholeKey}
	if o.Again {
		keys = []string{WholeKey, SecondKey}
	}
	var exclude []string
	for _, key := range keys {
		p := part(parts, key)
		if step.missing(p, "") {
			if key == QuickKey {
				return want(key, job.Practice, quickCost)
			}
			return want(key, job.ProofLane, wholeCost, exclude...)
		}
		if step.Failed != "" {
			break
		}
		proved, err := readProved(p)
		if err != nil {
			return nil, err
		}
		if o.Again {
			exclude = append(exclude, p.Worker)
		}
		if right := proved.Verdict == judge.GolfRight; right == o.Again {
			break // a new submission is wrong, or a valid one is still correct
		}
	}
	step.Done = true
	return step, nil
}

func readProved(p *Part) (*Proved, error) {
	proved := &Proved{}
	if err := json.Unmarshal(p.Output, proved); err != nil {
		return nil, fmt.Errorf("read the part %s: %w", p.Key, err)
	}
	return proved, nil
}

// Answered is the result of checking a golf submission.
type Answered struct {
	Unread    string  // reason why there is no result; if set, all other fields are empty
	Part      *Part   // the deciding part; nil if no worker could check it
	Proved    *Proved // its output
	Right     bool
	Again     bool     // the submission was valid before
	Workers   []string // workers that checked it
	Toolchain string   // identifies the toolchain that was used
}

// endOfHole adds the result to a finished step.
func endOfHole(s *Spec, parts []Part, step *Step) {
	if !step.Done {
		return
	}
	var err error
	if step.Answer, err = answered(s, parts); err != nil {
		step.Answer = &Answered{Unread: err.Error()}
	}
}

// answered returns the result of a finished check.
func answered(s *Spec, parts []Part) (*Answered, error) {
	var o HoleOptions
	if err := json.Unmarshal(s.Options, &o); err != nil {
		return nil, err
	}
	a := &Answered{Again: o.Again, Toolchain: o.Toolchain}
	for _, key := range []string{QuickKey, WholeKey, SecondKey} {
		p := part(parts, key)
		if p == nil {
			continue
		}
		if p.State != job.Done {
			a.Part, a.Proved, a.Right = nil, nil, false
			return a, nil
		}
		proved, err := readProved(p)
		if err != nil {
			return nil, err
		}
		a.Part, a.Proved, a.Right = p, proved, proved.Verdict == judge.GolfRight && key != QuickKey
		if !slices.Contains(a.Workers, p.Worker) {
			a.Workers = append(a.Workers, p.Worker)
		}
		if !o.Again {
			a.Toolchain = proved.Toolchain
		}
	}
	return a, nil
}

// Why returns a line that says why a golf submission is not correct, with the smallest input that shows it.
func Why(r *judge.GolfProved) string {
	switch {
	case r.Verdict == judge.GolfCannotRun:
		first, _, _ := strings.Cut(r.Log, "\n")
		return first
	case len(r.Wrong) > 0:
		w := r.Wrong[0]
		return fmt.Sprintf("%s gave %s: %s", w.In, w.Gave, w.Why)
	case len(r.Slow) > 0:
		return fmt.Sprintf("no answer within %g s of CPU time at %s", float64(r.TimeMS)/1000, r.Slow[0])
	case r.Verdict == judge.GolfSlow:
		return r.Log
	}
	return ""
}

// A HoleAnswer says how a golf submission is read and called. Everything that it does not set is detected.
type HoleAnswer struct {
	Language string   `json:"language,omitempty"` // id; if empty, the file or the post decides
	Flags    []string `json:"flags,omitempty"`
	As       string   `json:"as,omitempty"`
	Entry    string   `json:"entry,omitempty"`
	Call     string   `json:"call,omitempty"`
	In       string   `json:"in,omitempty"`
}

// mostFlags is the maximum number of bytes in all flags together, because flags do not count toward the size.
const mostFlags = 40

// Proof returns how the submission in a file is checked. It returns an error if a hole does not allow the settings
// of a.
func (a *HoleAnswer) Proof(file string) (ProofOptions, error) {
	o := ProofOptions{
		GolfAnswer: GolfAnswer{Name: file, File: file}, Reading: golf.Reading{Language: a.Language, Flags: a.Flags},
		Proof: golf.Options{As: a.As, Entry: a.Entry, Call: a.Call, In: a.In, Seed: 1},
	}
	if a.As != "" && a.As != "function" && a.As != "program" {
		return o, fmt.Errorf("an answer is a function or a program, and not %.40q", a.As)
	}
	if a.In != "" && !slices.Contains(golf.Inputs(), a.In) {
		return o, fmt.Errorf("a program gets its input as one of %s, and not as %.40q", strings.Join(golf.Inputs(), "; "), a.In)
	}
	return o, CheckFlags(a.Flags)
}

// CheckFlags rejects flags that could contain code, because flags do not count toward the size.
func CheckFlags(flags []string) error {
	all := 0
	for _, f := range flags {
		all += len(f)
		if !strings.HasPrefix(f, "-") || strings.Trim(f, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=.:/+-") != "" {
			return fmt.Errorf("the flag %.40q has code in it: code belongs in the answer, where its length is counted", f)
		}
	}
	if all > mostFlags {
		return fmt.Errorf("%d bytes of flags are too many: flags are not counted, so the limit is %d", all, mostFlags)
	}
	return nil
}
