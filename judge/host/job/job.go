// Package job is the words in which a server and its workers talk of work: what is to be
// done (Spec), what came of it (Result), and what a worker says while it works. It knows
// nothing of queues, databases and sandboxes.
//
// A job is a submission, a batch of games or one answer to prove; it is never a single
// test case, so that a job costs a handful of rows and messages whatever its cases are.
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

// Protocol is the version of these words, and Oldest that of the oldest worker that a server
// talks to: before version 2 they made no claims, and would get no files. Protocol rises when
// a field changes its meaning, Oldest when a worker from before it cannot do its work.
const (
	Protocol = 2
	Oldest   = 2
)

// Lane says which jobs go first.
type Lane int

// The lanes, in the order in which a worker looks into them.
const (
	Contest    Lane = iota // of a running contest
	Practice               // practice, previews, and the first inputs of golf submissions
	ProofLane              // golf submissions on all inputs
	TrialLane              // tests of new bots
	Background             // rejudging, verification, adequacy
	GameLane               // games of bots, of which ladders always have more
)

// String is the lane's name, for people.
func (l Lane) String() string {
	if l < 0 || int(l) >= len(laneNames) {
		return fmt.Sprintf("lane %d", int(l))
	}
	return laneNames[l]
}

var laneNames = []string{"contest", "practice", "proofs", "trials", "background", "games"}

// Lanes are all lanes in their order.
var Lanes = []Lane{Contest, Practice, ProofLane, TrialLane, Background, GameLane}

// File is one file of what was submitted; its bytes are a blob.
type File struct {
	Path   string      `json:"path"` // inside the submission, with slashes
	Size   int64       `json:"size_bytes"`
	Digest blob.Digest `json:"sha256"`
}

// Work is what a worker must know to do a job, whoever asked for it.
type Work struct {
	Kind Kind `json:"kind"`
	// Bundle is the manifest of the frozen problem, or of a snapshot of its folders where
	// Snapshot says so, and Config the languages and limits that count: package bundle knows
	// both.
	Bundle   blob.Digest `json:"bundle"`
	Snapshot bool        `json:"snapshot,omitempty"`
	Config   blob.Digest `json:"config"`
	// Problem is what the problem is called in reports: a name that a folder can have.
	Problem string `json:"problem"`
	// Files are what was submitted, if anything. Folder says that it is a folder, even of one
	// file.
	Files    []File `json:"files"`
	Folder   bool   `json:"folder,omitempty"`
	Program  string `json:"program"`            // what reports call the submission
	Language string `json:"language,omitempty"` // asked for; "" for what its name tells
	All      bool   `json:"all,omitempty"`      // go on after the first failure
	// Alone says that it was judged before and barely too late: only those may do it who are
	// not excluded, no other job runs beside it, and nothing of it is told before its end.
	Alone bool `json:"alone,omitempty"`
	// Options are what its kind wants to know besides, and Lines what other jobs of its flow
	// brought that it goes on from, as PackLines wrote it.
	Options json.RawMessage `json:"options,omitempty"`
	Lines   []blob.Digest   `json:"lines,omitempty"`
}

// Spec is a job as it is given to a worker.
type Spec struct {
	Work
	ID string `json:"id"`
	// Generation rises each time the server gives the job out anew, because nothing was
	// heard of it any more.
	Generation int    `json:"generation"`
	Lane       Lane   `json:"lane"`
	Class      string `json:"class"` // of the workers that may take it
	// Token is known to those who received the job; a result must repeat it.
	Token string `json:"token"`
	// Exclude are the workers that must not take it, because they failed at it or were asked
	// for a second opinion already.
	Exclude []string `json:"exclude,omitempty"`
	// Tries is how often it has failed so far. Workers are not told.
	Tries int `json:"-"`
}

// Longest is how long a worker does a job, before it ends it.
const Longest = time.Hour

// HeldMost is how long the server believes a worker that it does a job.
const HeldMost = Longest + 10*time.Minute

// State says how a job ended.
type State string

// The states of a result.
const (
	Done   State = "done"   // there is a verdict
	Failed State = "failed" // the worker or its machine could not do it; Reason says why
	// GivenUp is said by a worker to which a job was delivered too often: it ends the
	// processes that take it, so nobody is given it again.
	GivenUp State = "given up"
)

// Row is one case of a judged submission.
type Row struct {
	Case    string        `json:"case"` // group/name
	Verdict judge.Verdict `json:"verdict"`
	CPUUS   int64         `json:"cpu_us"`
	WallUS  int64         `json:"wall_us"`
	Memory  int64         `json:"memory_bytes"`
	Score   *judge.Score  `json:"score,omitempty"`
}

// Result is what came of a job.
type Result struct {
	Job        string `json:"job"`
	Generation int    `json:"generation"`
	Token      string `json:"token"`
	Worker     string `json:"worker"`
	State      State  `json:"state"`
	Reason     string `json:"reason,omitempty"`
	// TooOften says that the job is given up because it was delivered too often. Unproven is the
	// server's: as far as it knows, the workers did not end over it.
	TooOften bool     `json:"too_often,omitempty"`
	Unproven bool     `json:"-"`
	Had      []string `json:"-"` // with Unproven: workers that had the job and no result
	// Blame says whose fault a failure is: the setter's, which no other worker can mend, or
	// the machine's.
	Blame    judge.Blame     `json:"blame,omitempty"`
	Finished *judge.Finished `json:"finished,omitempty"` // of a submission
	Rows     []Row           `json:"rows,omitempty"`
	// Events are the whole stream as JSON lines, compressed by gzip; at most MaxEvents
	// bytes.
	Events []byte `json:"events,omitempty"`
	// Output is what a part of a flow gives besides; its kind says what.
	Output json.RawMessage `json:"output,omitempty"`
	// Version, Machine, Rung and Toolchains say where the result comes from.
	Version    string            `json:"version"`
	Machine    string            `json:"machine"`
	Rung       string            `json:"sandbox"`
	Toolchains map[string]string `json:"toolchains,omitempty"` // language id to identity
	CPUUS      int64             `json:"cpu_us"`               // of all that ran, for the estimate of the next
}

// What travels is bounded: a message of the queue has at most 1 MiB.
const (
	MaxEvents = 640 << 10 // bytes of compressed events; base64 makes four of three
	MaxSpec   = 256 << 10 // bytes of a Spec as JSON
	MaxOutput = 128 << 10 // bytes of the Output of a part; parts have no rows
	maxRows   = 128 << 10 // bytes of the rows of a result, about
	MaxFiles  = 256       // files of a submission
	maxPath   = 255       // bytes of a path in a submission
	maxWord   = 128       // bytes of a name
)

// Running is a job that a worker is doing.
type Running struct {
	Job        string `json:"job"`
	Generation int    `json:"generation"`
}

// Beat is what a worker says every few seconds.
type Beat struct {
	Running  []Running `json:"running,omitempty"`
	Slots    int       `json:"slots"`
	Draining bool      `json:"draining,omitempty"`
	Note     string    `json:"note,omitempty"` // why it takes nothing, for the staff
}

// Progress is what has happened to a job so far: events as package judge encodes them.
type Progress struct {
	Running
	First  int      `json:"first"` // index of the first of these events in the stream
	Events [][]byte `json:"events"`
}

// Order is what a server tells one worker.
type Order struct {
	Kind    OrderKind `json:"kind"`
	Job     string    `json:"job,omitempty"`
	Bundles []Bundle  `json:"bundles,omitempty"`
}

// Bundle names a frozen problem, with the languages and limits that it is judged with.
type Bundle struct {
	Manifest blob.Digest `json:"manifest"`
	Config   blob.Digest `json:"config"`
	Problem  string      `json:"problem"` // what it is called
}

// OrderKind says what a worker is to do.
type OrderKind string

// The orders.
const (
	Cancel OrderKind = "cancel" // stop Job; its result is not wanted
	Drain  OrderKind = "drain"  // take no more jobs, finish those that run, end
	Warm   OrderKind = "warm"   // fetch Bundles and build their programs: jobs will come soon
)

// Offer is what a worker can do; it decides whether it fits a class.
type Offer struct {
	Protocol  int               `json:"protocol"`
	Version   string            `json:"version"` // of the judge
	Arch      string            `json:"arch"`    // as Go calls it: linux/amd64
	Rung      string            `json:"sandbox"`
	Languages map[string]string `json:"languages"` // id to the identity of its tool chain
	// Obtain says how the tool chains of languages come onto the machine, by id: a command,
	// or a sentence. It names languages that are missing, too.
	Obtain  map[string]string `json:"obtain,omitempty"`
	Slots   int               `json:"slots"`
	Machine string            `json:"machine"`         // for people: processor, memory
	Speed   *Speed            `json:"speed,omitempty"` // nil where nobody measured it
}

// Check says what is wrong with a piece of work that somebody else wrote.
func (w *Work) Check() error {
	if _, known := kinds[w.Kind]; !known {
		return fmt.Errorf("the kind of job %.40q is not known here", w.Kind)
	}
	for what, d := range map[string]blob.Digest{"bundle": w.Bundle, "config": w.Config} {
		if _, err := blob.Parse(string(d)); err != nil {
			return fmt.Errorf("the %s: %w", what, err)
		}
	}
	for what, word := range map[string]string{"problem": w.Problem, "program": w.Program, "language": w.Language} {
		if len(word) > maxWord || strings.ContainsFunc(word, control) || word == "" && what != "language" {
			return fmt.Errorf("the %s %.40q is not a name of 1 to %d bytes", what, word, maxWord)
		}
	}
	if strings.ContainsAny(w.Problem, `/\:`) || strings.HasPrefix(w.Problem, ".") {
		return fmt.Errorf("the problem %.40q is not a name that a folder can have", w.Problem)
	}
	if !w.Kind.Judging() && len(w.Files) == 0 {
		return nil
	}
	return CheckFiles(w.Files, w.Folder)
}

// CheckFiles says what is wrong with the files of a submission: they must be able to stand
// in one folder of any system.
func CheckFiles(files []File, folder bool) error {
	switch {
	case len(files) == 0:
		return fmt.Errorf("the submission has no files")
	case len(files) > MaxFiles:
		return fmt.Errorf("the submission has %d files; the most is %d", len(files), MaxFiles)
	case !folder && (len(files) > 1 || strings.Contains(files[0].Path, "/")):
		return fmt.Errorf("the submission is not said to be a folder and has more than one file")
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
				return fmt.Errorf("%.200q is a file and a folder of the submission", f.Path[:i])
			}
		}
	}
	return nil
}

func checkFile(f File) error {
	parts := strings.Split(f.Path, "/")
	bad := func(part string) bool {
		return part == "" || part == "." || part == ".." || strings.ContainsAny(part, `\:`) || strings.ContainsFunc(part, control)
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

func control(r rune) bool { return r < ' ' || r == 0x7f || r == '\uFFFD' }
