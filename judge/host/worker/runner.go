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
	"assay/judge/internal/raze"
	"assay/judge/workspace"
)

// RunnerOptions are what a runner is made of.
type RunnerOptions struct {
	Dir   string // its data folder: what it fetched
	Cache string // what it built, and what it knows of tool chains; "" is in Dir
	Slots int    // programs that run at one time, of all jobs together; at least 1
	Blobs Blobs
	// Version is the judge's.
	Version string
	// Contest is the folder of the machine's own judge.toml, which says what programs see of
	// the machine; "" is Dir. Jobs bring their languages and limits along.
	Contest string
	Headers []string // see workspace.Env
	Require string   // the isolation that must be; see workspace.Running
	// Quota is how many bytes of fetched files are kept; 0 is 20 GiB, or a third of the disk
	// where that is less.
	Quota int64
	// Patience is for how long a server is asked again that does not send; 0 is two minutes.
	Patience time.Duration
	// Limit is how long a whole job may take; 0 is job.Longest.
	Limit time.Duration
	// Note, if it is not nil, is told what those who look after the worker should know. It
	// is called by several goroutines at once.
	Note func(text string)
}

const (
	usualQuota     = 20 << 30
	leastRoom      = 64 << 20 // bytes that must be left on a disk
	idleWorkspaces = 3        // workspaces that stay open, each for one configuration
	idleOpen       = 16       // problems that stay open
	mostReason     = 4 << 10  // bytes of what a result says of a failure
)

var errTooLong = errors.New("the job took too long")

// Runner does jobs as `judge submit` does. Its methods may be called by several goroutines
// at once, but for Close.
type Runner struct {
	o          RunnerOptions
	tmp        string // ends with the process
	end        func() error
	blobs      *blob.Folder
	fetch      *fetcher
	beside     *workspace.Beside
	machine    string
	workspaces pool[blob.Digest, *workspace.Workspace]
	problems   pool[problemKey, *opened]
	counter    atomic.Int64 // for folders below tmp

	mu    sync.Mutex
	laid  int64        // bytes of all that is laid out
	at    map[int]bool // processors on which games are played
	scale float64      // of time limits; 0 is 1
	own   *job.Offer   // as the machine was when the runner was made
	away  *awayError   // what the server did not send; nil where it sends
}

// problemKey names an open problem.
type problemKey struct {
	config, bundle blob.Digest
	name           string
	snapshot       bool
}

// opened is a problem that was laid out, or the folders of one.
type opened struct {
	*workspace.Problem // nil for a snapshot
	w                  *workspace.Workspace
	give               func() // gives w back
	bundle             *bundle.Bundle
	dir                string
	size               int64
	mutating           mutating

	mu     sync.Mutex
	looked time.Time // when it was seen to be as it was laid out
}

// NewRunner makes a runner. It removes what an earlier process left half done. The caller
// must call Close.
func NewRunner(o RunnerOptions) (*Runner, error) {
	if o.Slots < 1 {
		return nil, &judge.Misuse{Err: fmt.Errorf("%d slots: a worker has at least one", o.Slots)}
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	if o.Patience == 0 {
		o.Patience = patience
	}
	if o.Limit == 0 {
		o.Limit = job.Longest
	}
	var err error
	if o.Dir, err = filepath.Abs(o.Dir); err == nil {
		err = os.MkdirAll(o.Dir, 0o700) // it has the secret cases
	}
	if err != nil {
		return nil, fmt.Errorf("make the worker's data folder: %w", err)
	}
	if o.Contest == "" {
		o.Contest = o.Dir
	}
	if o.Cache == "" {
		o.Cache = filepath.Join(o.Dir, "cache")
	}
	if o.Quota == 0 {
		o.Quota = usualQuota
		if size, known := cachedir.DiskSize(o.Dir); known {
			o.Quota = min(o.Quota, size/3)
		}
	}
	blobs, err := blob.Open(filepath.Join(o.Dir, "blobs"), o.Quota)
	if err != nil {
		return nil, err
	}
	tmp, end, err := raze.Temp(o.Dir, "work-")
	if err != nil {
		return nil, err
	}
	r := &Runner{
		o: o, tmp: tmp, end: sync.OnceValue(end), blobs: blobs, machine: machine(),
		fetch:  &fetcher{from: o.Blobs, to: blobs, patience: o.Patience, note: o.Note},
		beside: workspace.NewBeside(o.Slots), at: map[int]bool{},
	}
	r.workspaces.idle, r.workspaces.close = idleWorkspaces, func(w *workspace.Workspace) {
		if err := w.Close(); err != nil {
			o.Note(fmt.Sprintf("close a workspace: %v", err))
		}
	}
	r.problems.idle, r.problems.close = idleOpen, r.layAside
	if r.own, err = r.look(context.Background(), o.Note); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// Close ends what the runner has open. No job may be under way.
func (r *Runner) Close() error {
	r.problems.clear()
	r.workspaces.clear()
	return r.end()
}

// Scale multiplies the time limits of submissions from now on, on a machine that is slower or
// faster than others of its class; 0 is 1. Each judging says so.
func (r *Runner) Scale(factor float64) error {
	if factor < 0 || math.IsNaN(factor) || math.IsInf(factor, 0) {
		return fmt.Errorf("the server multiplies limits by %v", factor)
	}
	r.scale = factor
	return nil
}

// Run does a job; see Judging.
func (r *Runner) Run(ctx context.Context, s *job.Spec, progress func(judge.Event), turn Turn) (*job.Result, error) {
	limited, end := context.WithTimeoutCause(ctx, r.o.Limit, errTooLong)
	defer end()
	result := &job.Result{Version: r.o.Version, Machine: r.machine, Rung: r.own.Rung}
	err := r.judge(limited, s, progress, turn, result)
	away, _ := errors.AsType[*awayError](err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(context.Cause(limited), errTooLong) && err != nil:
		err = fmt.Errorf("the job did not end within %v", r.o.Limit)
	case away != nil:
		r.mu.Lock()
		r.away = away
		r.mu.Unlock()
		return nil, &Unwell{err}
	case err == nil && (result.Finished == nil || result.Finished.Verdict != judge.JudgeError):
		result.State = job.Done
		return result, nil
	case judge.Whose(err) != judge.Setter && judge.Whose(err) != judge.Asker: // also of a judge error: was it the machine's?
		if ill := r.unwell(ctx, err); ill != nil {
			return nil, ill
		}
	}
	if err == nil {
		result.State = job.Done
		return result, nil
	}
	blame := judge.Whose(err)
	if blame != judge.Setter && blame != judge.Asker {
		blame = judge.Machine
	}
	return &job.Result{State: job.Failed, Blame: blame, Reason: r.reason(err, s), Version: result.Version, Machine: result.Machine, Rung: result.Rung}, nil
}

// reason returns the text of an error for a result. It leaves out where the worker keeps its files:
// accounts without a role read it.
func (r *Runner) reason(err error, s *job.Spec) string {
	text := err.Error()
	for cut := text; ; {
		_, after, found := strings.Cut(cut, r.tmp+string(filepath.Separator))
		if !found {
			break
		}
		cut = after
		// Below it stand a number, and then the folder of the problem or the submission.
		if number, _, ok := strings.Cut(after, string(filepath.Separator)); ok {
			text = strings.ReplaceAll(text, filepath.Join(r.tmp, number)+string(filepath.Separator), "")
		}
	}
	for _, one := range []struct{ dir, word string }{{r.o.Cache, "<cache>"}, {r.o.Dir, "<data>"}} {
		if one.dir != "" {
			text = strings.ReplaceAll(text, one.dir, one.word)
		}
	}
	if len(text) > mostReason {
		text = strings.ToValidUTF8(text[:mostReason], "") + " ..."
	}
	return text
}

// judge does a job, and fills the result. A panic is turned into an error.
func (r *Runner) judge(ctx context.Context, s *job.Spec, progress func(judge.Event), turn Turn, result *job.Result) (err error) {
	defer func() {
		if p := recover(); p != nil {
			r.o.Note(fmt.Sprintf("the job %s made the worker panic: %v\n%s", s.ID, p, debug.Stack()))
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
	if s.Kind.Judging() {
		return r.submitted(ctx, s, p, progress, result)
	}
	return r.part(ctx, s, p, &brought{progress: progress, turn: turn}, result)
}

// submitted has a submission judged.
func (r *Runner) submitted(ctx context.Context, s *job.Spec, p *opened, progress func(judge.Event), result *job.Result) error {
	path, done, err := r.submission(ctx, s)
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
			defer listen(&judge.Noted{Text: fmt.Sprintf("time limits are those of the problem times %.2f: so much slower or faster is this machine than the first one of its class", r.scale)})
		}
		events = append(events, e)
		if progress != nil {
			progress(e)
		}
	}
	submitted := workspace.Submission{Path: path, Name: s.Program, Language: s.Language, TimeFactor: r.scale}
	if result.Finished, err = p.w.Submit(ctx, p.Problem, submitted, judge.Options{All: s.All, Jobs: 1}, listen); err != nil {
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

// toolchains are the identities of those that the judging used.
func (r *Runner) toolchains(ctx context.Context, p *opened, events []judge.Event) map[string]string {
	used := map[string]string{}
	for _, l := range p.w.Config.Languages {
		for _, e := range events[:1] {
			if s, ok := e.(*judge.Started); ok && s.Language == l.Name {
				used[l.ID] = ""
			}
		}
	}
	for _, id := range p.bundle.Frozen.Languages {
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

// folder makes a new folder for what stands under a name.
func (r *Runner) folder() (dir string, err error) {
	dir = filepath.Join(r.tmp, strconv.FormatInt(r.counter.Add(1), 10))
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", fmt.Errorf("make a folder for a job: %w", err)
	}
	return dir, nil
}

// submission lays out what was submitted; done removes it.
func (r *Runner) submission(ctx context.Context, s *job.Spec) (at string, done func(), err error) {
	files := make([]bundle.Entry, len(s.Files))
	for i, f := range s.Files {
		files[i] = bundle.Entry{Path: f.Path, Size: f.Size, Digest: f.Digest}
	}
	if err := r.fetch.bring(ctx, s.Claim(), files); err != nil {
		return "", nil, err
	}
	home, err := r.folder()
	if err != nil {
		return "", nil, err
	}
	done = func() { _ = raze.All(home) } // at worst it ends with the process
	at = filepath.Join(home, files[0].Path)
	below := home
	if s.Folder {
		// What a compiler says names it, so it is called what its owner calls it.
		name := path.Base(s.Program)
		if job.CheckFiles([]job.File{{Path: name, Digest: s.Bundle}}, false) != nil {
			name = "submission"
		}
		at = filepath.Join(home, name)
		below = at
	}
	for _, f := range files {
		to := filepath.Join(below, filepath.FromSlash(f.Path))
		if err = os.MkdirAll(filepath.Dir(to), 0o755); err == nil {
			err = r.blobs.Link(f.Digest, f.Size, to, false)
		}
		if err != nil {
			done()
			return "", nil, fmt.Errorf("lay out the submission: %w", err)
		}
	}
	return at, done, nil
}

// open opens a problem, or takes one that is open. The caller calls give when it is done.
func (r *Runner) open(ctx context.Context, why job.Claim, key problemKey) (p *opened, give func(), err error) {
	for {
		p, give, err = r.problems.take(ctx, key, func() (*opened, error) { return r.layOut(ctx, why, key) })
		if err != nil || p.whole() {
			return p, give, err
		}
		r.o.Note("somebody changed the folder in which a bundle was laid out: it is laid out again")
		r.problems.forget(key, func(other *opened) bool { return other == p })
		give()
	}
}

// whole says whether the folder is unchanged since it was laid out. It looks at most once a
// second.
func (o *opened) whole() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if time.Since(o.looked) < time.Second {
		return true
	}
	if !o.bundle.IsLaidOut(o.dir) {
		return false
	}
	o.looked = time.Now()
	return true
}

// layOut fetches a bundle, lays it out and opens the problem.
func (r *Runner) layOut(ctx context.Context, why job.Claim, key problemKey) (*opened, error) {
	w, give, err := r.workspaces.take(ctx, key.config, func() (*workspace.Workspace, error) { return r.startWorkspace(ctx, why, key.config) })
	if err != nil {
		return nil, err
	}
	o := &opened{w: w, give: give, looked: time.Now()}
	filled := false
	defer func() {
		if !filled { // also where it panicked
			r.layAside(o)
		}
	}()
	if err := r.fill(ctx, why, key, o); err != nil {
		return nil, err
	}
	filled = true
	return o, nil
}

// fill does what layOut says, in a workspace.
func (r *Runner) fill(ctx context.Context, why job.Claim, key problemKey, o *opened) error {
	data, err := r.fetch.read(ctx, why, key.bundle, bundle.MaxManifest)
	if err != nil {
		return err
	}
	m, err := bundle.ParseManifest(key.name, data)
	if err != nil {
		return err
	}
	if err := r.makeRoom(o, m); err != nil {
		return err
	}
	home, err := r.folder()
	if err != nil {
		return err
	}
	o.dir = filepath.Join(home, key.name)
	for tries := 0; ; tries++ {
		if err := r.fetch.bring(ctx, why, m.Blobs()); err != nil {
			return err
		}
		o.bundle, err = bundle.FromBlobs(r.blobs, key.bundle, key.name)
		switch {
		case err == nil && key.snapshot:
			err = o.bundle.LayOut(r.blobs, o.dir)
		case err == nil:
			o.Problem, err = o.w.OpenFrozen(o.bundle, r.blobs, o.dir)
		}
		// A blob that was there a moment ago may have been dropped for another job's.
		if err == nil || !errors.Is(err, fs.ErrNotExist) || tries == 2 {
			return err
		}
	}
}

// makeRoom counts what is to be laid out, and lays others aside until it fits: what is
// laid out is not dropped by the folder of blobs.
func (r *Runner) makeRoom(o *opened, m *bundle.Manifest) error {
	size := int64(0)
	for _, e := range m.Blobs() {
		size += e.Size
	}
	if size > r.o.Quota {
		return fmt.Errorf("the bundle has %d MiB, and this worker keeps %d MiB at most", size>>20, r.o.Quota>>20)
	}
	r.mu.Lock()
	o.size = size
	r.laid += size
	r.mu.Unlock()
	for {
		r.mu.Lock()
		fits := r.laid <= r.o.Quota
		r.mu.Unlock()
		if fits || !r.problems.shrink(0) {
			return nil
		}
	}
}

// layAside ends the use of a problem, and removes its folder.
func (r *Runner) layAside(o *opened) {
	if o.dir != "" {
		_ = raze.All(filepath.Dir(o.dir)) // at worst it ends with the process
	}
	r.mu.Lock()
	r.laid -= o.size
	r.mu.Unlock()
	o.give()
}

// startWorkspace starts a workspace for a configuration.
func (r *Runner) startWorkspace(ctx context.Context, why job.Claim, config blob.Digest) (*workspace.Workspace, error) {
	data, err := r.fetch.read(ctx, why, config, bundle.MaxConfig)
	if err != nil {
		return nil, err
	}
	w, err := workspace.Find(r.env(data))
	if err != nil {
		return nil, err
	}
	if err := w.Start(workspace.Running{Require: r.o.Require, Hidden: r.hidden(), Beside: r.beside}); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// hidden are the folders that have secret data: programs see of them what their runs show.
func (r *Runner) hidden() []string { return []string{r.o.Dir, r.o.Cache} }

// env is the world of a workspace; a nil config leaves it the machine's own.
func (r *Runner) env(config []byte) workspace.Env {
	return workspace.Env{Dir: r.o.Contest, Cache: r.o.Cache, Headers: r.o.Headers, Config: config}
}
