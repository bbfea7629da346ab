// Package flow plans workflows: work that consists of many jobs, such as verifying a problem or running a
// tournament. A plan is a pure function of a specification and the existing parts:
//
//	step, err := flow.Next(spec, parts)
//
// The same parts, in any order, always give the same jobs. Therefore no job is planned twice, even after a restart
// or with repeated calls. Each job has the key of the part that it produces.
//
// The package uses neither the database nor the queue. Package dispatch calls it after each part.
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

// A Kind is the purpose of a workflow.
type Kind string

// The kinds of workflows, named after the commands that start them.
const (
	Verify    Kind = "verify"    // Checks of a snapshot, then each Solution
	Golf      Kind = "golf"      // a Proof of each golf submission
	Audit     Kind = "audit"     // another worker rejudges a submission; only the server starts it
	Adequacy  Kind = "adequacy"  // for a snapshot: its Lab, all Mutants in parts, the Score; or its Grid
	Arena     Kind = "arena"     // a tournament: the Opening, then Games
	Look      Kind = "look"      // a referee describes played games
	Trial     Kind = "trial"     // the test of a bot for a ladder; only the server starts it
	Encounter Kind = "encounter" // two bots of a ladder play; only the server starts it
	Hole      Kind = "hole"      // the check of a golf submission to a hole; only the server starts it
)

// A Spec specifies a workflow.
type Spec struct {
	Kind Kind `json:"kind"`
	// Work contains the data that all jobs share: the problem, and the files of contestants. Each job has its own
	// Kind and Options.
	Work job.Work `json:"work"`
	// Options are the options of the workflow. Their type depends on Kind.
	Options json.RawMessage `json:"options,omitempty"`
}

// A Part is the result of a job.
type Part struct {
	Key     string
	State   job.State
	Reason  string        // why it failed
	Worker  string        // who did it
	Verdict judge.Verdict // for a submission
	Output  json.RawMessage
	Events  blob.Digest // may be empty
}

// A Job is a job to run. The caller must ignore a job that was planned before.
type Job struct {
	Key  string
	Work job.Work
	Lane job.Lane
	Cost time.Duration // estimated CPU time
	// Exclude lists the workers that must not run the job. Only names the worker that must run it. If Only is
	// empty, any worker that is not excluded may run it.
	Exclude []string
	Only    string
}

// A Step is the next step of a workflow.
type Step struct {
	Jobs []Job // in the order in which they should run
	// Done reports whether all parts exist. If the workflow failed, Failed is the reason.
	Done   bool
	Failed string
	// Optional reports whether jobs without a connected worker are skipped after a while. The workflow is then
	// done without them.
	Optional bool
	// Answer is the result of checking a golf submission. It is set if the workflow is such a check and Done.
	Answer *Answered
	// Audit is the current result of an audit. It is set if the workflow is an audit.
	Audit *Audited
}

// A planner plans workflows of one kind.
type planner struct {
	next  func(*Spec, []Part) (*Step, error)
	check func(*Spec) error // checks an untrusted spec without Work; drops unknown fields of Options
	// snapshot reports whether the workflow needs a snapshot of a problem directory, instead of a problem on the
	// server.
	snapshot bool
	// many reports whether the files come from many contestants, with one directory per contestant.
	many bool
	// page reports whether a page shows the result to the owner. The owner cannot cancel such a workflow, and sees
	// only what the page shows.
	page bool
	// ends adds the result of the workflow to each step. If nil, the result consists only of the parts.
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

// Next plans the step that follows the given parts, and adds the result. If the spec cannot be read, Next returns
// an error and a failed step, because a retry would give the same error.
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

// Asked returns the kinds of workflows that accounts may start. Only the server starts workflows of other kinds.
func Asked() []Kind { return []Kind{Verify, Golf, Adequacy, Arena, Look} }

// Check returns an error if an untrusted spec is not valid. It removes unknown fields from Options.
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
	work.Kind = job.Checks // an arbitrary kind, because each job sets its own
	return work.Check()
}

// OnSnapshot reports whether workflows of kind k work on snapshots of problem directories.
func OnSnapshot(k Kind) bool { return planners[k].snapshot }

// OfMany reports whether workflows of kind k have the files of many contestants, with one directory per
// contestant.
func OfMany(k Kind) bool { return planners[k].many }

// HasPage reports whether a page shows the results of workflows of kind k: see planner.
func HasPage(k Kind) bool { return planners[k].page }

// work returns the work of a job in the workflow.
func (s *Spec) work(k job.Kind, options any) (job.Work, error) {
	w := s.Work
	w.Kind = k
	var err error
	w.Options, err = json.Marshal(options)
	return w, err
}

// strict decodes untrusted options into o, a pointer to the type of the kind's options. It rejects unknown fields,
// and sets Options to the decoded fields.
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

// named rejects options that do not name a problem directory in a snapshot.
func named(problem string) error {
	if problem == "" {
		return errors.New("the options name no directory of a problem")
	}
	return nil
}

// missing reports whether p is nil, so that the job of the part still has to run. If the job failed, s fails with
// the job's reason, preceded by the text what.
func (s *Step) missing(p *Part, what string) bool {
	if p != nil && p.State != job.Done && s.Failed == "" {
		s.Failed = what + p.Reason
	}
	return p == nil
}

// single plans the only job of a workflow.
func (s *Spec) single(k job.Kind, lane job.Lane, key string, options any, parts []Part) (*Step, error) {
	step := &Step{}
	if step.Done = !step.missing(part(parts, key), ""); step.Done {
		return step, nil
	}
	work, err := s.work(k, options)
	step.Jobs = []Job{{Key: key, Work: work, Lane: lane, Cost: usualCost}}
	return step, err
}

// part returns the part with the given key. It returns nil if there is none.
func part(parts []Part, key string) *Part {
	i := slices.IndexFunc(parts, func(p Part) bool { return p.Key == key })
	if i < 0 {
		return nil
	}
	return &parts[i]
}
