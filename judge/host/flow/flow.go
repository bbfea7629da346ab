// Package flow plans work that is made of many jobs, such as verifying a problem or running a tournament. A plan is
// a pure function of a specification and the existing parts:
//
//	step, err := flow.Next(spec, parts)
//
// The same parts, in any order, always give the same jobs. So after a restart, or if it is called twice, no job is
// planned again. Each job has the key of the part that it makes.
//
// The package uses neither the database nor the queue: package dispatch calls it after each part.
package flow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
)

// A Kind says what a flow is for.
type Kind string

// The kinds of flows, named after the commands that start them.
const (
	Verify    Kind = "verify"    // Checks of a snapshot, then each Solution
	Golf      Kind = "golf"      // a Proof of each golf submission
	Audit     Kind = "audit"     // another worker judges a submission again; only the server starts it
	Adequacy  Kind = "adequacy"  // of a snapshot: its Lab, all Mutants in parts, the Score; or its Grid
	Arena     Kind = "arena"     // a tournament: the Opening, then Games
	Look      Kind = "look"      // a referee describes played games
	Trial     Kind = "trial"     // the test of a bot for a ladder; only the server starts it
	Encounter Kind = "encounter" // two bots of a ladder play; only the server starts it
	Hole      Kind = "hole"      // the check of a golf submission to a hole; only the server starts it
)

// A Spec specifies a flow.
type Spec struct {
	Kind Kind `json:"kind"`
	// Work is common to all jobs: the problem, and the files of contestants. Each job sets Kind and Options itself.
	Work job.Work `json:"work"`
	// Options are those of the flow's kind.
	Options json.RawMessage `json:"options,omitempty"`
}

// A Part is the result of a job.
type Part struct {
	Key     string
	State   job.State
	Reason  string        // why it failed
	Worker  string        // who did it
	Verdict judge.Verdict // of a submission
	Output  json.RawMessage
	Events  blob.Digest // may be empty
}

// A Job is a job to run. A job that was planned before does not run again.
type Job struct {
	Key  string
	Work job.Work
	Lane job.Lane
	Cost time.Duration // estimated CPU time
	// Exclude lists the workers that must not run the job. Only is the worker that must run it; if empty, any may.
	Exclude []string
	Only    string
}

// A Step is the next step of a flow.
type Step struct {
	Jobs []Job // in the order in which they should run
	// Done reports that no part is missing. Failed says why the flow then failed.
	Done   bool
	Failed string
	// Optional reports that jobs without a connected worker are left out after a while. Without them the flow is
	// done.
	Optional bool
	// Answer is the outcome of the check of a golf submission, if the flow is one and Done.
	Answer *Answered
	// Audit is the result of an audit so far, if the flow is one.
	Audit *Audited
}

// A planner plans one kind of flows.
type planner struct {
	next  func(*Spec, []Part) (*Step, error)
	check func(*Spec) error // of an untrusted spec, without its Work; it reduces Options to the known fields
	// snapshot reports that the flow is about a snapshot of a problem directory, and not about a problem of the
	// server.
	snapshot bool
	// many reports that the files come from many contestants, in a directory each.
	many bool
	// page reports that a page shows the outcome to its owner. The owner cannot cancel such a flow, and sees only
	// what the page shows.
	page bool
	// ends adds the outcome of the flow to each step. If nil, the outcome is only the parts.
	ends func(*Spec, []Part, *Step)
}

var planners = map[Kind]planner{
	Verify:    {next: nextOfVerify, check: checkVerify, snapshot: true},
	Golf:      {next: nextOfGolf, check: checkGolf},
	Audit:     {next: nextOfAudit, check: func(*Spec) error { return errors.New("only the server itself asks for audits") }, ends: endOfAudit},
	Adequacy:  {next: nextOfAdequacy, check: checkAdequacy, snapshot: true},
	Arena:     {next: nextOfArena, check: checkArena, many: true},
	Look:      {next: nextOfLook, check: checkLook},
	Trial:     {next: nextOfTrial, check: func(*Spec) error { return errOwn }, many: true},
	Encounter: {next: nextOfEncounter, check: func(*Spec) error { return errOwn }, many: true},
	Hole:      {next: nextOfHole, check: func(*Spec) error { return errOwn }, page: true, ends: endOfHole},
}

// Next plans what comes after the given parts, and adds the outcome. If the spec cannot be read, it returns an error
// and a failed step, because a retry would give the same error.
func Next(s *Spec, parts []Part) (*Step, error) {
	p, known := planners[s.Kind]
	if !known {
		err := fmt.Errorf("unknown kind of flow %.40q", s.Kind)
		return &Step{Done: true, Failed: err.Error()}, err
	}
	step, err := p.next(s, parts)
	if err != nil {
		err = fmt.Errorf("plan a flow of kind %s: %w", s.Kind, err)
		step = &Step{Done: true, Failed: err.Error()}
	}
	if p.ends != nil {
		p.ends(s, parts, step)
	}
	return step, err
}

// Asked returns the kinds that accounts may start. The server itself starts the others.
func Asked() []Kind { return []Kind{Verify, Golf, Adequacy, Arena, Look} }

// Check returns an error if an untrusted spec is not valid. It reduces Options to the known fields.
func (s *Spec) Check() error {
	p, known := planners[s.Kind]
	if !known {
		return fmt.Errorf("unknown kind of flow %.40q", s.Kind)
	}
	if s.Work.Snapshot != p.snapshot {
		return fmt.Errorf("a flow of kind %s is about a %s", s.Kind,
			map[bool]string{true: "snapshot", false: "problem of the server"}[p.snapshot])
	}
	if err := p.check(s); err != nil {
		return err
	}
	work := s.Work
	work.Kind = job.Checks // any kind, because each job has its own
	return work.Check()
}

// OnSnapshot reports whether flows of a kind are about snapshots of problem directories.
func OnSnapshot(k Kind) bool { return planners[k].snapshot }

// OfMany reports whether the files of flows of a kind are of many contestants, in a directory each.
func OfMany(k Kind) bool { return planners[k].many }

// HasPage reports whether the outcome of flows of a kind has a page of its own: see planner.
func HasPage(k Kind) bool { return planners[k].page }

// work returns the work of a job of the flow.
func (s *Spec) work(k job.Kind, options any) (job.Work, error) {
	w := s.Work
	w.Kind = k
	var err error
	w.Options, err = json.Marshal(options)
	return w, err
}

// strict decodes untrusted options into o, a pointer to the kind's own type. It rejects unknown fields, and reduces
// Options to what was read.
func (s *Spec) strict(o any) error {
	d := json.NewDecoder(bytes.NewReader(s.Options))
	d.DisallowUnknownFields()
	if err := d.Decode(o); err != nil {
		return fmt.Errorf("the options cannot be read: %.200s", err) // the error may quote the options
	}
	var err error
	s.Options, err = json.Marshal(o)
	return err
}

// named rejects options that do not name the directory of a problem in a snapshot.
func named(problem string) error {
	if problem == "" {
		return errors.New("the options name no directory of a problem")
	}
	return nil
}

// missing reports whether a job still has to run. If it failed, the step fails, with what before the reason.
func (s *Step) missing(p *Part, what string) bool {
	if p != nil && p.State != job.Done && s.Failed == "" {
		s.Failed = what + p.Reason
	}
	return p == nil
}

// single plans a job that is the whole flow.
func (s *Spec) single(k job.Kind, lane job.Lane, key string, options any, parts []Part) (*Step, error) {
	step := &Step{}
	if step.Done = !step.missing(part(parts, key), ""); step.Done {
		return step, nil
	}
	work, err := s.work(k, options)
	step.Jobs = []Job{{Key: key, Work: work, Lane: lane, Cost: usualCost}}
	return step, err
}

// part returns a part by its key.
func part(parts []Part, key string) *Part {
	i := slices.IndexFunc(parts, func(p Part) bool { return p.Key == key })
	if i < 0 {
		return nil
	}
	return &parts[i]
}
