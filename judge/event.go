package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Event is one thing that happened while judging or verifying. Every report, on the terminal or in a file, is
// drawn from the events alone, so that a saved stream can be drawn again.
//
// Events are sent in order, from one goroutine.
type Event interface{ kind() string }

// EventFormat is the version of the event stream. It rises if a field changes its meaning or is removed. New
// fields and new events do not raise it.
const EventFormat = 1

// Started opens the judging of one submission.
type Started struct {
	Format     int      `json:"format"` // EventFormat
	Problem    string   `json:"problem"`
	Title      string   `json:"title"`
	Program    string   `json:"program"` // as the user named it
	Language   string   `json:"language"`
	Faster     string   `json:"faster,omitempty"` // the id of a faster toolchain of the language
	TimeMS     int64    `json:"time_limit_ms"`
	Memory     int64    `json:"memory_limit_bytes"`
	Cases      int      `json:"cases"`
	Groups     []string `json:"groups"`
	Isolation  string   `json:"sandbox"`              // the sandbox's isolation level on this machine
	Unenforced []string `json:"unenforced,omitempty"` // what that level does not enforce
}

// Built is the result of building the submission.
type Built struct {
	Verdict Verdict `json:"verdict"`           // "" or CE
	Log     string  `json:"log,omitempty"`     // the compiler's first lines
	Command string  `json:"command,omitempty"` // the build command that failed, as in a shell
	Millis  float64 `json:"build_ms"`
	Cached  bool    `json:"cached,omitempty"`
}

// Progressed says how many cases have run; they are judged a little later. While the submission is being
// built, one is sent each second. It is for live displays only, and is not saved.
type Progressed struct {
	Done int `json:"done"`
	Of   int `json:"of"`
	// Preparing is the name of a language whose cache is being prepared, while the build waits for it.
	Preparing string `json:"preparing,omitempty"`
}

// CaseJudged is the verdict of one case. It comes in judging order.
type CaseJudged struct {
	Group   string  `json:"group"`
	Case    string  `json:"case"`
	Verdict Verdict `json:"verdict"`
	Exec    Exec    `json:"exec"`
	Message string  `json:"message,omitempty"`   // from the checker, or how the program ended
	Note    string  `json:"note,omitempty"`      // such as "ran again alone, near its limit"
	Stderr  string  `json:"stderr,omitempty"`    // its end, if the case failed
	Line    string  `json:"generator,omitempty"` // the generator line that made the case
	Detail  *Detail `json:"detail,omitempty"`    // set if the case failed
	Score   *Score  `json:"score,omitempty"`     // set if cases have scores
	Team    string  `json:"team_message,omitempty"`
	// Dialogue is the start and the end of the dialogue of an interactive case, with one message per line:
	// "<" from the interactor and ">" from the program. "---" separates passes.
	Dialogue string `json:"dialogue,omitempty"`
	Static   bool   `json:"static,omitempty"` // by the static validator; not a case of the problem
}

// StaticName is the Case of a result of the static validator.
const StaticName = "static-validation"

// ID names the case within its problem.
func (e *CaseJudged) ID() string { return e.Group + "/" + e.Case }

// Borderline reports whether the program ended by itself, slightly after its CPU time limit. On another
// machine it might have been in time.
func (e *CaseJudged) Borderline(limit time.Duration) bool {
	return e.Verdict == TimeLimit && e.Exec.Killed == Nothing && e.Exec.CPU <= time.Duration(float64(limit)*NearLimit)
}

// GroupJudged closes a group.
type GroupJudged struct {
	Group   string  `json:"group"`
	Verdict Verdict `json:"verdict"` // the worst of its cases, or the result of its grading
	Passed  int     `json:"passed"`
	Cases   int     `json:"cases"`
	Score   *Score  `json:"score,omitempty"`
	Message string  `json:"message,omitempty"` // what is wrong with its score
	// Inner marks a group of groups, whose cases have been counted in the inner groups.
	Inner bool `json:"inner,omitempty"`
}

// Finished closes the judging of one submission.
type Finished struct {
	Verdict Verdict `json:"verdict"`
	Passed  int     `json:"passed"`
	Judged  int     `json:"judged"`
	Cases   int     `json:"cases"`
	First   string  `json:"first_failure,omitempty"` // id of the case that decided
	Slowest string  `json:"slowest,omitempty"`       // id of the case that took most CPU time
	TimeMS  float64 `json:"time_ms"`                 // CPU time of that case
	Memory  int64   `json:"memory_bytes"`            // peak over all cases
	Score   *Score  `json:"score,omitempty"`         // set if the problem has scores
	// Parts are the points of the groups whose sum is the score, in judging order. They are the same groups
	// in each judging of the problem. If the score is not a sum of groups, there are none.
	Parts []float64 `json:"score_parts,omitempty"`

	slow int // cases that exceeded their time limit
}

// Noted is a remark that a reader must see, such as a missing answer.
type Noted struct {
	Text string `json:"text"`
}

// SeveralStarted opens the judging of several submissions for one problem. The events of each submission
// follow.
type SeveralStarted struct {
	Format     int      `json:"format"`
	Problem    string   `json:"problem"`
	Title      string   `json:"title"`
	Programs   []string `json:"programs"` // as the user named them
	Groups     []string `json:"groups"`
	Cases      int      `json:"cases"`
	Isolation  string   `json:"sandbox"`
	Unenforced []string `json:"unenforced,omitempty"`
}

// SeveralFinished closes the judging of several submissions.
type SeveralFinished struct {
	Accepted    int `json:"accepted"`
	Submissions int `json:"submissions"`
}

// VerifyStarted opens the verification of one problem.
type VerifyStarted struct {
	Format     int      `json:"format"`
	Problem    string   `json:"problem"`
	Title      string   `json:"title"`
	Groups     []string `json:"groups"`
	Cases      int      `json:"cases"`
	Isolation  string   `json:"sandbox"`
	Unenforced []string `json:"unenforced,omitempty"`
}

// Checked is one completed check of a problem directory, with or without faults.
type Checked struct {
	What     string `json:"what"` // "every input is valid"
	Count    int    `json:"count"`
	Faults   int    `json:"faults"`
	Warnings int    `json:"warnings,omitempty"`
}

// FaultFound is a fault of the problem directory.
type FaultFound struct {
	Fault *Fault `json:"fault"`
}

// Warned is advice about a package that does not come from its format. It is not a fault.
type Warned struct {
	Fault *Fault `json:"warning"`
}

// SolutionJudged is the result of one solution of solutions/<problem>, judged on every case.
type SolutionJudged struct {
	Path     string        `json:"path"`
	Language string        `json:"language"`
	Promised Verdict       `json:"promised"`           // by its directory; empty if several verdicts are allowed
	Expected string        `json:"expected,omitempty"` // as text, if several verdicts are allowed: "WA or TLE"
	Verdict  Verdict       `json:"verdict"`            // SK if its language is not ready on this machine
	OK       bool          `json:"ok"`
	Groups   []GroupJudged `json:"groups"`
	Killers  []string      `json:"killers,omitempty"` // ids of the cases that it fails, in order
	Score    *Score        `json:"score,omitempty"`
	TimeMS   float64       `json:"time_ms"` // CPU time on its slowest case
	Memory   int64         `json:"memory_bytes"`
	Note     string        `json:"note,omitempty"`
}

// VerifyFinished closes the verification of one problem.
type VerifyFinished struct {
	OK        bool `json:"ok"`
	Faults    int  `json:"faults"`
	Warnings  int  `json:"warnings,omitempty"`
	Solutions int  `json:"solutions"`
	Skipped   int  `json:"skipped"` // solutions whose language is not ready here
}

// Unknown is an event of a later version of the judge. It is passed on unchanged.
type Unknown struct {
	Kind string
	Line []byte // as EncodeEvent wrote it
}

func (e *Unknown) kind() string       { return e.Kind }
func (*Started) kind() string         { return "started" }
func (*Built) kind() string           { return "built" }
func (*Progressed) kind() string      { return "progressed" }
func (*CaseJudged) kind() string      { return "case" }
func (*GroupJudged) kind() string     { return "group" }
func (*Finished) kind() string        { return "finished" }
func (*Noted) kind() string           { return "note" }
func (*SeveralStarted) kind() string  { return "several" }
func (*VerifyStarted) kind() string   { return "verify" }
func (*Checked) kind() string         { return "checked" }
func (*FaultFound) kind() string      { return "fault" }
func (*Warned) kind() string          { return "warning" }
func (*SolutionJudged) kind() string  { return "solution" }
func (*VerifyFinished) kind() string  { return "verified" }
func (*SeveralFinished) kind() string { return "several-finished" }

// newEvent makes an empty event of each kind.
var newEvent = map[string]func() Event{
	"started":    func() Event { return new(Started) },
	"built":      func() Event { return new(Built) },
	"progressed": func() Event { return new(Progressed) },
	"case":       func() Event { return new(CaseJudged) },
	"group":      func() Event { return new(GroupJudged) },
	"finished":   func() Event { return new(Finished) },
	"note":       func() Event { return new(Noted) },
	"verify":     func() Event { return new(VerifyStarted) },
	"checked":    func() Event { return new(Checked) },
	"fault":      func() Event { return new(FaultFound) },
	"warning":    func() Event { return new(Warned) },
	"solution":   func() Event { return new(SolutionJudged) },
	"verified":   func() Event { return new(VerifyFinished) },

	"several":          func() Event { return new(SeveralStarted) },
	"several-finished": func() Event { return new(SeveralFinished) },

	"arena":            func() Event { return new(ArenaStarted) },
	"arena-progressed": func() Event { return new(ArenaProgressed) },
	"game":             func() Event { return new(GameShown) },
	"standings":        func() Event { return new(ArenaStood) },
	"try":              func() Event { return new(TryStarted) },
	"tried":            func() Event { return new(PositionTried) },
	"try-finished":     func() Event { return new(TryFinished) },

	"cases-made":   func() Event { return new(CasesMade) },
	"fresh-made":   func() Event { return new(FreshMade) },
	"files-made":   func() Event { return new(FilesMade) },
	"suite-pruned": func() Event { return new(SuitePruned) },
	"coverage":     func() Event { return new(CoverageShown) },
	"suite":        func() Event { return new(SuiteMeasured) },
	"adequacy":     func() Event { return new(AdequacyMeasured) },
	"golf-proved":  func() Event { return new(GolfProved) },
}

// EncodeEvent writes an event as one line of JSON, without the line's end. The first member is "event", the
// kind.
func EncodeEvent(e Event) ([]byte, error) {
	if u, ok := e.(*Unknown); ok {
		return u.Line, nil
	}
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("encode event %q: %w", e.kind(), err)
	}
	head := fmt.Sprintf(`{"event":%q`, e.kind())
	if len(body) > len("{}") {
		head += ","
	}
	return append([]byte(head), body[1:]...), nil
}

// DecodeEvent reads the output of EncodeEvent. An event of a later version of the judge is an *Unknown.
func DecodeEvent(line []byte) (Event, error) {
	var head struct {
		Event  string `json:"event"`
		Format int    `json:"format"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return nil, fmt.Errorf("not an event: %w", err)
	}
	make, ok := newEvent[head.Event]
	if head.Event == "" {
		return nil, errors.New("not an event: it has no member \"event\"")
	}
	if head.Format > EventFormat {
		return nil, fmt.Errorf("saved in format %d by a newer judge; this one reads up to %d", head.Format, EventFormat)
	}
	if !ok {
		return &Unknown{Kind: head.Event, Line: slices.Clone(line)}, nil
	}
	e := make()
	if err := json.Unmarshal(line, e); err != nil {
		return nil, fmt.Errorf("event %q: %w", head.Event, err)
	}
	return e, nil
}
