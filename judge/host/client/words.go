package client

import (
	"encoding/json"
	"fmt"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/roster"
	"assay/judge/internal/pattern"
)

// The paths of the API, below the address of the server.
const (
	ServerPath       = "/v1/server"
	AccountPath      = "/v1/account"
	BlobPath         = "/blob/" // followed by the digest
	MissingPath      = "/v1/blobs/missing"
	ProblemsPath     = "/v1/problems"
	SubmissionsPath  = "/v1/submissions"
	QueuePath        = "/v1/queue"
	AccountLoadsPath = "/v1/queue/accounts"
	TokensPath       = "/v1/tokens"
	InvitesPath      = "/v1/workers/invites"
	WorkersPath      = "/v1/workers"
	JoinPath         = "/v1/workers/join"
	HelloPath        = "/v1/workers/hello"
	ClassesPath      = "/v1/classes"
	JudgingsPath     = "/v1/judgings"
	BackupPath       = "/v1/backup"
	MovePath         = "/v1/move"
	PeoplePath       = "/v1/accounts"
	InvitationsPath  = "/v1/invitations"
)

// ClaimHeader is the header with the reason why a worker fetches a blob: see job.Claim.
const ClaimHeader = "Assay-Claim"

// MaxBlobs is how many blobs a request may name.
const MaxBlobs = 1000

// A Server is what everyone may know about a server.
type Server struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
	URL      string `json:"url"` // with the fingerprint of a self-signed certificate
	// Preparing reports that the server is still publishing the problems of its contest directory.
	Preparing bool `json:"preparing,omitempty"`
}

// An Account is the account of a token.
type Account struct {
	Login  string   `json:"login"`
	Scopes []string `json:"scopes"`
}

// A Scope is something that a token allows.
type Scope string

// The scopes.
const (
	Submit  Scope = "submit"  // send submissions and read the account's own
	Publish Scope = "publish" // publish problems
	Admin   Scope = "admin"   // everything
)

// Scopes are all scopes.
var Scopes = []Scope{Submit, Publish, Admin}

// A Blob names bytes that the server needs.
type Blob struct {
	Digest blob.Digest `json:"sha256"`
	Size   int64       `json:"size_bytes"`
}

// Blobs is a list of blobs: in a request at most MaxBlobs that are needed, and in the response those that the client
// must upload.
type Blobs struct {
	Blobs []Blob `json:"blobs"`
}

// A Problem is a problem of the server.
type Problem struct {
	Slug   string      `json:"slug"`
	Title  string      `json:"title"`
	Bundle blob.Digest `json:"bundle"`
	Made   time.Time   `json:"made"`
}

// A NewProblem publishes a bundle under a name.
type NewProblem struct {
	Title    string      `json:"title"`
	Manifest blob.Digest `json:"manifest"`
	Config   blob.Digest `json:"config"`
	Sheet    blob.Digest `json:"sheet,omitempty"` // a Sheet as JSON
	// Practice is what practice with the problem shows from now on: off, verdict, samples, all, or default for the
	// server's setting. If empty, it does not change.
	Practice string `json:"practice,omitempty"`
	// Candidate reports whether the present version stays active: only rejudgings use the new one.
	Candidate bool `json:"candidate,omitempty"`
}

// PracticeDefault means the server's setting in NewProblem.Practice.
const PracticeDefault = "default"

// A NewSubmission is a submission whose files have been uploaded as blobs.
type NewSubmission struct {
	// Key is created once per submission and makes retries safe: the same key within ten minutes gives the same
	// submission.
	Key      string     `json:"key"`
	Problem  string     `json:"problem"`
	Contest  string     `json:"contest,omitempty"` // slug; if empty, the running contest that has the problem, or practice
	Program  string     `json:"program"`
	Language string     `json:"language,omitempty"`
	Files    []job.File `json:"files"`
	Folder   bool       `json:"folder,omitempty"`
	All      bool       `json:"all,omitempty"`
}

// A Submission is a submission on the server.
type Submission struct {
	ID       string        `json:"id"`
	Number   int64         `json:"number"`            // in its contest
	Contest  string        `json:"contest,omitempty"` // its slug, in lists and in the response to the sender; empty for practice
	Problem  string        `json:"problem"`
	Program  string        `json:"program"`
	Login    string        `json:"login"`
	Received time.Time     `json:"received"`
	State    string        `json:"state"` // waiting, out, done, failed, cancelled
	Verdict  judge.Verdict `json:"verdict,omitempty"`
	Score    string        `json:"score,omitempty"`
	Reason   string        `json:"reason,omitempty"` // why the judge gave no verdict
	Worker   string        `json:"worker,omitempty"`
	Machine  string        `json:"machine,omitempty"`
	Place    *Place        `json:"place,omitempty"` // while it waits
}

// A Place is the position of a waiting submission: how many submissions go before it if no other arrives.
type Place struct {
	Before   int `json:"before"`
	Priority int `json:"priority"` // those in a lane that goes first
	Later    int `json:"later"`    // those that were sent later
	// Why is why nothing is judged at the moment. If empty, workers take submissions.
	Why string `json:"why,omitempty"`
}

// String describes the position, and why later submissions go first.
func (p Place) String() string {
	if p.Why != "" {
		why := p.Why
		p.Why = ""
		return why + "; " + p.String()
	}
	if p.Before == 0 {
		return "this submission is next"
	}
	text := fmt.Sprintf("%d submissions go first", p.Before)
	if p.Before == 1 {
		text = "1 submission goes first"
	}
	if p.Priority > 0 {
		text += fmt.Sprintf("; %d of them from running contests or with higher priority", p.Priority)
	}
	if p.Later > 0 {
		text += fmt.Sprintf("; %d of them sent later, by accounts that used less judging time", p.Later)
	}
	return text
}

// A Line is a line in the stream of a judging. A line without fields keeps the connection open.
type Line struct {
	Event json.RawMessage `json:"event,omitempty"`
	End   *Submission     `json:"end,omitempty"` // the last line
}

// Cancelled is the number of canceled jobs.
type Cancelled struct {
	Submissions int `json:"submissions"`
	Flows       int `json:"flows"`
}

// A Queue says how much work waits.
type Queue struct {
	Lane    job.Lane  `json:"lane"`
	Class   string    `json:"class"`
	Waiting int       `json:"waiting"`
	Out     int       `json:"out"`
	Oldest  time.Time `json:"oldest"`
	// OfGuests is how many submissions only untrusted workers have judged while no trusted worker is online.
	OfGuests int `json:"of_guests,omitempty"`
}

// An AccountLoad is an account with open work.
type AccountLoad struct {
	Login  string    `json:"login"`
	Jobs   int       `json:"jobs"` // of submissions and flows
	Flows  int       `json:"flows"`
	Idle   int       `json:"idle"` // flows that wait to be planned
	Oldest time.Time `json:"oldest"`
}

// NewToken is a request for a token.
type NewToken struct {
	Login  string    `json:"login"` // of an account, which is created if needed
	Label  string    `json:"label"`
	Scopes []Scope   `json:"scopes"`
	Until  time.Time `json:"until,omitzero"` // if zero, it does not expire
}

// A Token is a token. Its Text is only in the response that creates it.
type Token struct {
	ID      string    `json:"id"`
	Login   string    `json:"login"`
	Label   string    `json:"label"`
	Scopes  []string  `json:"scopes"`
	Text    string    `json:"text,omitempty"` // in the answer that makes it
	LastDay time.Time `json:"last_day,omitzero"`
	Expires time.Time `json:"expires,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
}

// A NewInvite is a request for a code with which one worker may join within 24 hours.
type NewInvite struct {
	Worker string `json:"worker"` // its name
	// Guest makes the worker untrusted: its verdicts count only after another worker has judged the submission, too.
	Guest bool `json:"guest,omitempty"`
}

// An Invite is such a code.
type Invite struct {
	Code    string    `json:"code"`
	Expires time.Time `json:"expires"`
	// Cluster reports that the queue is an external cluster, whose operator must add the worker.
	Cluster bool `json:"cluster,omitempty"`
}

// A Join registers a worker: with the code of an invite, and the public half of its key.
type Join struct {
	Code  string    `json:"code"`
	Key   string    `json:"key"`
	Offer job.Offer `json:"offer"`
}

// Hello is what a worker sends at each start, signed with its key.
type Hello struct {
	Offer job.Offer `json:"offer"`
}

// A Welcome is the response to a worker that joins or starts.
type Welcome struct {
	Worker string     `json:"worker"` // its name
	Class  string     `json:"class"`
	Lanes  []job.Lane `json:"lanes"`
	Queue  string     `json:"queue"` // the queue: if empty, the bridge at queue.Path of this server, otherwise the servers of a cluster
	// Factor is how many times the CPU time of the first machine of the class this one takes; zero means unknown.
	// Time limits are multiplied by Scale; zero means 1.
	Factor float64 `json:"factor,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
	// Notes are for the administrator of the worker.
	Notes []string `json:"notes,omitempty"`
}

// A Worker is a worker on the server.
type Worker struct {
	Name      string    `json:"name"`
	Class     string    `json:"class"`
	Guest     bool      `json:"guest,omitempty"`
	Factor    float64   `json:"factor,omitempty"` // of its CPU times and those of the first machine of its class; 0 if unknown
	State     string    `json:"state"`            // active, drained, revoked
	Connected bool      `json:"connected"`
	Running   int       `json:"running"`
	Offer     job.Offer `json:"offer"`
	Key       string    `json:"key"` // the public half
	Enrolled  time.Time `json:"enrolled"`
	Note      string    `json:"note,omitempty"`
}

// A Class is a class of workers as its first one defined it.
type Class struct {
	job.Class
	Speed  *job.Speed `json:"speed,omitempty"` // of the first machine that was measured
	Filled time.Time  `json:"filled"`
}

// AcceptClass is a request to create a class again from the capabilities of this worker.
type AcceptClass struct {
	Worker string `json:"worker"`
}

// Accepted is the response: the workers that are drained, because they fit only the old class.
type Accepted struct {
	Stopped []string `json:"stopped"`
}

// A Judging is one judging of a submission for administrators.
type Judging struct {
	ID         string        `json:"id"`
	Root       string        `json:"root"`   // the judging that it repeats, or itself
	Origin     string        `json:"origin"` // first, borderline, guest
	Why        string        `json:"why,omitempty"`
	Submission string        `json:"submission"`
	Number     int64         `json:"number"`
	Problem    string        `json:"problem"`
	Login      string        `json:"login"`
	Program    string        `json:"program"`
	Worker     string        `json:"worker,omitempty"`
	Verdict    judge.Verdict `json:"verdict,omitempty"`
	Reason     string        `json:"reason,omitempty"`
	Started    time.Time     `json:"started"`
	Ended      time.Time     `json:"ended,omitzero"`
	Stands     bool          `json:"stands"` // it is the current one
	// Case is the first test case that failed, and CPUMillis its time. If none failed, both are of the slowest one.
	Case      string  `json:"case,omitempty"`
	CPUMillis float64 `json:"cpu_ms"`
	// Version is that of the judge. Toolchains are those of the used languages, by id.
	Version    string            `json:"version,omitempty"`
	Rung       string            `json:"sandbox,omitempty"`
	Toolchains map[string]string `json:"toolchains,omitempty"`
}

// A SetWorker changes the state of a worker.
type SetWorker struct {
	State string `json:"state"`
	Note  string `json:"note,omitempty"`
}

// A Backup is a backup to make on the server's machine, in the server's directory for backups. In the response, it
// has the directory of the backup.
type Backup struct {
	Name string `json:"name"`
	Dir  string `json:"dir,omitempty"`
}

// Moved describes a move of a server's data to another database.
type Moved struct {
	DryRun  bool     `json:"dry_run,omitempty"` // nothing was moved yet
	Tables  int      `json:"tables"`
	Rows    int64    `json:"rows"`
	Blobs   int      `json:"blobs,omitempty"`
	Missing int      `json:"missing,omitempty"` // blobs that the database names and the server did not have
	Stopped float64  `json:"stopped"`           // for how many seconds writes were stopped
	Lines   []string `json:"lines"`             // of the [server] table of judge.toml
}

// A refusal is the response to a rejected request: what is wrong, and what to do.
type refusal struct {
	Text string `json:"error"`
	Hint string `json:"hint,omitempty"`
}

// A Person is an account for administrators.
type Person struct {
	Login    string `json:"login"`
	Name     string `json:"name"`
	Role     string `json:"role"`     // may be empty
	Password bool   `json:"password"` // the account can log in with a password
	Disabled bool   `json:"disabled,omitempty"`
}

// NewPeople is a request to create accounts.
type NewPeople struct {
	List []byte `json:"list"` // the bytes of a file that roster.Read reads
	Role string `json:"role"`
	// Contest is the slug of a contest that the accounts enter. It may be empty.
	Contest string `json:"contest,omitempty"`
	// DryRun returns only the preview and creates nothing.
	DryRun bool `json:"dry_run,omitempty"`
	// SkipErrors leaves rows with errors out. Otherwise they fail the request.
	SkipErrors bool `json:"skip_errors,omitempty"`
	// Seen is the digest of a preview. If it is not empty, the import fails unless it does just what
	// that preview says.
	Seen string `json:"seen,omitempty"`
}

// A Slip is a login sheet.
type Slip struct {
	Login    string `json:"login"`
	Name     string `json:"name"`
	Password string `json:"password,omitempty"` // in the answer that makes it
}

// Slips are the login sheets of created accounts, and the accounts that existed.
type Slips struct {
	Made  []Slip `json:"made"`
	There []Slip `json:"there"`
	// Preview is what the import does, or would do.
	Preview roster.Preview `json:"preview"`
}

// ImportContest asks for the import of a contest package.
type ImportContest struct {
	// Files are the files of the package by their names: contestpackage.Collect reads them.
	Files map[string][]byte `json:"files"`
	// Media are the pictures and documents of the package. Their blobs must be uploaded unless it is a dry run.
	Media []PackageFile `json:"media,omitempty"`
	// Contest is the slug of the contest. If empty, it is the id that the package says.
	Contest string `json:"contest,omitempty"`
	// DryRun asks for the report alone: nothing changes.
	DryRun bool `json:"dry_run,omitempty"`
}

// PackageFile is a file of a contest package.
type PackageFile struct {
	Path string `json:"path"` // in the package
	Blob
}

// ImportReport is what an import does, or would do.
type ImportReport struct {
	Contest string       `json:"contest"` // slug
	Lines   []ImportLine `json:"lines"`
	// Unchanged is how many objects of the package the contest has already, without a difference.
	Unchanged int      `json:"unchanged"`
	Notes     []string `json:"notes"`
	// Made are the login sheets of the accounts that were created.
	Made []Slip `json:"made"`
}

// ImportLine is what an import does with an object.
type ImportLine struct {
	State string `json:"state"` // added, changed, missing or skipped
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Note  string `json:"note,omitempty"`
}

// NewInvitation asks for a link by which people make accounts for themselves.
type NewInvitation struct {
	Note    string  `json:"note,omitempty"` // its purpose
	Contest string  `json:"contest,omitempty"`
	Uses    int     `json:"uses"` // how many accounts it may create
	Days    float64 `json:"days"` // valid for this many days
}

// An Invitation is such a link.
type Invitation struct {
	ID      string    `json:"id"`
	Note    string    `json:"note,omitempty"`
	Contest string    `json:"contest,omitempty"`
	Uses    int       `json:"uses"`
	Used    int       `json:"used"`
	Expires time.Time `json:"expires"`
	State   string    `json:"state"`
	Path    string    `json:"path,omitempty"` // of the link; only in the response that creates it
}

// A SetPerson changes an account. Empty fields do not change.
type SetPerson struct {
	Reset bool   `json:"reset,omitempty"` // set a random password
	State string `json:"state,omitempty"` // in, or out to disable the account
	Role  string `json:"role,omitempty"`  // of auth.Roles, or none
	// Contest is the slug of the contest in which the role holds. If empty, it holds on the whole server.
	Contest string `json:"contest,omitempty"`
	// Sites are the ids of groups of the contest, of the type site, to whose teams the role is restricted.
	Sites []string `json:"sites,omitempty"`
}

// slugs matches the names of problems on a server.
var slugs = pattern.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// GoodSlug reports whether a problem on a server may have the name.
func GoodSlug(name string) bool { return slugs().MatchString(name) }
