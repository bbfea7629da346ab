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

// The paths of the API, relative to the server's address.
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
	JoinCodesPath    = "/v1/workers/invites"
	WorkersPath      = "/v1/workers"
	JoinPath         = "/v1/workers/join"
	HelloPath        = "/v1/workers/hello"
	ClassesPath      = "/v1/classes"
	JudgementsPath   = "/v1/judgements"
	BackupPath       = "/v1/backup"
	MovePath         = "/v1/move"
	AccountsPath     = "/v1/accounts"
	InvitationsPath  = "/v1/invitations"
)

// ClaimHeader is the header with a worker's reason for fetching a blob: see job.Claim.
const ClaimHeader = "Assay-Claim"

// MaxBlobs is the maximum number of blobs in a request.
const MaxBlobs = 1000

// A Server is the public information about a server.
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
	Login  string   `json:"username"`
	Scopes []string `json:"scopes"`
}

// A Scope is a permission of a token.
type Scope string

// The scopes.
const (
	Submit  Scope = "submit"  // send submissions and read the account's own
	Publish Scope = "publish" // publish problems
	Admin   Scope = "admin"   // everything
)

// Scopes are all scopes.
var Scopes = []Scope{Submit, Publish, Admin}

// A Blob identifies bytes that the server needs.
type Blob struct {
	Digest blob.Digest `json:"sha256"`
	Size   int64       `json:"size_bytes"`
}

// Blobs is a list of blobs. A request lists at most MaxBlobs blobs that the client wants to refer to. The response
// lists the blobs among them that the client must upload first.
type Blobs struct {
	Blobs []Blob `json:"blobs"`
}

// A Problem is a problem of the server.
type Problem struct {
	Slug   string      `json:"slug"`
	Title  string      `json:"title"`
	Bundle blob.Digest `json:"bundle"`
	Made   time.Time   `json:"created"`
}

// A NewProblem publishes a bundle under a name.
type NewProblem struct {
	Title    string      `json:"title"`
	Manifest blob.Digest `json:"manifest"`
	Config   blob.Digest `json:"config"`
	Info     blob.Digest `json:"metadata,omitempty"` // a Sheet as JSON
	// Practice sets what practice with the problem shows: off, verdict, samples, all, or default for the server's
	// setting. If empty, the problem's setting does not change.
	Practice string `json:"practice,omitempty"`
	// Candidate reports whether the current version stays active. In that case, only rejudgings use the new
	// version.
	Candidate bool `json:"candidate,omitempty"`
}

// PracticeDefault is the value of NewProblem.Practice that selects the server's setting.
const PracticeDefault = "default"

// A NewSubmission is a submission to send. Its files must have been uploaded as blobs.
type NewSubmission struct {
	// Key is created once per submission and makes retries safe. Within ten minutes, a request with the same key
	// returns the same submission.
	Key               string     `json:"key"`
	Problem           string     `json:"problem"`
	Contest           string     `json:"contest,omitempty"` // slug; if empty, the running contest with the problem, or practice
	Program           string     `json:"program"`
	Language          string     `json:"language,omitempty"`
	Files             []job.File `json:"files"`
	IsDir             bool       `json:"directory,omitempty"`
	ContinueOnFailure bool       `json:"all,omitempty"`
}

// A Submission is a submission on the server.
type Submission struct {
	ID       string         `json:"id"`
	Number   int64          `json:"number"`            // in its contest
	Contest  string         `json:"contest,omitempty"` // slug, in lists and the sender's response; empty for practice
	Problem  string         `json:"problem"`
	Program  string         `json:"program"`
	Login    string         `json:"username"`
	Received time.Time      `json:"received"`
	State    string         `json:"state"` // waiting, running, done, failed, cancelled
	Verdict  judge.Verdict  `json:"verdict,omitempty"`
	Score    string         `json:"score,omitempty"`
	Reason   string         `json:"reason,omitempty"` // why the judge gave no verdict
	Worker   string         `json:"worker,omitempty"`
	Machine  string         `json:"machine,omitempty"`
	Position *QueuePosition `json:"place,omitempty"` // while it waits
}

// A QueuePosition is the position of a pending submission in the queue. It assumes that no other submission arrives.
type QueuePosition struct {
	Ahead    int `json:"before"`
	Priority int `json:"priority"` // submissions with a higher priority
	Later    int `json:"later"`    // submissions that were sent later
	// BlockedReason is the reason why nothing is judged at the moment. If empty, workers take submissions.
	BlockedReason string `json:"reason,omitempty"`
}

// String describes the position, and explains why later submissions go first.
func (p QueuePosition) String() string {
	if p.BlockedReason != "" {
		why := p.BlockedReason
		p.BlockedReason = ""
		return why + "; " + p.String()
	}
	if p.Ahead == 0 {
		return "this submission is next"
	}
	text := fmt.Sprintf("%d submissions go first", p.Ahead)
	if p.Ahead == 1 {
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

// A JudgementLine is a line in the stream of a judgement. A line without fields keeps the connection open.
type JudgementLine struct {
	Event json.RawMessage `json:"event,omitempty"`
	End   *Submission     `json:"end,omitempty"` // set only in the last line
}

// Cancelled is the number of canceled jobs.
type Cancelled struct {
	Submissions int `json:"submissions"`
	Workflows   int `json:"workflows"`
}

// A QueueState describes the pending jobs of one priority.
type QueueState struct {
	Priority job.Priority `json:"priority"`
	Class    string       `json:"class"`
	Waiting  int          `json:"waiting"`
	Running  int          `json:"running"`
	Oldest   time.Time    `json:"oldest"`
	// UntrustedOnly is the number of submissions that only untrusted workers have judged, while no trusted worker is
	// online.
	UntrustedOnly int `json:"of_untrusted,omitempty"`
}

// An AccountLoad is the pending work of an account.
type AccountLoad struct {
	Login         string    `json:"username"`
	Jobs          int       `json:"jobs"` // of submissions and workflows
	Workflows     int       `json:"workflows"`
	IdleWorkflows int       `json:"idle"` // workflows that wait to be planned
	Oldest        time.Time `json:"oldest"`
}

// NewToken is a request for a token.
type NewToken struct {
	Login   string    `json:"username"` // of an account, which is created if needed
	Label   string    `json:"label"`
	Scopes  []Scope   `json:"scopes"`
	Expires time.Time `json:"until,omitzero"` // if zero, it does not expire
}

// A Token is a token. Only the response that creates it contains Text.
type Token struct {
	ID      string    `json:"id"`
	Login   string    `json:"username"`
	Label   string    `json:"label"`
	Scopes  []string  `json:"scopes"`
	Text    string    `json:"text,omitempty"` // only in the response that creates it
	LastDay time.Time `json:"last_day,omitzero"`
	Expires time.Time `json:"expires,omitzero"`
	Revoked time.Time `json:"revoked,omitzero"`
}

// A NewJoinCode is a request for a join code, which lets one worker join within 24 hours.
type NewJoinCode struct {
	Worker string `json:"worker"` // its name
	// Untrusted makes the worker untrusted: its verdicts become current only after a trusted worker has also judged
	// the submission.
	Untrusted bool `json:"untrusted,omitempty"`
}

// An JoinCode is a join code for a worker.
type JoinCode struct {
	Code    string    `json:"code"`
	Expires time.Time `json:"expires"`
	// Cluster reports whether the queue is an external cluster, whose operator must add the worker.
	Cluster bool `json:"cluster,omitempty"`
}

// A JoinRequest is a request to register a worker. It contains a join code and the public half of the worker's key.
type JoinRequest struct {
	Code         string           `json:"code"`
	Key          string           `json:"key"`
	Capabilities job.Capabilities `json:"offer"`
}

// HelloRequest is the request that a worker sends at each start, signed with its key.
type HelloRequest struct {
	Capabilities job.Capabilities `json:"offer"`
}

// A Welcome is the response to a worker that joins or starts.
type Welcome struct {
	Worker     string         `json:"worker"` // its name
	Class      string         `json:"class"`
	Priorities []job.Priority `json:"priorities"`
	Queue      string         `json:"queue"` // servers of a cluster; if empty, the bridge at queue.Path of this server
	// SpeedFactor is this machine's CPU time divided by that of the first machine of its class. Zero means unknown.
	// Time limits are multiplied by Scale; zero means 1.
	SpeedFactor float64 `json:"factor,omitempty"`
	Scale       float64 `json:"scale,omitempty"`
	// Notes are messages for the worker's administrator.
	Notes []string `json:"notes,omitempty"`
}

// A Worker is a worker on the server.
type Worker struct {
	Name         string           `json:"name"`
	Class        string           `json:"class"`
	Untrusted    bool             `json:"untrusted,omitempty"`
	SpeedFactor  float64          `json:"factor,omitempty"` // CPU time relative to the first machine of the class; 0 if unknown
	State        string           `json:"state"`            // active, drained, revoked
	Connected    bool             `json:"connected"`
	Running      int              `json:"running"`
	Capabilities job.Capabilities `json:"offer"`
	Key          string           `json:"key"` // the public half
	Joined       time.Time        `json:"enrolled"`
	Note         string           `json:"note,omitempty"`
}

// A Class is a worker class, as its first worker defined it.
type Class struct {
	job.Class
	Speed   *job.Speed `json:"speed,omitempty"` // of the first measured machine
	Created time.Time  `json:"filled"`
}

// AcceptClassRequest is a request to redefine a class from the capabilities of this worker.
type AcceptClassRequest struct {
	Worker string `json:"worker"`
}

// AcceptedClass is the response to AcceptClassRequest. It lists the workers that are drained because they fit only the old
// class.
type AcceptedClass struct {
	Drained []string `json:"stopped"`
}

// A Judgement is one judgement of a submission, as administrators see it.
type Judgement struct {
	ID           string        `json:"id"`
	Root         string        `json:"root"`                    // the judgement that this one repeats, or its own id
	Origin       string        `json:"origin"`                  // first, near-limit, untrusted, rejudge
	RepeatReason string        `json:"repeat_reason,omitempty"` // why it repeats the root
	Submission   string        `json:"submission"`
	Number       int64         `json:"number"`
	Problem      string        `json:"problem"`
	Login        string        `json:"username"`
	Program      string        `json:"program"`
	Worker       string        `json:"worker,omitempty"`
	Verdict      judge.Verdict `json:"verdict,omitempty"`
	Reason       string        `json:"reason,omitempty"`
	Started      time.Time     `json:"started"`
	Ended        time.Time     `json:"ended,omitzero"`
	Current      bool          `json:"current"` // whether it is the current judgement
	// Case is the first failed test case, and CPUMillis is its CPU time. If none failed, both describe the slowest
	// test case.
	Case      string  `json:"case,omitempty"`
	CPUMillis float64 `json:"cpu_ms"`
	// Version is the version of the judge. Toolchains maps the ids of the used languages to their toolchains.
	Version        string            `json:"version,omitempty"`
	IsolationLevel string            `json:"sandbox,omitempty"`
	Toolchains     map[string]string `json:"toolchains,omitempty"`
}

// A WorkerUpdate changes the state of a worker.
type WorkerUpdate struct {
	State string `json:"state"`
	Note  string `json:"note,omitempty"`
}

// A Backup is a request to create a backup in the backup directory on the server's machine. The response contains
// the directory of the backup.
type Backup struct {
	Name string `json:"name"`
	Dir  string `json:"dir,omitempty"`
}

// MoveResult describes a move of a server's data to another database.
type MoveResult struct {
	DryRun  bool     `json:"dry_run,omitempty"` // nothing has been moved
	Tables  int      `json:"tables"`
	Rows    int64    `json:"rows"`
	Blobs   int      `json:"blobs,omitempty"`
	Missing int      `json:"missing,omitempty"` // blobs that the database refers to but the server did not have
	Stopped float64  `json:"stopped"`           // time in seconds during which writes were stopped
	Lines   []string `json:"lines"`             // lines for the [server] table of judge.toml
}

// An errorResponse is the response to a rejected request. It says what is wrong and what to do.
type errorResponse struct {
	Text string `json:"error"`
	Hint string `json:"hint,omitempty"`
}

// An AccountInfo is an account, as administrators see it.
type AccountInfo struct {
	Login    string `json:"username"`
	Name     string `json:"name"`
	Role     string `json:"role"`     // may be empty
	Password bool   `json:"password"` // the account can log in with a password
	Disabled bool   `json:"disabled,omitempty"`
}

// NewAccounts is a request to create accounts.
type NewAccounts struct {
	List []byte `json:"list"` // content of a file in a format that roster.Read supports
	Role string `json:"role"`
	// Contest is the slug of a contest to which the accounts are added. It may be empty.
	Contest string `json:"contest,omitempty"`
	// If DryRun is set, only the preview is returned and nothing is created.
	DryRun bool `json:"dry_run,omitempty"`
	// If SkipErrors is set, rows with errors are skipped. Otherwise they make the request fail.
	SkipErrors bool `json:"skip_errors,omitempty"`
	// PreviewDigest is the digest of a preview. If it is not empty, the import fails unless it makes exactly the changes in
	// that preview.
	PreviewDigest string `json:"seen,omitempty"`
}

// A Credentials is a login sheet.
type Credentials struct {
	Login    string `json:"username"`
	Name     string `json:"name"`
	Password string `json:"password,omitempty"` // only in the response that sets it
}

// CreatedAccounts lists the login sheets of created accounts, and the accounts that already existed.
type CreatedAccounts struct {
	Created  []Credentials `json:"created"`
	Existing []Credentials `json:"existing"`
	// Preview describes what the import does, or would do in a dry run.
	Preview roster.Preview `json:"preview"`
}

// ContestImport is a request to import a contest package.
type ContestImport struct {
	// Files maps the names of the package's files to their contents. Function contestpackage.Collect reads them.
	Files map[string][]byte `json:"files"`
	// Media lists the pictures and documents of the package. Their blobs must be uploaded, except for a dry run.
	Media []PackageFile `json:"media,omitempty"`
	// Contest is the slug of the contest. If empty, the slug is the id in the package.
	Contest string `json:"contest,omitempty"`
	// If DryRun is set, only the report is returned and nothing changes.
	DryRun bool `json:"dry_run,omitempty"`
}

// PackageFile is a file of a contest package.
type PackageFile struct {
	Path string `json:"path"` // in the package
	Blob
}

// An ImportReport describes what an import does, or would do in a dry run.
type ImportReport struct {
	Contest string       `json:"contest"` // slug
	Lines   []ImportLine `json:"lines"`
	// Unchanged is the number of objects in the package that the contest already contains in the same form.
	Unchanged int      `json:"unchanged"`
	Notes     []string `json:"notes"`
	// Created lists the login sheets of created accounts.
	Created []Credentials `json:"created"`
}

// An ImportLine describes what an import does with an object.
type ImportLine struct {
	State string `json:"state"` // added, changed, missing or skipped
	Kind  string `json:"kind"`
	ID    string `json:"id"`
	Note  string `json:"note,omitempty"`
}

// NewInvitation is a request for a link with which users can create accounts.
type NewInvitation struct {
	Note    string  `json:"note,omitempty"` // its purpose
	Contest string  `json:"contest,omitempty"`
	Uses    int     `json:"uses"` // maximum number of accounts that it can create
	Days    float64 `json:"days"` // number of days for which it is valid
}

// An Invitation is a link with which users can create accounts.
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

// An AccountUpdate changes an account. Empty fields do not change.
type AccountUpdate struct {
	ResetPassword bool   `json:"reset,omitempty"` // set a random password
	State         string `json:"state,omitempty"` // enabled or disabled
	Role          string `json:"role,omitempty"`  // one of auth.Roles, or "none"
	// Contest is the slug of the contest to which the role applies. If empty, it applies to the whole server.
	Contest string `json:"contest,omitempty"`
	// Sites lists the ids of groups of type site in the contest. The role is restricted to the teams in these
	// groups.
	Sites []string `json:"sites,omitempty"`
}

// slugPattern matches the valid problem names on a server.
var slugPattern = pattern.New(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// ValidSlug reports whether name is a valid problem name on a server.
func ValidSlug(name string) bool { return slugPattern().MatchString(name) }
