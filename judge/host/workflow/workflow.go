// Package workflow plans workflows: work that consists of many jobs, such as verifying a problem or running a
// tournament. A plan is a pure function of a specification and the results of tasks so far:
//
//	step, err := workflow.Next(spec, results)
//
// The same results, in any order, always give the same jobs. Therefore no job is planned twice, even after a restart
// or with repeated calls. Each job has the key of its task.
//
// The package uses neither the database nor the queue. Package dispatch calls it after each result.
package workflow

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
	Golf      Kind = "golf"      // a GolfCheck of each golf submission
	Audit     Kind = "audit"     // another worker rejudges a submission; only the server starts it
	Adequacy  Kind = "adequacy"  // for a snapshot: its MutantGeneration, the Mutants in several tasks, the Score; or its Grid
	Arena     Kind = "arena"     // a tournament: the Opening, then Games
	Analysis  Kind = "look"      // a referee describes played games
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

// A TaskResult is the result of a job.
type TaskResult struct {
	Key     string
	State   job.State
	Reason  string        // why it failed
	Worker  string        // who did it
	Verdict judge.Verdict // for a submission
	Output  json.RawMessage
	Events  blob.Digest // may be empty
}

// A Task is a job to run. The caller must ignore a job that was planned before.
type Task struct {
	Key      string
	Work     job.Work
	Priority job.Priority
	Cost     time.Duration // estimated CPU time
	// Exclude lists the workers that must not run the job. Only names the worker that must run it. If Only is
	// empty, any worker that is not excluded may run it.
	Exclude []string
	Only    string
}

// A Step is the next step of a workflow.
type Step struct {
	Tasks []Task // in the order in which they should run
	// Done reports whether all tasks have results. If the workflow failed, Failed is the reason.
	Done   bool
	Failed string
	// Optional reports whether jobs without a connected worker are skipped after a while. The workflow is then
	// done without them.
	Optional bool
	// GolfCheck is the result of checking a golf submission. It is set if the workflow is such a check and Done.
	GolfCheck *GolfOutcome
	// Audit is the current result of an audit. It is set if the workflow is an audit.
	Audit *AuditResult
}

// A planner plans workflows of one kind.
type planner struct {
	plan  func(*Spec, []TaskResult) (*Step, error)
	check func(*Spec) error // checks an untrusted spec without Work; drops unknown fields of Options
	// snapshot reports whether the workflow needs a snapshot of a problem directory, instead of a problem on the
	// server.
	snapshot bool
	// manyAuthors reports whether the files come from many contestants, with one directory per contestant.
	manyAuthors bool
	// hasPage reports whether a page shows the result to the owner. The owner cannot cancel such a workflow, and sees
	// only what the page shows.
	hasPage bool
	// addResult adds the result of the workflow to each step. If nil, the result consists only of the task results.
	addResult func(*Spec, []TaskResult, *Step)
}

var planners = map[Kind]planner{
	Verify: {plan: planVerify, check: checkVerify, snapshot: true}, Golf: {plan: planGolf, check: checkGolf},
	Audit: {
		plan: planAudit, check: func(*Spec) error { return errors.New("only the server itself asks for audits") },
		addResult: addAuditResult,
	},
	Adequacy:  {plan: planAdequacy, check: checkAdequacy, snapshot: true},
	Arena:     {plan: planArena, check: checkArena, manyAuthors: true},
	Analysis:  {plan: planAnalysis, check: checkAnalysis},
	Trial:     {plan: planTrial, check: func(*Spec) error { return errOwnBot }, manyAuthors: true},
	Encounter: {plan: planEncounter, check: func(*Spec) error { return errOwnBot }, manyAuthors: true},
	Hole:      {plan: planHole, check: func(*Spec) error { return errOwnBot }, hasPage: true, addResult: addHoleResult},
}

// Next plans the step that follows the given task results, and adds the result of the workflow. If the spec cannot be read, Next returns
// an error and a failed step, because a retry would give the same error.
func Next(s *Spec, parts []TaskResult) (*Step, error) {
	p, known := planners[s.Kind]
	if !known {
		err := fmt.Errorf("unknown kind of workflow %.40q", s.Kind)
		return &Step{Done: true, Failed: err.Error()}, err
	}
	step, err := p.plan(s, parts)
	if err != nil {
		err = fmt.Errorf("plan a workflow of kind %s: %w", s.Kind, err)
		step = &Step{Done: true, Failed: err.Error()}
	}
	if p.addResult != nil {
		p.addResult(s, parts, step)
	}
	return step, err
}

// AccountKinds returns the kinds of workflows that accounts may start. Only the server starts workflows of other kinds.
func AccountKinds() []Kind { return []Kind{Verify, Golf, Adequacy, Arena, Analysis} }

// Check returns an error if an untrusted spec is not valid. It removes unknown fields from Options.
func (s *Spec) Check() error {
	p, known := planners[s.Kind]
	if !known {
		return fmt.Errorf("unknown kind of workflow %.40q", s.Kind)
	}
	if s.Work.Snapshot != p.snapshot {
		return fmt.Errorf("a workflow of kind %s is about a %s", s.Kind,
			map[bool]string{true: "snapshot", false: "problem of the server"}[p.snapshot])
	}
	if err := p.check(s); err != nil {
		return err
	}
	work := s.Work
	work.Kind = job.Checks // an arbitrary kind, because each job sets its own
	return work.Check()
}

// UsesSnapshot reports whether workflows of kind k work on snapshots of problem directories.
func UsesSnapshot(k Kind) bool { return planners[k].snapshot }

// HasManyAuthors reports whether workflows of kind k have the files of many contestants, with one directory per
// contestant.
func HasManyAuthors(k Kind) bool { return planners[k].manyAuthors }

// HasPage reports whether a page shows the results of workflows of kind k: see planner.
func HasPage(k Kind) bool { return planners[k].hasPage }

// taskWork returns the work of a job in the workflow.
func (s *Spec) taskWork(k job.Kind, options any) (job.Work, error) {
	w := s.Work
	w.Kind = k
	var err error
	w.Options, err = json.Marshal(options)
	return w, err
}

// decodeOptions decodes untrusted options into o, a pointer to the type of the kind's options. It rejects unknown fields,
// and sets Options to the decoded fields.
func (s *Spec) decodeOptions(o any) error {
	d := json.NewDecoder(bytes.NewReader(s.Options))
	d.DisallowUnknownFields()
	if err := d.Decode(o); err != nil {
		return fmt.Errorf("the options cannot be read: %.200s", err) // the error may quote the options
	}
	var err error
	s.Options, err = json.Marshal(o)
	return err
}

// checkProblemPath rejects options that do not name a problem directory in a snapshot.
func checkProblemPath(problem string) error {
	if problem == "" {
		return errors.New("the options name no directory of a problem")
	}
	return nil
}

// isMissing reports whether p is nil, so that the job of the task still has to run. If the job failed, s fails with
// the job's reason, preceded by the text what.
func (s *Step) isMissing(p *TaskResult, description string) bool {
	if p != nil && p.State != job.Done && s.Failed == "" {
		s.Failed = description + p.Reason
	}
	return p == nil
}

// planSingle plans the only job of a workflow.
func (s *Spec) planSingle(k job.Kind, priority job.Priority, key string, options any, parts []TaskResult) (*Step, error) {
	step := &Step{}
	if step.Done = !step.isMissing(findResult(parts, key), ""); step.Done {
		return step, nil
	}
	work, err := s.taskWork(k, options)
	step.Tasks = []Task{{Key: key, Work: work, Priority: priority, Cost: defaultCost}}
	return step, err
}

// findResult returns the result of the task with the given key. It returns nil if there is none.
func findResult(parts []TaskResult, key string) *TaskResult {
	i := slices.IndexFunc(parts, func(p TaskResult) bool { return p.Key == key })
	if i < 0 {
		return nil
	}
	return &parts[i]
}
