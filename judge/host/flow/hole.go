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

// HoleOptions say how an answer to a hole is proved.
type HoleOptions struct {
	ProofOptions
	// Again says that the answer stands, and is to be found wrong by two workers before it
	// does not any more.
	Again bool `json:"again,omitempty"`
	// Toolchain is, of such an answer, the identity of the one that the workers have now.
	Toolchain string `json:"toolchain,omitempty"`
}

// The keys of the parts of a hole's flow.
const (
	QuickKey  = "quick"  // samples and edges
	WholeKey  = "whole"  // all inputs
	SecondKey = "second" // all inputs, by another worker, of an answer that stood
)

// Estimates of the CPU time of both, and how much of it a whole check may take.
const (
	quickCost  = time.Second
	wholeCost  = 5 * time.Second
	MostProved = 10 * time.Minute // a program of Python takes two for 10,000 inputs
)

// NewHole is a flow that proves an answer. If the answer is rechecked, again is the identity
// of the new toolchain.
func NewHole(w job.Work, o ProofOptions, again string) (*Spec, error) {
	data, err := json.Marshal(HoleOptions{ProofOptions: o, Again: again != "", Toolchain: again})
	return &Spec{Kind: Hole, Work: w, Options: data}, err
}

// nextOfHole proves a new answer on samples and edges, and only where it is right there on
// all inputs. One that stands is proved on all inputs at once.
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
			break // a new answer is wrong, or one that stands is right
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

// Answered is the outcome of the check of an answer to a hole.
type Answered struct {
	Unread    string  // why it cannot be said; if it is set, nothing else is
	Part      *Part   // that says so; nil where no worker could prove the answer
	Proved    *Proved // its output
	Right     bool
	Again     bool     // the answer stood before
	Workers   []string // who proved it
	Toolchain string   // the identity of the one that was used
}

// endOfHole says what came of the answer.
func endOfHole(s *Spec, parts []Part, step *Step) {
	if !step.Done {
		return
	}
	var err error
	if step.Answer, err = answered(s, parts); err != nil {
		step.Answer = &Answered{Unread: err.Error()}
	}
}

// answered returns the outcome of a check that has ended.
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

// Why says in a line why an answer is not right, with the smallest input on which it is not.
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

// HoleAnswer is how an answer to a hole is read and called; what is not said is found out.
type HoleAnswer struct {
	Language string   `json:"language,omitempty"` // id; "" for what the file or the post tells
	Flags    []string `json:"flags,omitempty"`
	As       string   `json:"as,omitempty"`
	Entry    string   `json:"entry,omitempty"`
	Call     string   `json:"call,omitempty"`
	In       string   `json:"in,omitempty"`
}

// mostFlags bounds the bytes of all flags together: they are not counted.
const mostFlags = 40

// Proof is how the answer in a file is proved. The error says what a hole does not allow.
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

// CheckFlags refuses flags in which an answer could hide: flags are not counted.
func CheckFlags(flags []string) error {
	all := 0
	for _, f := range flags {
		all += len(f)
		if !strings.HasPrefix(f, "-") || strings.Trim(f, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=.:/+-") != "" {
			return fmt.Errorf("the flag %.40q has code in it: code belongs into the answer, where it is counted", f)
		}
	}
	if all > mostFlags {
		return fmt.Errorf("the flags have %d bytes, and flags are not counted: the most is %d", all, mostFlags)
	}
	return nil
}
