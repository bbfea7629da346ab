package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Event is one step of judging or verifying. Every report, on the terminal or in a file, is rendered from events
// alone, so that a saved stream can be rendered again.
//
// Events are sent in order, from one goroutine.
type Event interface{ kind() string }

// EventFormat is the version of the event stream. It increases when a field changes its meaning or is removed. New
// fields and new events do not increase it.
const EventFormat = 1

// Started begins the judging of one submission.
type Started struct {
	Format     int      `json:"format"` // EventFormat
	Problem    string   `json:"problem"`
	Title      string   `json:"title"`
	Program    string   `json:"program"` // as the user named it
	Language   string   `json:"language"`
	Faster     string   `json:"faster,omitempty"` // id of a faster toolchain for the language
	TimeMS     int64    `json:"time_limit_ms"`
	Memory     int64    `json:"memory_limit_bytes"`
	Cases      int      `json:"cases"`
	Groups     []string `json:"groups"`
	Isolation  string   `json:"sandbox"`              // isolation level of the sandbox on this machine
	Unenforced []string `json:"unenforced,omitempty"` // what that level does not enforce
}

// Built is the result of building the submission.
type Built struct {
	Verdict Verdict `json:"verdict"`           // "" or CE
	Log     string  `json:"log,omitempty"`     // first lines of the compiler output
	Command string  `json:"command,omitempty"` // failed build command, in shell syntax
	Millis  float64 `json:"build_ms"`
	Cached  bool    `json:"cached,omitempty"`
}

// Progressed reports how many cases have run; they are judged a little later. While the submission is being built,
// a Progressed event is sent every second. It is for live displays only, and is not saved.
type Progressed struct {
	Done  int `json:"done"`
	Total int `json:"of"`
	// Preparing is the name of a language whose cache is being prepared, while the build waits for it.
	Preparing string `json:"preparing,omitempty"`
}

// CaseJudged is the verdict of one case. Cases are reported in judging order.
type CaseJudged struct {
	Group   string  `json:"group"`
	Case    string  `json:"case"`
	Verdict Verdict `json:"verdict"`
	Exec    Exec    `json:"exec"`
	Message string  `json:"message,omitempty"`   // message from the checker, or how the program ended
	Note    string  `json:"note,omitempty"`      // for example "ran again alone, near its limit"
	Stderr  string  `json:"stderr,omitempty"`    // end of standard error, if the case failed
	Line    string  `json:"generator,omitempty"` // generator line that made the case
	Detail  *Detail `json:"detail,omitempty"`    // set if the case failed
	Score   *Score  `json:"score,omitempty"`     // set if cases have scores
	Team    string  `json:"team_message,omitempty"`
	// Dialogue is the start and the end of the dialogue of an interactive case, with one message per line. Lines
	// begin with "<" for the interactor and ">" for the program. "---" separates passes.
	Dialogue string `json:"dialogue,omitempty"`
	Static   bool   `json:"static,omitempty"` // result of the static validator; not a case of the problem
}

// StaticName is the Case in a result of the static validator.
const StaticName = "static-validation"

// ID identifies the case within its problem.
func (e *CaseJudged) ID() string { return e.Group + "/" + e.Case }

// NearTimeLimit reports whether the program exited by itself slightly after its CPU time limit. On another machine,
// it might have been in time.
func (e *CaseJudged) NearTimeLimit(limit time.Duration) bool {
	return e.Verdict == TimeLimit && e.Exec.Killed == NoResource && e.Exec.CPU <= time.Duration(float64(limit)*NearLimit)
}

// GroupJudged completes the judging of a group.
type GroupJudged struct {
	Group   string  `json:"group"`
	Verdict Verdict `json:"verdict"` // worst verdict of its cases, or the result of grading
	Passed  int     `json:"passed"`
	Cases   int     `json:"cases"`
	Score   *Score  `json:"score,omitempty"`
	Message string  `json:"message,omitempty"` // why its score is invalid
	// Inner means that the group contains other groups. Its cases have already been counted as cases of those
	// groups.
	Inner bool `json:"inner,omitempty"`
}

// Finished completes the judging of one submission.
type Finished struct {
	Verdict Verdict `json:"verdict"`
	Passed  int     `json:"passed"`
	Judged  int     `json:"judged"`
	Cases   int     `json:"cases"`
	First   string  `json:"first_failure,omitempty"` // id of the case that determined the verdict
	Slowest string  `json:"slowest,omitempty"`       // id of the case with the most CPU time
	TimeMS  float64 `json:"time_ms"`                 // CPU time of that case
	Memory  int64   `json:"memory_bytes"`            // peak memory over all cases
	Score   *Score  `json:"score,omitempty"`         // set if the problem has scores
	// ScoreParts contains the points of each group, in judging order, if the score is the sum of these points. The
	// groups are the same in every judgement of the problem. If the score is not a sum over groups, ScoreParts is
	// empty.
	ScoreParts []float64 `json:"score_parts,omitempty"`

	slow int // number of cases that exceeded their time limit
}

// Noted is a remark for the reader, for example about a missing answer.
type Noted struct {
	Text string `json:"text"`
}

// BatchStarted begins the judging of several submissions for one problem. The events of each submission follow.
type BatchStarted struct {
	Format     int      `json:"format"`
	Problem    string   `json:"problem"`
	Title      string   `json:"title"`
	Programs   []string `json:"programs"` // as the user named them
	Groups     []string `json:"groups"`
	Cases      int      `json:"cases"`
	Isolation  string   `json:"sandbox"`
	Unenforced []string `json:"unenforced,omitempty"`
}

// BatchFinished completes the judging of several submissions.
type BatchFinished struct {
	Accepted    int `json:"accepted"`
	Submissions int `json:"submissions"`
}

// VerifyStarted begins the verification of one problem.
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
	What     string `json:"what"` // for example "every input is valid"
	Count    int    `json:"count"`
	Faults   int    `json:"faults"`
	Warnings int    `json:"warnings,omitempty"`
}

// ProblemErrorFound is a fault of the problem directory.
type ProblemErrorFound struct {
	Fault *ProblemError `json:"fault"`
}

// WarningFound is advice about a package that its format does not require. It is not a fault.
type WarningFound struct {
	Fault *ProblemError `json:"warning"`
}

// SolutionJudged is the result of one solution in solutions/<problem>.
type SolutionJudged struct {
	Path     string        `json:"path"`
	Language string        `json:"language"`
	Promised Verdict       `json:"promised"`           // verdict of its directory; empty if several verdicts are allowed
	Expected string        `json:"expected,omitempty"` // text such as "WA or TLE", if several verdicts are allowed
	Verdict  Verdict       `json:"verdict"`            // SK if its language is not installed on this machine
	OK       bool          `json:"ok"`
	Groups   []GroupJudged `json:"groups"`
	Killers  []string      `json:"killers,omitempty"` // ids of the cases that it fails, in order
	Score    *Score        `json:"score,omitempty"`
	TimeMS   float64       `json:"time_ms"` // CPU time on its slowest case
	Memory   int64         `json:"memory_bytes"`
	Note     string        `json:"note,omitempty"`
}

// VerifyFinished completes the verification of one problem.
type VerifyFinished struct {
	OK        bool `json:"ok"`
	Faults    int  `json:"faults"`
	Warnings  int  `json:"warnings,omitempty"`
	Solutions int  `json:"solutions"`
	Skipped   int  `json:"skipped"` // number of solutions whose language is not installed here
}

// UnknownEvent is an event from a later version of the judge. It is forwarded unchanged.
type UnknownEvent struct {
	Kind string
	Line []byte // output of EncodeEvent
}

func (e *UnknownEvent) kind() string    { return e.Kind }
func (*Started) kind() string           { return "started" }
func (*Built) kind() string             { return "built" }
func (*Progressed) kind() string        { return "progressed" }
func (*CaseJudged) kind() string        { return "case" }
func (*GroupJudged) kind() string       { return "group" }
func (*Finished) kind() string          { return "finished" }
func (*Noted) kind() string             { return "note" }
func (*BatchStarted) kind() string      { return "several" }
func (*VerifyStarted) kind() string     { return "verify" }
func (*Checked) kind() string           { return "checked" }
func (*ProblemErrorFound) kind() string { return "fault" }
func (*WarningFound) kind() string      { return "warning" }
func (*SolutionJudged) kind() string    { return "solution" }
func (*VerifyFinished) kind() string    { return "verified" }
func (*BatchFinished) kind() string     { return "several-finished" }

// newEvent maps kinds to functions that return an empty event.
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
	"fault":      func() Event { return new(ProblemErrorFound) },
	"warning":    func() Event { return new(WarningFound) },
	"solution":   func() Event { return new(SolutionJudged) },
	"verified":   func() Event { return new(VerifyFinished) },

	"several":          func() Event { return new(BatchStarted) },
	"several-finished": func() Event { return new(BatchFinished) },

	"arena":            func() Event { return new(TournamentStarted) },
	"arena-progressed": func() Event { return new(TournamentProgressed) },
	"game":             func() Event { return new(GameShown) },
	"standings":        func() Event { return new(TournamentFinished) },
	"try":              func() Event { return new(BotTrialStarted) },
	"tried":            func() Event { return new(PositionTried) },
	"try-finished":     func() Event { return new(BotTrialFinished) },

	"cases-made":   func() Event { return new(CasesGenerated) },
	"fresh-made":   func() Event { return new(FreshCasesGenerated) },
	"files-made":   func() Event { return new(FilesGenerated) },
	"suite-pruned": func() Event { return new(SuitePruned) },
	"coverage":     func() Event { return new(CoverageMeasured) },
	"suite":        func() Event { return new(SuiteMeasured) },
	"adequacy":     func() Event { return new(AdequacyMeasured) },
	"golf-proved":  func() Event { return new(GolfChecked) },
}

// EncodeEvent encodes an event as one line of JSON, without the line ending. The first member, "event", is the
// kind.
func EncodeEvent(e Event) ([]byte, error) {
	if u, ok := e.(*UnknownEvent); ok {
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

// DecodeEvent decodes the output of EncodeEvent. An event from a later version of the judge becomes an *UnknownEvent.
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
		return &UnknownEvent{Kind: head.Event, Line: slices.Clone(line)}, nil
	}
	e := make()
	if err := json.Unmarshal(line, e); err != nil {
		return nil, fmt.Errorf("event %q: %w", head.Event, err)
	}
	return e, nil
}
