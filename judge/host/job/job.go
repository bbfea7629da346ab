// Package job defines the types with which a server and its workers exchange work: what to do (Spec), the result
// (Result), and what a worker reports in the meantime. It does not know queues, databases and sandboxes.
//
// A job is a submission, a batch of games, or one golf submission to check. It is never a single test case.
// Therefore a job needs only a few rows and messages, however many test cases there are.
package job

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/blob"
)

// Protocol is the version of these types. It increases when a field changes its meaning. MinProtocol is the oldest
// worker version that a server accepts. It increases when older workers can no longer do the work: before version
// 2, workers sent no claims, and would get no files.
const (
	Protocol    = 2
	MinProtocol = 2
)

// A Priority is a priority of jobs.
type Priority int

// The priorities, highest first.
const (
	ContestPriority    Priority = iota // submissions to running contests
	PracticePriority                   // practice, previews, and the first inputs of golf submissions
	GolfPriority                       // checks of golf submissions on all inputs
	TrialPriority                      // tests of new bots
	BackgroundPriority                 // rejudging, verification, adequacy
	GamePriority                       // ladder games, which never run out
)

// String returns the display name of the priority.
func (l Priority) String() string {
	if l < 0 || int(l) >= len(priorityNames) {
		return fmt.Sprintf("priority %d", int(l))
	}
	return priorityNames[l]
}

var priorityNames = []string{"contest", "practice", "proofs", "trials", "background", "games"}

// Priorities lists all priorities, highest first.
var Priorities = []Priority{ContestPriority, PracticePriority, GolfPriority, TrialPriority, BackgroundPriority, GamePriority}

// A File is one submitted file. Its bytes are a blob.
type File struct {
	Path   string      `json:"path"` // slash-separated path in the submission
	Size   int64       `json:"size_bytes"`
	Digest blob.Digest `json:"sha256"`
}

// Work is everything that a worker must know to run a job.
type Work struct {
	Kind Kind `json:"kind"`
	// Bundle is the manifest of a bundled problem, or of a snapshot of problem directories if Snapshot is set.
	// Config contains the languages and limits. Package bundle defines both.
	Bundle   blob.Digest `json:"bundle"`
	Snapshot bool        `json:"snapshot,omitempty"`
	Config   blob.Digest `json:"config"`
	// Problem is the problem's name in reports. It must be a valid directory name.
	Problem string `json:"problem"`
	// Files are the submitted files, if any.
	Files             []File `json:"files"`
	IsDir             bool   `json:"folder,omitempty"`   // the files are a directory, even if there is only one
	Program           string `json:"program"`            // name of the submission in reports
	Language          string `json:"language,omitempty"` // chosen by the sender; if empty, the file name decides
	ContinueOnFailure bool   `json:"all,omitempty"`      // continue after the first failure
	// Retime reports whether this run repeats one that was slightly too slow. Excluded workers must not run the
	// job, no other job may run at the same time, and no progress is sent.
	Retime bool `json:"alone,omitempty"`
	// Options are the options of the job's kind. Lines contains packed lines of other jobs in the workflow that
	// the job needs.
	Options json.RawMessage `json:"options,omitempty"`
	Lines   []blob.Digest   `json:"lines,omitempty"`
}

// A Spec is a job for a worker.
type Spec struct {
	Work
	ID string `json:"id"`
	// Generation increases each time the server dispatches the job again because it was lost.
	Generation int      `json:"generation"`
	Priority   Priority `json:"priority"`
	Class      string   `json:"class"` // class of the workers that may take it
	// Token is known only to receivers of the job. A result must contain it.
	Token string `json:"token"`
	// Exclude lists the workers that must not take the job, because they have failed at it or have already judged
	// the submission.
	Exclude []string `json:"exclude,omitempty"`
	// Tries is the number of failures so far. It is not sent to workers.
	Tries int `json:"-"`
}

// MaxDuration is the maximum time for a job, after which the worker stops it.
const MaxDuration = time.Hour

// MaxClaim is the maximum time for which the server accepts a worker's claim to run a job.
const MaxClaim = MaxDuration + 10*time.Minute

// A State says how a job ended.
type State string

// The states of a result.
const (
	Done   State = "done"   // there is a verdict
	Failed State = "failed" // the worker or its machine failed; Reason says why
	// GivenUp is the state in a result that a worker returns instead of running a job that was delivered too
	// often. The job may crash workers, so no worker gets it again.
	GivenUp State = "given up"
)

// A CaseRow is a test case in the judgement of a submission.
type CaseRow struct {
	Case    string        `json:"case"` // group/name
	Verdict judge.Verdict `json:"verdict"`
	CPUUS   int64         `json:"cpu_us"`
	WallUS  int64         `json:"wall_us"`
	Memory  int64         `json:"memory_bytes"`
	Score   *judge.Score  `json:"score,omitempty"`
}

// A Result is the outcome of a job.
type Result struct {
	Job        string `json:"job"`
	Generation int    `json:"generation"`
	Token      string `json:"token"`
	Worker     string `json:"worker"`
	State      State  `json:"state"`
	Reason     string `json:"reason,omitempty"`
	// TooManyDeliveries reports whether the job was given up because it was delivered too often. The server sets Unproven
	// if no worker is known to have crashed because of the job.
	TooManyDeliveries bool     `json:"too_often,omitempty"`
	Unproven          bool     `json:"-"`
	LostWorkers       []string `json:"-"` // if Unproven: workers that had the job but returned no result
	// Blame says who caused a failure. Setter means an error that would occur on every worker.
	Blame    judge.Blame     `json:"blame,omitempty"`
	Finished *judge.Finished `json:"finished,omitempty"` // of a submission
	Rows     []CaseRow       `json:"rows,omitempty"`
	// Events contains all events as JSON lines, compressed with gzip, in at most MaxEvents bytes.
	Events []byte `json:"events,omitempty"`
	// Output is the output of a job in a workflow. Its type depends on the kind.
	Output json.RawMessage `json:"output,omitempty"`
	// The following fields describe the origin of the result.
	Version        string            `json:"version"`
	Machine        string            `json:"machine"`
	IsolationLevel string            `json:"sandbox"`              // isolation level
	Toolchains     map[string]string `json:"toolchains,omitempty"` // language id to toolchain identity
	CPUUS          int64             `json:"cpu_us"`               // of all programs that ran, for the next estimate
}

// The size limits. A queue message can have at most 1 MiB.
const (
	MaxEvents = 640 << 10 // bytes of compressed events; base64 turns 3 bytes into 4
	MaxSpec   = 256 << 10 // bytes of a Spec as JSON
	MaxOutput = 128 << 10 // bytes of the Output of a workflow's job, which has no rows
	maxRows   = 128 << 10 // approximate bytes of the rows of a result
	MaxFiles  = 256       // files of a submission
	maxPath   = 255       // bytes of a path in a submission
	maxText   = 128       // bytes of a name
)

// A Running names a job that a worker runs.
type Running struct {
	Job        string `json:"job"`
	Generation int    `json:"generation"`
}

// A Heartbeat is a worker's heartbeat, sent every few seconds.
type Heartbeat struct {
	Running  []Running `json:"running,omitempty"`
	Slots    int       `json:"slots"`
	Draining bool      `json:"draining,omitempty"`
	Note     string    `json:"note,omitempty"` // why the worker accepts no jobs, for administrators
}

// Progress contains new events of a job, encoded by package judge.
type Progress struct {
	Running
	First  int      `json:"first"` // index of the first event of Events in the stream
	Events [][]byte `json:"events"`
}

// An Control is a control message from the server to one worker.
type Control struct {
	Kind    ControlKind `json:"kind"`
	Job     string      `json:"job,omitempty"`
	Bundles []Bundle    `json:"bundles,omitempty"`
}

// A Bundle identifies a bundled problem and its languages and limits.
type Bundle struct {
	Manifest blob.Digest `json:"manifest"`
	Config   blob.Digest `json:"config"`
	Problem  string      `json:"problem"` // its name in reports
}

// ControlKind is the kind of a control message.
type ControlKind string

// The control messages.
const (
	Cancel ControlKind = "cancel" // stop Job and discard its result
	Drain  ControlKind = "drain"  // accept no more jobs, finish the running ones, exit
	Warm   ControlKind = "warm"   // fetch Bundles and build their programs, because jobs will come soon
)

// An Capabilities describes the capabilities of a worker. They decide whether the worker fits a class.
type Capabilities struct {
	Protocol       int               `json:"protocol"`
	Version        string            `json:"version"` // of the judge
	Arch           string            `json:"arch"`    // in Go's notation, such as linux/amd64
	IsolationLevel string            `json:"sandbox"`
	Languages      map[string]string `json:"languages"` // language id to toolchain identity
	// InstallHints maps language ids to instructions for installing the toolchain: a command or a sentence. It includes
	// languages that are not installed.
	InstallHints map[string]string `json:"obtain,omitempty"`
	Slots        int               `json:"slots"`
	Machine      string            `json:"machine"`         // processor and memory, for display
	Speed        *Speed            `json:"speed,omitempty"` // nil if not measured
}

// Check returns an error if untrusted work is not valid.
func (w *Work) Check() error {
	if _, known := kinds[w.Kind]; !known {
		return fmt.Errorf("the kind of job %.40q is not known here", w.Kind)
	}
	for name, d := range map[string]blob.Digest{"bundle": w.Bundle, "config": w.Config} {
		if _, err := blob.Parse(string(d)); err != nil {
			return fmt.Errorf("the %s: %w", name, err)
		}
	}
	for name, word := range map[string]string{"problem": w.Problem, "program": w.Program, "language": w.Language} {
		if len(word) > maxText || strings.ContainsFunc(word, isControl) || word == "" && name != "language" {
			return fmt.Errorf("the %s %.40q is not a name of 1 to %d bytes", name, word, maxText)
		}
	}
	if strings.ContainsAny(w.Problem, `/\:`) || strings.HasPrefix(w.Problem, ".") {
		return fmt.Errorf("the problem %.40q is not a valid directory name", w.Problem)
	}
	if !w.Kind.JudgesSubmission() && len(w.Files) == 0 {
		return nil
	}
	return CheckFiles(w.Files, w.IsDir)
}

// CheckFiles returns an error if the files of a submission cannot be stored in one directory on every system.
func CheckFiles(files []File, dir bool) error {
	switch {
	case len(files) == 0:
		return fmt.Errorf("the submission has no files")
	case len(files) > MaxFiles:
		return fmt.Errorf("the submission has %d files; the most is %d", len(files), MaxFiles)
	case !dir && (len(files) > 1 || strings.Contains(files[0].Path, "/")):
		return fmt.Errorf("the submission has several files or a subdirectory, but is not marked as a directory")
	}
	seen := map[string]bool{}
	for _, f := range files {
		if err := checkFile(f); err != nil {
			return err
		}
		key := strings.ToLower(f.Path)
		if seen[key] {
			return fmt.Errorf("the file %.200q stands twice in the submission", f.Path)
		}
		seen[key] = true
	}
	for _, f := range files {
		for i := range f.Path {
			if f.Path[i] == '/' && seen[strings.ToLower(f.Path[:i])] {
				return fmt.Errorf("%.200q is both a file and a directory in the submission", f.Path[:i])
			}
		}
	}
	return nil
}

func checkFile(f File) error {
	parts := strings.Split(f.Path, "/")
	bad := func(part string) bool {
		return part == "" || part == "." || part == ".." || strings.ContainsAny(part, `\:`) || strings.ContainsFunc(part, isControl)
	}
	switch _, err := blob.Parse(string(f.Digest)); {
	case err != nil:
		return fmt.Errorf("the file %.200q: %w", f.Path, err)
	case len(f.Path) > maxPath || slices.ContainsFunc(parts, bad):
		return fmt.Errorf("%.200q is not the path of a file inside the submission", f.Path)
	case f.Size < 0:
		return fmt.Errorf("the file %.200q has a size below 0", f.Path)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }
