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
	ServerPath      = "/v1/server"
	AccountPath     = "/v1/account"
	BlobPath        = "/blob/" // and the digest
	MissingPath     = "/v1/blobs/missing"
	ProblemsPath    = "/v1/problems"
	SubmissionsPath = "/v1/submissions"
	QueuePath       = "/v1/queue"
	AskersPath      = "/v1/queue/accounts"
	TokensPath      = "/v1/tokens"
	InvitesPath     = "/v1/workers/invites"
	WorkersPath     = "/v1/workers"
	JoinPath        = "/v1/workers/join"
	HelloPath       = "/v1/workers/hello"
	ClassesPath     = "/v1/classes"
	JudgingsPath    = "/v1/judgings"
	BackupPath      = "/v1/backup"
	PeoplePath      = "/v1/accounts"
	InvitationsPath = "/v1/invitations"
)

// ClaimHeader is where a worker says for what it wants a blob: see job.Claim.
const ClaimHeader = "Assay-Claim"

// MaxBlobs is how many blobs a request may ask for.
const MaxBlobs = 1000

// Server is what anybody may know of a server.
type Server struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Protocol int    `json:"protocol"`
	URL      string `json:"url"` // by which others reach it, with the fingerprint of a certificate that it made itself
	// Preparing says that the server still prepares problems that come with it.
	Preparing bool `json:"preparing,omitempty"`
}

// Account is who a token acts for.
type Account struct {
	Login  string   `json:"login"`
	Scopes []string `json:"scopes"`
}

// Scope is what a token lets its holder do.
type Scope string

// The scopes.
const (
	Submit  Scope = "submit"  // send submissions and see one's own
	Publish Scope = "publish" // put problems on the server
	Admin   Scope = "admin"   // everything
)

// Scopes are all scopes.
var Scopes = []Scope{Submit, Publish, Admin}

// Blob names bytes that the server should have.
type Blob struct {
	Digest blob.Digest `json:"sha256"`
	Size   int64       `json:"size_bytes"`
}

// Blobs is a list of blobs: in a request those that are needed, MaxBlobs at most; in the answer
// those that the account is to send.
type Blobs struct {
	Blobs []Blob `json:"blobs"`
}

// Problem is a problem of the server.
type Problem struct {
	Slug   string      `json:"slug"`
	Title  string      `json:"title"`
	Bundle blob.Digest `json:"bundle"`
	Made   time.Time   `json:"made"`
}

// NewProblem publishes a bundle under a name.
type NewProblem struct {
	Title    string      `json:"title"`
	Manifest blob.Digest `json:"manifest"`
	Config   blob.Digest `json:"config"`
	Sheet    blob.Digest `json:"sheet,omitempty"` // of a Sheet as JSON
	// Practice is what practice with the problem shows from now on: off, verdict, samples, all, or
	// default, which is the server's setting. If empty, that does not change.
	Practice string `json:"practice,omitempty"`
}

// PracticeDefault is the word for the server's setting in NewProblem.Practice.
const PracticeDefault = "default"

// NewSubmission is a submission whose files the server has as blobs.
type NewSubmission struct {
	// Key is made once for each submission: the same key within ten minutes is the same
	// submission, so that sending again after an error is safe.
	Key      string     `json:"key"`
	Problem  string     `json:"problem"`
	Contest  string     `json:"contest,omitempty"` // slug; "" for the running one that has the problem, where that is one
	Program  string     `json:"program"`
	Language string     `json:"language,omitempty"`
	Files    []job.File `json:"files"`
	Folder   bool       `json:"folder,omitempty"`
	All      bool       `json:"all,omitempty"`
}

// Submission is a submission as the server knows it.
type Submission struct {
	ID       string        `json:"id"`
	Number   int64         `json:"number"`            // in its contest
	Contest  string        `json:"contest,omitempty"` // its slug, in lists and where it was sent; "" for practice
	Problem  string        `json:"problem"`
	Program  string        `json:"program"`
	Login    string        `json:"login"`
	Received time.Time     `json:"received"`
	State    string        `json:"state"` // waiting, out, done, failed, cancelled
	Verdict  judge.Verdict `json:"verdict,omitempty"`
	Score    string        `json:"score,omitempty"`
	Reason   string        `json:"reason,omitempty"` // why there is no verdict of a judge
	Worker   string        `json:"worker,omitempty"`
	Machine  string        `json:"machine,omitempty"`
	Place    *Place        `json:"place,omitempty"` // while it waits
}

// Place is where a submission waits: how many submissions go before it, if no other comes.
type Place struct {
	Before   int `json:"before"`
	Priority int `json:"priority"` // of them, those of a lane that goes first
	Later    int `json:"later"`    // of them, those that were sent later
}

// String says it for who waits, and why those that were sent later go first.
func (p Place) String() string {
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

// Line is a line of the stream that tells how a judging gets on. One that has no field is
// there to keep the connection.
type Line struct {
	Event json.RawMessage `json:"event,omitempty"`
	End   *Submission     `json:"end,omitempty"` // the last line
}

// Cancelled says how much was cancelled.
type Cancelled struct {
	Submissions int `json:"submissions"`
	Flows       int `json:"flows"`
}

// Queue is how much there is to do.
type Queue struct {
	Lane    job.Lane  `json:"lane"`
	Class   string    `json:"class"`
	Waiting int       `json:"waiting"`
	Out     int       `json:"out"`
	Oldest  time.Time `json:"oldest"`
	// OfGuests is how many guests have judged, and nobody is here who is no guest.
	OfGuests int `json:"of_guests,omitempty"`
}

// Asker is how much of what an account asked for has not ended.
type Asker struct {
	Login  string    `json:"login"`
	Jobs   int       `json:"jobs"` // of submissions and of flows
	Flows  int       `json:"flows"`
	Idle   int       `json:"idle"` // flows that wait to be planned
	Oldest time.Time `json:"oldest"`
}

// NewToken asks for a token, and NewInvite for a code by which one worker may join.
type NewToken struct {
	Login  string    `json:"login"` // an account that is there, or is made
	Label  string    `json:"label"`
	Scopes []Scope   `json:"scopes"`
	Until  time.Time `json:"until,omitzero"` // zero is for ever
}

// Token is a token; its Text is known to whom it was given, and to nobody else.
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

// NewInvite asks for a code by which a worker may join, once and within 24 hours.
type NewInvite struct {
	Worker string `json:"worker"` // its name
	// Guest says that what it judges counts when another worker has judged it as well.
	Guest bool `json:"guest,omitempty"`
}

// Invite is such a code.
type Invite struct {
	Code    string    `json:"code"`
	Expires time.Time `json:"expires"`
	// Cluster says that the jobs lie in a cluster of its own, whose operator must let the worker in.
	Cluster bool `json:"cluster,omitempty"`
}

// Join is how a worker joins: with the code of an invite, and the public half of its key.
type Join struct {
	Code  string    `json:"code"`
	Key   string    `json:"key"`
	Offer job.Offer `json:"offer"`
}

// Hello is what a worker says at each start, signed by its key.
type Hello struct {
	Offer job.Offer `json:"offer"`
}

// Welcome is what a worker is told when it joins, and at each start.
type Welcome struct {
	Worker string     `json:"worker"` // its name
	Class  string     `json:"class"`
	Lanes  []job.Lane `json:"lanes"`
	Queue  string     `json:"queue"` // where the jobs are: "" is the bridge at queue.Path of this server, else the servers of a cluster
	// Factor is how many times the processor time of the first machine of the class this one
	// takes, 0 where that is not known; time limits are to be multiplied by Scale, 0 for 1.
	Factor float64 `json:"factor,omitempty"`
	Scale  float64 `json:"scale,omitempty"`
	// Notes are for those who look after the worker.
	Notes []string `json:"notes,omitempty"`
}

// Worker is a worker as the server knows it.
type Worker struct {
	Name      string    `json:"name"`
	Class     string    `json:"class"`
	Guest     bool      `json:"guest,omitempty"`
	Factor    float64   `json:"factor,omitempty"` // of its processor times and those of the first of its class; 0 where it is not known
	State     string    `json:"state"`            // active, drained, revoked
	Connected bool      `json:"connected"`
	Running   int       `json:"running"`
	Offer     job.Offer `json:"offer"`
	Key       string    `json:"key"` // the public half
	Enrolled  time.Time `json:"enrolled"`
	Note      string    `json:"note,omitempty"`
}

// Class is a class of workers as its first one made it.
type Class struct {
	job.Class
	Speed  *job.Speed `json:"speed,omitempty"` // of the first machine that was measured
	Filled time.Time  `json:"filled"`
}

// AcceptClass is the wish that a class be made anew: of what this worker of it offers.
type AcceptClass struct {
	Worker string `json:"worker"`
}

// Accepted is the answer: the workers that are told to stop, so that nobody judges as it was.
type Accepted struct {
	Stopped []string `json:"stopped"`
}

// Judging is one judging of a submission, as the staff sees it.
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
	Stands     bool          `json:"stands"` // it is the one that counts
	// Case is the one that failed first, and CPUMillis what it took, or else the slowest one.
	Case      string  `json:"case,omitempty"`
	CPUMillis float64 `json:"cpu_ms"`
	// Version is the judge's, and Toolchains are those of the languages that were used, by id.
	Version    string            `json:"version,omitempty"`
	Rung       string            `json:"sandbox,omitempty"`
	Toolchains map[string]string `json:"toolchains,omitempty"`
}

// SetWorker changes the state of a worker.
type SetWorker struct {
	State string `json:"state"`
	Note  string `json:"note,omitempty"`
}

// Backup is a backup that is to be made on the server's machine, where all are, and in the answer
// the folder in which it is.
type Backup struct {
	Name string `json:"name"`
	Dir  string `json:"dir,omitempty"`
}

// refusal is the answer to a request that is not done: what is wrong, and what to do.
type refusal struct {
	Text string `json:"error"`
	Hint string `json:"hint,omitempty"`
}

// Person is an account as those who look after the server see it.
type Person struct {
	Login    string `json:"login"`
	Name     string `json:"name"`
	Role     string `json:"role"`     // "" for none
	Password bool   `json:"password"` // it can log in
	Disabled bool   `json:"disabled,omitempty"`
}

// NewPeople asks for accounts.
type NewPeople struct {
	List []byte `json:"list"` // the bytes of a file that roster.Read reads
	Role string `json:"role"`
	// Contest is the slug of one in which all of them take part; "" for none.
	Contest string `json:"contest,omitempty"`
	// DryRun asks for the preview alone: nothing is created.
	DryRun bool `json:"dry_run,omitempty"`
	// SkipErrors leaves rows with errors out. Otherwise they fail the request.
	SkipErrors bool `json:"skip_errors,omitempty"`
	// Seen is the digest of a preview. If it is not empty, the import fails unless it does just what
	// that preview says.
	Seen string `json:"seen,omitempty"`
}

// Slip is what somebody logs in with.
type Slip struct {
	Login    string `json:"login"`
	Name     string `json:"name"`
	Password string `json:"password,omitempty"` // in the answer that makes it
}

// Slips are those of accounts that were made, and who was there already.
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
	Notes   []string     `json:"notes"`
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
	Note    string  `json:"note,omitempty"` // what it is for
	Contest string  `json:"contest,omitempty"`
	Uses    int     `json:"uses"` // how many may come
	Days    float64 `json:"days"` // how long it is good
}

// Invitation is such a link.
type Invitation struct {
	ID      string    `json:"id"`
	Note    string    `json:"note,omitempty"`
	Contest string    `json:"contest,omitempty"`
	Uses    int       `json:"uses"`
	Used    int       `json:"used"`
	Expires time.Time `json:"expires"`
	State   string    `json:"state"`
	Path    string    `json:"path,omitempty"` // of the link, in the answer that makes it
}

// SetPerson changes an account. What is not said stays as it is.
type SetPerson struct {
	Reset bool   `json:"reset,omitempty"` // make up a new password
	State string `json:"state,omitempty"` // in, or out for one that may do nothing
	Role  string `json:"role,omitempty"`  // of auth.Roles, or none
	// Contest is the slug of the one in which the role holds; "" for the whole site.
	Contest string `json:"contest,omitempty"`
}

// slugs are the names of problems on a server.
var slugs = pattern.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// GoodSlug says whether a problem on a server may be called so.
func GoodSlug(name string) bool { return slugs().MatchString(name) }
