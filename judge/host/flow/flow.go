// Package flow plans work that is made of many jobs: to verify a problem, or to hold an event
// of bots. A plan is a pure function of what is asked for and of the parts that are there,
//
//	step, err := flow.Next(spec, parts)
//
// so the same parts, in whatever order they came, always give the same jobs: after a restart,
// or if it is called twice, no job is planned again. The key of a job is that of the
// part that it makes.
//
// The package knows no database and no queue: package dispatch asks it after each part.
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

// Kind says what a flow comes to.
type Kind string

// The kinds of flows, called as the commands that ask for them.
const (
	Verify    Kind = "verify"    // Checks of a snapshot, then each Solution
	Golf      Kind = "golf"      // a Proof of each answer to a golf problem of the server
	Audit     Kind = "audit"     // a submission that was judged, again elsewhere: asked for by the server
	Adequacy  Kind = "adequacy"  // of a snapshot: its Lab, all Mutants in parts, the Score; or its Grid
	Arena     Kind = "arena"     // an event of bots: the Opening, then Games
	Look      Kind = "look"      // what a referee sees in games that were played
	Trial     Kind = "trial"     // of a bot for a ladder: asked for by the server
	Encounter Kind = "encounter" // of two bots of a ladder: asked for by the server
	Hole      Kind = "hole"      // an answer to a hole: asked for by the server
)

// Spec is what is asked for.
type Spec struct {
	Kind Kind `json:"kind"`
	// Work is what all jobs have in common: the problem, and the files of contestants. Kind
	// and Options are the jobs' own.
	Work job.Work `json:"work"`
	// Options are those of the flow, by its kind.
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
	Events  blob.Digest // "" for none
}

// Job is a job to be done. One that was planned before is not done again.
type Job struct {
	Key  string
	Work job.Work
	Lane job.Lane
	Cost time.Duration // estimated CPU time
	// Exclude are the workers that must not do it. Only is the one that is to do it; "" for any.
	Exclude []string
	Only    string
}

// Step is what comes next of a flow.
type Step struct {
	Jobs []Job // in the order in which they should be done
	// Done says that no part is missing. Failed says why there will be no more, then.
	Done   bool
	Failed string
	// Optional reports that jobs that no connected worker may do are left out, after a while. Without
	// them the flow is done.
	Optional bool
	// Answer is what the check of an answer to a hole came to, if the flow is one and Done.
	Answer *Answered
	// Audit is what workers say of a submission so far, if the flow asks them.
	Audit *Audited
}

// planner plans one kind of flows.
type planner struct {
	next  func(*Spec, []Part) (*Step, error)
	check func(*Spec) error // of a spec that is not trusted, without its Work; it leaves in Options only what it has read
	// snapshot says that the flow is about a snapshot of a problem directory, and not about a
	// problem of the server.
	snapshot bool
	// many says that the files are of many contestants, in a directory each.
	many bool
	// page reports that the outcome has a page of its own, which its owner may read. The owner cannot
	// cancel such a flow, and sees no more of it than the page shows.
	page bool
	// ends completes each step with what the flow comes to. If nil, it comes to its parts alone.
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

// Next plans what comes after the given parts, and says what the flow comes to. If the spec cannot be
// read, it returns an error and a failed step: the same parts would give the same error again.
func Next(s *Spec, parts []Part) (*Step, error) {
	p, known := planners[s.Kind]
	if !known {
		err := fmt.Errorf("the kind of flow %.40q is not known here", s.Kind)
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

// Asked are the kinds that people ask for; the server itself asks for the others.
func Asked() []Kind { return []Kind{Verify, Golf, Adequacy, Arena, Look} }

// Check returns what is wrong with a spec that is not trusted. It reduces the Options to what it
// has read of them.
func (s *Spec) Check() error {
	p, known := planners[s.Kind]
	if !known {
		return fmt.Errorf("the kind of flow %.40q is not known here", s.Kind)
	}
	if s.Work.Snapshot != p.snapshot {
		return fmt.Errorf("a flow of kind %s is about a %s", s.Kind, map[bool]string{true: "snapshot", false: "problem of the server"}[p.snapshot])
	}
	if err := p.check(s); err != nil {
		return err
	}
	work := s.Work
	work.Kind = job.Checks // any: each job has its own
	return work.Check()
}

// OnSnapshot reports whether flows of a kind are about snapshots of problem directories.
func OnSnapshot(k Kind) bool { return planners[k].snapshot }

// OfMany reports whether the files of flows of a kind are of many contestants, in a directory each.
func OfMany(k Kind) bool { return planners[k].many }

// HasPage reports whether the outcome of flows of a kind has a page of its own: see planner.
func HasPage(k Kind) bool { return planners[k].page }

// work is what a job of the flow is to do.
func (s *Spec) work(k job.Kind, options any) (job.Work, error) {
	w := s.Work
	w.Kind = k
	var err error
	w.Options, err = json.Marshal(options)
	return w, err
}

// strict reads options that are not trusted into o, a pointer to the kind's own type,
// rejects unknown fields, and keeps what was read.
func (s *Spec) strict(o any) error {
	d := json.NewDecoder(bytes.NewReader(s.Options))
	d.DisallowUnknownFields()
	if err := d.Decode(o); err != nil {
		return fmt.Errorf("the options cannot be read: %.200s", err) // which may quote them
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

// missing says whether a job is still to be done. A part that could not be done fails the
// step, and what says of what.
func (s *Step) missing(p *Part, what string) bool {
	if p != nil && p.State != job.Done && s.Failed == "" {
		s.Failed = what + p.Reason
	}
	return p == nil
}

// single plans a job after which there is nothing more to plan.
func (s *Spec) single(k job.Kind, lane job.Lane, key string, options any, parts []Part) (*Step, error) {
	step := &Step{}
	if step.Done = !step.missing(part(parts, key), ""); step.Done {
		return step, nil
	}
	work, err := s.work(k, options)
	step.Jobs = []Job{{Key: key, Work: work, Lane: lane, Cost: usualCost}}
	return step, err
}

// part finds a part by its key.
func part(parts []Part, key string) *Part {
	i := slices.IndexFunc(parts, func(p Part) bool { return p.Key == key })
	if i < 0 {
		return nil
	}
	return &parts[i]
}
