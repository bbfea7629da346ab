package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/job"
	"assay/judge/internal/cachedir"
	"assay/judge/internal/forceremove"
	"assay/judge/workspace"
)

// RunnerOptions configure a Runner.
type RunnerOptions struct {
	Dir   string // data directory, including fetched files
	Cache string // directory for builds and toolchain data; if empty, it is inside Dir
	Slots int    // programs that run at once, over all jobs; at least 1
	Blobs Blobs
	// Version is the version of the judge.
	Version string
	// Contest is the directory of the machine's own judge.toml, which determines what programs can see of the
	// machine. If empty, Dir is used. Languages and limits come with each job.
	Contest           string
	Headers           []string // see workspace.Env
	RequiredIsolation string   // required isolation level; see workspace.RunOptions
	// Quota is the maximum size in bytes of fetched files. Zero means 20 GiB, or a third of the disk if that is
	// less.
	Quota int64
	// RetryFor is how long the worker retries a server that does not respond. Zero means two minutes.
	RetryFor time.Duration
	// MaxDuration is the maximum time for a job. Zero means job.MaxDuration.
	MaxDuration time.Duration
	// OnMessage, if not nil, is called with messages for the worker's administrator. It may be called concurrently.
	OnMessage func(text string)
}

const (
	defaultQuota   = 20 << 30
	minFree        = 64 << 20 // required free space on a disk, in bytes
	idleWorkspaces = 3        // unused workspaces that stay open, one per configuration
	idleProblems   = 16       // unused problems that stay open
	maxReason      = 4 << 10  // maximum length of a reason in a result, in bytes
)

var errTooLong = errors.New("the job took too long")

// A Runner judges jobs like `judge submit`. Its methods are safe for concurrent use, except Close.
type Runner struct {
	o          RunnerOptions
	tmp        string // temporary directory, removed when the process ends
	end        func() error
	blobs      *blob.Dir
	fetch      *fetcher
	shared     *workspace.Shared
	machine    string
	workspaces pool[blob.Digest, *workspace.Workspace]
	problems   pool[problemKey, *openProblem]
	counter    atomic.Int64 // names directories below tmp

	mu           sync.Mutex
	usedBytes    int64             // bytes of all open problems
	processors   map[int]bool      // processors that games use
	scale        float64           // factor for time limits; zero means 1
	capabilities *job.Capabilities // capabilities when the runner was created
	unavailable  *unavailableError // last blob that the server failed to send; nil if none
}

// A problemKey identifies an open problem.
type problemKey struct {
	config, bundle blob.Digest
	name           string
	snapshot       bool
}

// An openProblem is a problem that the runner has opened, either from an extracted bundle or from the directories of a
// snapshot.
type openProblem struct {
	*workspace.Problem // nil for a snapshot
	w                  *workspace.Workspace
	release            func() // releases w
	bundle             *bundle.Bundle
	dir                string
	size               int64
	mutating           mutantState

	mu          sync.Mutex
	lastChecked time.Time // last time the directory was found unchanged
}

// NewRunner returns a Runner. It removes leftovers of an earlier process. The caller must call Close.
func NewRunner(o RunnerOptions) (*Runner, error) {
	if o.Slots < 1 {
		return nil, &judge.UsageError{Err: fmt.Errorf("%d slots: a worker has at least one", o.Slots)}
	}
	if o.OnMessage == nil {
		o.OnMessage = func(string) {}
	}
	if o.RetryFor == 0 {
		o.RetryFor = retryFor
	}
	if o.MaxDuration == 0 {
		o.MaxDuration = job.MaxDuration
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err == nil {
		err = os.MkdirAll(o.Dir, 0o700) // contains secret test cases
	}
	if err != nil {
		return nil, fmt.Errorf("create the worker's data directory: %w", err)
	}
	if o.Contest == "" {
		o.Contest = o.Dir
	}
	if o.Cache == "" {
		o.Cache = filepath.Join(o.Dir, "cache")
	}
	if o.Quota == 0 {
		o.Quota = defaultQuota
		if size, known := cachedir.DiskSize(o.Dir); known {
			o.Quota = min(o.Quota, size/3)
		}
	}
	blobs, err := blob.Open(filepath.Join(o.Dir, "blobs"), o.Quota)
	if err != nil {
		return nil, err
	}
	tmp, end, err := forceremove.Temp(o.Dir, "work-")
	if err != nil {
		return nil, err
	}
	r := &Runner{
		o: o, tmp: tmp, end: sync.OnceValue(end), blobs: blobs, machine: describeMachine(),
		fetch:  &fetcher{from: o.Blobs, to: blobs, retryFor: o.RetryFor, onMessage: o.OnMessage},
		shared: workspace.NewShared(o.Slots), processors: map[int]bool{},
	}
	r.workspaces.idle, r.workspaces.close = idleWorkspaces, func(w *workspace.Workspace) {
		if err := w.Close(); err != nil {
			o.OnMessage(fmt.Sprintf("close a workspace: %v", err))
		}
	}
	r.problems.idle, r.problems.close = idleProblems, r.removeProblem
	if r.capabilities, err = r.findCapabilities(context.Background(), o.OnMessage); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close closes everything that the runner has open. No job may be running.
func (r *Runner) Close() error {
	r.problems.clear()
	r.workspaces.clear()
	return r.end()
}

// Scale sets the factor for the time limits of submissions. It is for a machine that is slower or faster than
// others of its class. Zero means 1. Each judgement records the factor.
func (r *Runner) Scale(factor float64) error {
	if factor < 0 || math.IsNaN(factor) || math.IsInf(factor, 0) {
		return fmt.Errorf("the server sent %v as the factor of time limits: it must be 0 or more", factor)
	}
	r.scale = factor
	return nil
}

// Run runs a job; see Runner.
func (r *Runner) Run(ctx context.Context, s *job.Spec, progress func(judge.Event), turn TurnFunc) (*job.Result, error) {
	limited, end := context.WithTimeoutCause(ctx, r.o.MaxDuration, errTooLong)
	defer end()
	result := &job.Result{Version: r.o.Version, Machine: r.machine, IsolationLevel: r.capabilities.IsolationLevel}
	err := r.judge(limited, s, progress, turn, result)
	away, _ := errors.AsType[*unavailableError](err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(context.Cause(limited), errTooLong) && err != nil:
		err = fmt.Errorf("the job did not end within %v", r.o.MaxDuration)
	case away != nil:
		r.mu.Lock()
		r.unavailable = away
		r.mu.Unlock()
		return nil, &UnhealthyError{err}
	case err == nil && (result.Finished == nil || result.Finished.Verdict != judge.JudgeError):
		result.State = job.Done
		return result, nil
	case judge.BlameOf(err) != judge.Setter && judge.BlameOf(err) != judge.Caller: // the machine may have caused even a judge error
		if ill := r.healthAfter(ctx, err); ill != nil {
			return nil, ill
		}
	}
	if err == nil {
		result.State = job.Done
		return result, nil
	}
	blame := judge.BlameOf(err)
	if blame != judge.Setter && blame != judge.Caller {
		blame = judge.Machine
	}
	return &job.Result{State: job.Failed, Blame: blame, Reason: r.reasonText(err, s), Version: result.Version,
		Machine: result.Machine, IsolationLevel: result.IsolationLevel}, nil
}

// reasonText returns the text of an error for a result. It removes the paths of this machine, because accounts without
// a role can read the text.
func (r *Runner) reasonText(err error, s *job.Spec) string {
	text := err.Error()
	for cut := text; ; {
		_, after, found := strings.Cut(cut, r.tmp+string(filepath.Separator))
		if !found {
			break
		}
		cut = after
		// The path element after r.tmp is a number. It is followed by the directory of the problem or the
		// submission.
		if number, _, ok := strings.Cut(after, string(filepath.Separator)); ok {
			text = strings.ReplaceAll(text, filepath.Join(r.tmp, number)+string(filepath.Separator), "")
		}
	}
	for _, one := range []struct{ dir, word string }{{r.o.Cache, "<cache>"}, {r.o.Dir, "<data>"}} {
		if one.dir != "" {
			text = strings.ReplaceAll(text, one.dir, one.word)
		}
	}
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + " ..."
	}
	return text
}

// judge runs a job and sets the result. It turns a panic into an error.
func (r *Runner) judge(ctx context.Context, s *job.Spec, progress func(judge.Event), turn TurnFunc, result *job.Result) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.o.OnMessage(fmt.Sprintf("the job %s made the worker panic: %v\n%s", s.ID, p, debug.Stack()))
			err = fmt.Errorf("the worker panicked: %v", p)
		}
	}()
	if err := s.Check(); err != nil {
		return err
	}
	p, give, err := r.open(ctx, s.Claim(), problemKey{s.Config, s.Bundle, s.Problem, s.Snapshot})
	if err != nil {
		return err
	}
	defer give()
	if s.Kind.JudgesSubmission() {
		return r.judgeSubmission(ctx, s, p, progress, result)
	}
	return r.runTask(ctx, s, p, &taskOutput{progress: progress, turn: turn}, result)
}

// judgeSubmission judges a submission.
func (r *Runner) judgeSubmission(ctx context.Context, s *job.Spec, p *openProblem, progress func(judge.Event), result *job.Result) error {
	path, done, err := r.writeSubmission(ctx, s)
	if err != nil {
		return err
	}
	defer done()
	var events []judge.Event
	var listen func(e judge.Event)
	listen = func(e judge.Event) {
		if _, passing := e.(*judge.Progressed); passing {
			return
		}
		if _, begins := e.(*judge.Started); begins && r.scale > 0 && r.scale != 1 {
			defer listen(&judge.Noted{
				Text: fmt.Sprintf(
					"time limits are multiplied by %.2f, because this machine differs in speed from the first one of its class",
					r.scale,
				),
			})
		}
		events = append(events, e)
		if progress != nil {
			progress(e)
		}
	}
	submitted := workspace.Submission{Path: path, Name: s.Program, Language: s.Language, TimeFactor: r.scale}
	o := judge.Options{ContinueAfterFailure: s.ContinueOnFailure, Jobs: 1}
	if result.Finished, err = p.w.Submit(ctx, p.Problem, submitted, o, listen); err != nil {
		return err
	}
	if result.Events, result.Rows, err = job.Pack(events); err != nil {
		return err
	}
	for _, e := range events {
		if c, ok := e.(*judge.CaseJudged); ok {
			result.CPUUS += c.Exec.CPU.Microseconds()
		}
	}
	result.Toolchains = r.toolchains(ctx, p, events)
	return nil
}

// toolchains returns the identities of the toolchains that a judgement used, by language id.
func (r *Runner) toolchains(ctx context.Context, p *openProblem, events []judge.Event) map[string]string {
	used := map[string]string{}
	for _, l := range p.w.Config.Languages {
		for _, e := range events[:1] {
			if s, ok := e.(*judge.Started); ok && s.Language == l.Name {
				used[l.ID] = ""
			}
		}
	}
	for _, id := range p.bundle.Findings.Languages {
		used[id] = ""
	}
	for id := range used {
		delete(used, id)
		if l, ok := p.w.Config.Language(id); ok {
			if identity, err := p.w.Tools.Identity(ctx, l); err == nil {
				used[l.ID] = identity
			}
		}
	}
	return used
}

// newDir creates an empty directory for a job.
func (r *Runner) newDir() (dir string, err error) {
	dir = filepath.Join(r.tmp, strconv.FormatInt(r.counter.Add(1), 10))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("create a directory for a job: %w", err)
	}
	return dir, nil
}

// writeSubmission writes the files of a job's submission to the new directory at. The caller must call done to remove
// the directory.
func (r *Runner) writeSubmission(ctx context.Context, s *job.Spec) (dir string, remove func(), err error) {
	files := make([]bundle.Entry, len(s.Files))
	for i, f := range s.Files {
		files[i] = bundle.Entry{Path: f.Path, Size: f.Size, Digest: f.Digest}
	}
	if err := r.fetch.fetchMissing(ctx, s.Claim(), files); err != nil {
		return "", nil, err
	}
	home, err := r.newDir()
	if err != nil {
		return "", nil, err
	}
	remove = func() { _ = forceremove.All(home) } // the process removes leftovers when it ends
	dir = filepath.Join(home, files[0].Path)
	below := home
	if s.IsDir {
		// Compilers print the file name, so the file has the name that the submitter gave it.
		name := path.Base(s.Program)
		if job.CheckFiles([]job.File{{Path: name, Digest: s.Bundle}}, false) != nil {
			name = "submission"
		}
		dir = filepath.Join(home, name)
		below = dir
	}
	for _, f := range files {
		to := filepath.Join(below, filepath.FromSlash(f.Path))
		if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
			err = r.blobs.Link(f.Digest, f.Size, to, false)
		}
		if err != nil {
			remove()
			return "", nil, fmt.Errorf("lay out the submission: %w", err)
		}
	}
	return dir, remove, nil
}

// open returns the problem for key, and opens it if needed. The caller must call give to release the problem.
func (r *Runner) open(ctx context.Context, claim job.Claim, key problemKey) (p *openProblem, release func(), err error) {
	for {
		p, release, err = r.problems.acquire(ctx, key, func() (*openProblem, error) { return r.extractProblem(ctx, claim, key) })
		if err != nil || p.isUnchanged() {
			return p, release, err
		}
		r.o.OnMessage("the directory of a bundle was changed, so the bundle is laid out again")
		r.problems.dropIf(key, func(other *openProblem) bool { return other == p })
		release()
	}
}

// isUnchanged reports whether the directory of o is unchanged since the bundle was extracted. If a check less than a
// second ago found the directory unchanged, whole does not check it again.
func (o *openProblem) isUnchanged() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.lastChecked) < time.Second {
		return true
	}
	if !o.bundle.IsExtracted(o.dir) {
		return false
	}
	o.lastChecked = time.Now()
	return true
}

// extractProblem fetches and extracts a bundle, and opens the problem.
func (r *Runner) extractProblem(ctx context.Context, claim job.Claim, key problemKey) (*openProblem, error) {
	w, give, err := r.workspaces.acquire(
		ctx, key.config,
		func() (*workspace.Workspace, error) { return r.startWorkspace(ctx, claim, key.config) },
	)
	if err != nil {
		return nil, err
	}
	o := &openProblem{w: w, release: give, lastChecked: time.Now()}
	filled := false
	defer func() {
		if !filled { // or after a panic
			r.removeProblem(o)
		}
	}()
	if err := r.extractInto(ctx, claim, key, o); err != nil {
		return nil, err
	}
	filled = true
	return o, nil
}

// extractInto extracts a problem into a workspace.
func (r *Runner) extractInto(ctx context.Context, claim job.Claim, key problemKey, o *openProblem) error {
	data, err := r.fetch.fetchBytes(ctx, claim, key.bundle, bundle.MaxManifest)
	if err != nil {
		return err
	}
	m, err := bundle.ParseManifest(key.name, data)
	if err != nil {
		return err
	}
	if err := r.reserveSpace(o, m); err != nil {
		return err
	}
	home, err := r.newDir()
	if err != nil {
		return err
	}
	o.dir = filepath.Join(home, key.name)
	for tries := 0; ; tries++ {
		if err := r.fetch.fetchMissing(ctx, claim, m.Blobs()); err != nil {
			return err
		}
		o.bundle, err = bundle.FromBlobs(r.blobs, key.bundle, key.name)
		switch {
		case err == nil && key.snapshot:
			err = o.bundle.Extract(r.blobs, o.dir)
		case err == nil:
			o.Problem, err = o.w.OpenBundle(o.bundle, r.blobs, o.dir)
		}
		// A blob may have been removed since for another job.
		if err == nil || !errors.Is(err, fs.ErrNotExist) || tries == 2 {
			return err
		}
	}
}

// reserveSpace reserves space for the files of the problem o, and closes other problems until they fit. The quota of
// the blob directory does not include extracted files.
func (r *Runner) reserveSpace(o *openProblem, m *bundle.Manifest) error {
	size := int64(0)
	for _, e := range m.Blobs() {
		size += e.Size
	}
	if size > r.o.Quota {
		return fmt.Errorf("the bundle is %d MiB, larger than the cache of this worker, which is %d MiB", size>>20, r.o.Quota>>20)
	}
	r.mu.Lock()
	o.size = size
	r.usedBytes += size
	r.mu.Unlock()
	for {
		r.mu.Lock()
		fits := r.usedBytes <= r.o.Quota
		r.mu.Unlock()
		if fits || !r.problems.shrink(0) {
			return nil
		}
	}
}

// removeProblem closes a problem and removes its directory.
func (r *Runner) removeProblem(o *openProblem) {
	if o.dir != "" {
		_ = forceremove.All(filepath.Dir(o.dir)) // the process removes leftovers when it ends
	}
	r.mu.Lock()
	r.usedBytes -= o.size
	r.mu.Unlock()
	o.release()
}

// startWorkspace starts a workspace with a configuration.
func (r *Runner) startWorkspace(ctx context.Context, claim job.Claim, config blob.Digest) (*workspace.Workspace, error) {
	data, err := r.fetch.fetchBytes(ctx, claim, config, bundle.MaxConfig)
	if err != nil {
		return nil, err
	}
	w, err := workspace.Find(r.env(data))
	if err != nil {
		return nil, err
	}
	if err := w.Start(workspace.RunOptions{RequiredIsolation: r.o.RequiredIsolation, Hidden: r.secretDirs(), Shared: r.shared}); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// secretDirs returns the directories with secret data. Programs can see only those files in them that their runs
// expose.
func (r *Runner) secretDirs() []string { return []string{r.o.Dir, r.o.Cache} }

// env returns the environment for a workspace. If config is nil, the workspace uses the machine's own
// configuration.
func (r *Runner) env(config []byte) workspace.Env {
	return workspace.Env{Dir: r.o.Contest, Cache: r.o.Cache, Headers: r.o.Headers, Config: config}
}
