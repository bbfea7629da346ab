package lang

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/judge/internal/atomicfile"
	"assay/judge/internal/cachedir"
	"assay/judge/internal/pattern"
	"assay/judge/running/config"
	"assay/judge/running/sandbox"
)

// toolchain is a language's tools on this machine.
type toolchain struct {
	paths    map[string]string // by a tool's first name
	bins     []string          // directories that commands need on the PATH in addition to the usual ones
	visible  []string          // paths that the sandbox must show
	identity string            // changes when a tool does
}

// locator finds toolchains, each once.
type locator struct {
	cfg    *config.Config
	path   []string // where tools are looked for
	home   string
	probes *probes
	now    probes // what tools reported to this process

	mu    sync.Mutex
	known map[string]func() (*toolchain, error) // by language; failures are looked for again
}

func newLocator(cfg *config.Config, cache string) *locator {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/root"
	}
	return &locator{
		cfg: cfg,
		// The only environment variable that this package reads: it says which tools the user means.
		path:   append(filepath.SplitList(os.Getenv("PATH")), "/usr/local/bin", "/usr/bin", "/bin", "/usr/local/go/bin"),
		home:   home,
		probes: &probes{file: filepath.Join(cache, toolsFile)},
		known:  map[string]func() (*toolchain, error){},
	}
}

// Locate returns the host paths that a sandbox must show, read-only and at the same place, so that programs
// in all languages of this machine can be built and run. It needs no Runner, because a Runner needs it. It
// runs the `locate` commands of judge.toml outside any sandbox, and remembers their output for a day.
func Locate(cfg *config.Config, cache string) ([]string, error) {
	return newLocator(cfg, cache).visible(), nil
}

// Forget removes what tools reported about themselves, so that the next Locate asks them again.
func Forget(cache string) error {
	if err := os.Remove(filepath.Join(cache, toolsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the tools: %w", err)
	}
	return nil
}

// toolsFile is the file of the cache with what tools reported.
const toolsFile = "tools.json"

func (lo *locator) visible() []string {
	all := existing(lo.cfg.Visible)
	found := make([][]string, len(lo.cfg.Languages))
	var wg sync.WaitGroup
	for i, l := range lo.cfg.Languages {
		wg.Go(func() {
			if chain, err := lo.find(context.Background(), l); err == nil {
				found[i] = chain.visible
			}
		})
	}
	wg.Wait()
	return outermost(append(all, slices.Concat(found...)...))
}

// find finds a language's toolchain. If a tool is missing, the error is a *MissingError.
func (lo *locator) find(ctx context.Context, l *config.Language) (*toolchain, error) {
	lo.mu.Lock()
	get, ok := lo.known[l.ID]
	if !ok {
		get = sync.OnceValues(func() (*toolchain, error) { return lo.look(context.WithoutCancel(ctx), l) })
		lo.known[l.ID] = get
	}
	lo.mu.Unlock()
	chain, err := get()
	if err != nil {
		lo.mu.Lock()
		delete(lo.known, l.ID)
		lo.mu.Unlock()
	}
	return chain, err
}

// look finds a language's tools without what is remembered.
func (lo *locator) look(ctx context.Context, l *config.Language) (*toolchain, error) {
	c := &toolchain{paths: map[string]string{}}
	folders, broken, located := lo.locate(ctx, l)
	var first []string // before a shim of another version, or one that does not work
	for _, dir := range folders {
		bin := filepath.Join(dir, "bin")
		if first = append(first, bin); !usual(bin) {
			c.bins = append(c.bins, bin)
		}
		c.show(dir, lo.home)
	}
	var missing []string
	for _, tool := range l.Tools {
		names := strings.Split(tool, "|")
		path := ""
		if located {
			if all := candidates(names, slices.Concat(first, c.bins, lo.path)); len(all) > 0 {
				path = all[0]
			}
		}
		if path == "" {
			missing = append(missing, names[0])
			continue
		}
		c.add(names[0], path, lo.home)
	}
	if len(missing) > 0 {
		return nil, &MissingError{Language: l.Name, Tools: missing, Package: l.Package, Obtain: l.Obtain, Broken: broken}
	}
	c.visible = outermost(append(c.visible, existing(l.Visible)...))
	return c, nil
}

// locate asks a language's tool where it really is. If a shim does not work, locate tries the next one on the
// PATH. False means that none works; then broken is the reason, if there is a shim at all. A shim of a tool
// that is not installed does not count.
func (lo *locator) locate(ctx context.Context, l *config.Language) (folders []string, broken error, works bool) {
	if len(l.Locate) == 0 {
		return nil, nil, true
	}
	names := l.Locate[:1]
	for _, tool := range l.Tools {
		if all := strings.Split(tool, "|"); all[0] == l.Locate[0] {
			names = all
		}
	}
	for _, path := range candidates(names, lo.path) {
		argv := append([]string{path}, l.Locate[1:]...)
		out, err := lo.probes.get(strings.Join(append(argv, stamp(path)), "\x00"), func() (string, error) {
			out, err := run(ctx, argv, lo.home)
			if err == nil && len(foldersIn(out)) == 0 {
				err = fmt.Errorf("run %s: its output names no directory", strings.Join(argv, " "))
			}
			return out, err
		})
		if folders := foldersIn(out); len(folders) > 0 {
			return folders, nil, true
		}
		if _, absent := errors.AsType[*absentError](err); !absent {
			broken = cmp.Or(broken, err)
		}
	}
	return nil, broken, false
}

// foldersIn returns the directories in a command's output, one per line.
func foldersIn(out string) []string {
	var folders []string
	for line := range strings.Lines(out) {
		dir := strings.TrimSpace(line)
		if info, err := os.Stat(dir); filepath.IsAbs(dir) && err == nil && info.IsDir() {
			folders = append(folders, filepath.Clean(dir))
		}
	}
	return folders
}

// add adds a tool to the toolchain.
func (c *toolchain) add(name, path, home string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	if !usual(path) { // links in unusual places may not be shown
		path = real
		c.bins = append(c.bins, filepath.Dir(path))
		slices.Sort(c.bins)
		c.bins = slices.Compact(c.bins)
	}
	if !usual(real) {
		dir := filepath.Dir(real)
		if above := filepath.Dir(dir); filepath.Base(dir) == "bin" && above != home && above != "/" {
			dir = above
		}
		c.show(dir, home)
	}
	c.paths[name] = path
	c.identity += stamp(real) + "\n"
}

// show makes a directory visible, unless that would show a whole home directory.
func (c *toolchain) show(dir, home string) {
	if usual(dir) || dir == "/" || dir == home || strings.HasPrefix(home, dir+"/") {
		return
	}
	c.visible = append(c.visible, dir)
}

// stamp returns a text that changes when the file does.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return path + " gone"
	}
	return path + " " + cachedir.Stamp(info)
}

// systemDirs are visible in every sandbox.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// usual reports whether a path is in a directory that every sandbox shows.
func usual(path string) bool {
	return slices.ContainsFunc(systemDirs, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
}

// candidates returns the executables with any of the names, ordered by name and then by directory.
func candidates(names, folders []string) []string {
	var all []string
	for _, name := range names {
		for _, dir := range folders {
			path := filepath.Join(dir, name)
			info, err := os.Stat(path)
			executable := err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
			if executable && filepath.IsAbs(dir) && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	return all
}

// existing returns the paths that match the patterns.
func existing(patterns []string) []string {
	var all []string
	for _, p := range patterns {
		if paths, err := filepath.Glob(p); err == nil {
			all = append(all, paths...)
		}
	}
	return all
}

// outermost returns the paths sorted, without those inside others.
func outermost(paths []string) []string {
	var kept []string
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if !slices.ContainsFunc(kept, func(k string) bool { return strings.HasPrefix(p, k+"/") }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// run runs a tool of the machine, outside the sandbox. The tool can read the home directory, where shims look
// for the tools behind them, and cannot create anything in it.
func run(ctx context.Context, argv []string, home string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var env []string
	own := func(said string) string { return said }
	if mirror, remove, err := mirrored(home); err == nil {
		defer remove()
		env = []string{"HOME=" + mirror}
		own = func(said string) string { return strings.ReplaceAll(said, mirror, home) }
	}
	out, err := sandbox.Tool(ctx, argv, env...)
	if ctx.Err() != nil {
		return "", fmt.Errorf("run %s: it did not end within a minute", strings.Join(argv, " "))
	}
	if err != nil {
		said := ""
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			said, _, _ = strings.Cut(strings.TrimSpace(own(string(exit.Stderr))), "\n")
		}
		err = fmt.Errorf("run %s: %w", strings.TrimSuffix(strings.Join(argv, " ")+": "+said, ": "), err)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && slices.Contains(notFound, exit.ExitCode()) {
			err = &absentError{err.Error()}
		}
		return "", err
	}
	return own(string(out)), nil
}

// mostMirrored is how many entries of a home directory are linked at most.
const mostMirrored = 2000

// mirrored makes a directory of links to everything in the home directory.
func mirrored(home string) (mirror string, remove func(), err error) {
	entries, err := os.ReadDir(home)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && len(entries) > mostMirrored {
		err = fmt.Errorf("%s has %d entries", home, len(entries))
	}
	if err != nil {
		return "", nil, err
	}
	if mirror, err = os.MkdirTemp("", "assay-home-*"); err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(mirror) } // links, and what a tool wrote
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(home, e.Name()), filepath.Join(mirror, e.Name())); err != nil {
			remove()
			return "", nil, err
		}
	}
	return mirror, remove, nil
}

// notFound are the exit codes with which shells, and shims that imitate them, report that a command does not
// exist or cannot be executed.
var notFound = []int{126, 127}

// absentError is a shim's report that the tool behind it is not installed.
type absentError struct{ text string }

func (e *absentError) Error() string { return e.text }

// probes remembers what tools reported about themselves.
type probes struct {
	file string // shared with other processes; if empty, there is no file

	mu    sync.Mutex
	known map[string]probe       // nil before the file is read
	turns map[string]*sync.Mutex // by question: two languages with the same tools ask the same
}

type probe struct {
	Said   string    `json:"said"`
	Absent string    `json:"absent,omitempty"` // the shim's output, if the tool is not installed
	When   time.Time `json:"when"`
}

// How long a probe is valid. A shim may change its answer without a visible change.
const (
	fresh       = 24 * time.Hour
	freshAbsent = 10 * time.Minute // it may be installed at any time
)

// get returns the remembered answer to a question, or asks. It also remembers that a tool is not installed,
// because each start of the judge asks. It does not remember other failures, which may come from lack of
// memory or time.
func (p *probes) get(question string, ask func() (string, error)) (string, error) {
	sum := sha256.Sum256([]byte(question))
	key := hex.EncodeToString(sum[:16])
	p.mu.Lock()
	if p.known == nil {
		p.known, p.turns = p.read(), map[string]*sync.Mutex{}
	}
	if p.turns[key] == nil {
		p.turns[key] = &sync.Mutex{}
	}
	turn := p.turns[key]
	p.mu.Unlock()
	turn.Lock()
	defer turn.Unlock()
	p.mu.Lock()
	old, ok := p.known[key]
	p.mu.Unlock()
	age := time.Since(old.When)
	switch {
	case ok && old.Absent != "" && age >= 0 && age < freshAbsent:
		return "", &absentError{old.Absent}
	case ok && old.Absent == "" && age >= 0 && age < fresh:
		return old.Said, nil
	}
	said, err := ask()
	found := probe{Said: said, When: time.Now()}
	if absent, ok := errors.AsType[*absentError](err); ok {
		found.Absent = absent.text
	} else if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[key] = found
	p.write()
	return said, err
}

func (p *probes) read() map[string]probe {
	known := map[string]probe{}
	if data, err := os.ReadFile(p.file); err == nil {
		if json.Unmarshal(data, &known) != nil || known == nil {
			known = map[string]probe{}
		}
	}
	return known
}

// write writes the file, merged with what other processes wrote meanwhile. If that fails, tools are asked
// again next time.
func (p *probes) write() {
	if p.file == "" {
		return
	}
	for key, other := range p.read() {
		if ours, there := p.known[key]; !there || other.When.After(ours.When) {
			p.known[key] = other
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "\t")
	if enc.Encode(p.known) == nil {
		_ = atomicfile.Write(p.file, b.Bytes())
	}
}

var firstNumber = pattern.New(`\d+(?:\.\d+)+`)
