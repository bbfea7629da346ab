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

// toolchain is the set of a language's tools on this machine.
type toolchain struct {
	paths    map[string]string // by the first of a tool's names
	bins     []string          // directories that commands need on the PATH in addition to the default ones
	visible  []string          // paths that the sandbox must show
	identity string            // changes when a tool changes
}

// locator finds toolchains, each of them once.
type locator struct {
	cfg     *config.Config
	path    []string // directories in which tools are searched
	home    string
	probes  *probes
	current probes // output of tools that this process has run

	mu    sync.Mutex
	known map[string]func() (*toolchain, error) // by language; failures are not cached
}

func newLocator(cfg *config.Config, cache string) *locator {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "/root"
	}
	return &locator{
		cfg: cfg,
		// PATH, by which the user chooses the tools, is the only environment variable that this package reads.
		path:   append(filepath.SplitList(os.Getenv("PATH")), "/usr/local/bin", "/usr/bin", "/bin", "/usr/local/go/bin"),
		home:   home,
		probes: &probes{file: filepath.Join(cache, toolsFile)},
		known:  map[string]func() (*toolchain, error){},
	}
}

// Locate returns the host paths that a sandbox must show, read-only and at the same place. With them, programs in
// all languages of this machine can be built and run. It does not need a Runner, because a Runner depends on its
// result. It runs the `locate` commands of judge.toml outside any sandbox, and remembers their output for a day.
func Locate(cfg *config.Config, cache string) ([]string, error) {
	return newLocator(cfg, cache).visible(), nil
}

// ForgetToolOutput removes the remembered output of tools, so that the next Locate runs them again.
func ForgetToolOutput(cache string) error {
	if err := os.Remove(filepath.Join(cache, toolsFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the tools: %w", err)
	}
	return nil
}

// toolsFile is the cache file with the remembered output of tools.
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

// find returns a language's toolchain, and remembers it. If a tool is missing, the error is a *MissingError.
func (lo *locator) find(ctx context.Context, l *config.Language) (*toolchain, error) {
	lo.mu.Lock()
	get, ok := lo.known[l.ID]
	if !ok {
		get = sync.OnceValues(func() (*toolchain, error) { return lo.findTools(context.WithoutCancel(ctx), l) })
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

// findTools finds a language's tools without using remembered results.
func (lo *locator) findTools(ctx context.Context, l *config.Language) (*toolchain, error) {
	c := &toolchain{paths: map[string]string{}}
	folders, broken, located := lo.locate(ctx, l)
	var first []string // searched before a shim of another version, or one that does not work
	for _, dir := range folders {
		bin := filepath.Join(dir, "bin")
		if first = append(first, bin); !isSystemPath(bin) {
			c.bins = append(c.bins, bin)
		}
		c.show(dir, lo.home)
	}
	var missing []string
	for _, tool := range l.Tools {
		names := strings.Split(tool, "|")
		path := ""
		if located {
			if all := executables(names, slices.Concat(first, c.bins, lo.path)); len(all) > 0 {
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

// locate runs a language's tool to find the directories of its real location. If a shim does not work, it tries
// the next shim on the PATH. It ignores shims of tools that are not installed. If no shim works, works is false.
// Then broken is the first failure, or nil if all shims were ignored.
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
	for _, path := range executables(names, lo.path) {
		argv := append([]string{path}, l.Locate[1:]...)
		out, err := lo.probes.get(strings.Join(append(argv, stamp(path)), "\x00"), func() (string, error) {
			out, err := run(ctx, argv, lo.home)
			if err == nil && len(dirsIn(out)) == 0 {
				err = fmt.Errorf("run %s: its output names no directory", strings.Join(argv, " "))
			}
			return out, err
		})
		if folders := dirsIn(out); len(folders) > 0 {
			return folders, nil, true
		}
		if _, absent := errors.AsType[*absentError](err); !absent {
			broken = cmp.Or(broken, err)
		}
	}
	return nil, broken, false
}

// dirsIn returns the directories in a command's output, one per line.
func dirsIn(out string) []string {
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
	if !isSystemPath(path) { // links in unusual places may not be visible
		path = real
		c.bins = append(c.bins, filepath.Dir(path))
		slices.Sort(c.bins)
		c.bins = slices.Compact(c.bins)
	}
	if !isSystemPath(real) {
		dir := filepath.Dir(real)
		if above := filepath.Dir(dir); filepath.Base(dir) == "bin" && above != home && above != "/" {
			dir = above
		}
		c.show(dir, home)
	}
	c.paths[name] = path
	c.identity += stamp(real) + "\n"
}

// show makes dir visible to programs, unless dir is always visible, or is or contains the home directory.
func (c *toolchain) show(dir, home string) {
	if isSystemPath(dir) || dir == "/" || dir == home || strings.HasPrefix(home, dir+"/") {
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

// systemDirs lists the directories that are visible in every sandbox.
var systemDirs = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}

// isSystemPath reports whether a path is inside a directory that is visible in every sandbox.
func isSystemPath(path string) bool {
	return slices.ContainsFunc(systemDirs, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
}

// executables returns the executables with any of the names, ordered by name and then by directory.
func executables(names, folders []string) []string {
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

// outermost returns the paths in sorted order, without those inside others.
func outermost(paths []string) []string {
	var kept []string
	for _, p := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if !slices.ContainsFunc(kept, func(k string) bool { return strings.HasPrefix(p, k+"/") }) {
			kept = append(kept, p)
		}
	}
	return kept
}

// run runs a tool on this machine, outside the sandbox. The tool can read the home directory, where shims look for
// the tools that they start. It cannot create anything there.
func run(ctx context.Context, argv []string, home string, env ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	own := func(said string) string { return said }
	if mirror, remove, err := mirrorHome(home); err == nil {
		defer remove()
		env = append(env, "HOME="+mirror)
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

// maxMirrored is the maximum number of entries in a home directory for which mirrored creates links. If there are
// more, it returns an error.
const maxMirrored = 2000

// mirrorHome creates a temporary directory with a link to each entry of the home directory.
func mirrorHome(home string) (mirror string, remove func(), err error) {
	entries, err := os.ReadDir(home)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && len(entries) > maxMirrored {
		err = fmt.Errorf("%s has %d entries", home, len(entries))
	}
	if err != nil {
		return "", nil, err
	}
	if mirror, err = os.MkdirTemp("", "assay-home-*"); err != nil {
		return "", nil, err
	}
	remove = func() { _ = os.RemoveAll(mirror) } // the links, and files that a tool wrote
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(home, e.Name()), filepath.Join(mirror, e.Name())); err != nil {
			remove()
			return "", nil, err
		}
	}
	return mirror, remove, nil
}

// notFound lists the exit codes with which shells, and shims that imitate them, report that a command does not
// exist or cannot be executed.
var notFound = []int{126, 127}

// absentError is a shim's report that the tool behind it is not installed.
type absentError struct{ text string }

func (e *absentError) Error() string { return e.text }

// probes remembers the output of tools about themselves.
type probes struct {
	file string // shared with other processes; if empty, nothing is stored

	mu    sync.Mutex
	known map[string]probe       // nil before the file is read
	locks map[string]*sync.Mutex // by question; languages with the same tools have the same questions
}

type probe struct {
	Said   string    `json:"said"`
	Absent string    `json:"absent,omitempty"` // the shim's output, if the tool is not installed
	When   time.Time `json:"when"`
}

// How long the remembered output of a tool is valid. A shim may start to print something else although no file has
// visibly changed.
const (
	outputValidity = 24 * time.Hour
	absentValidity = 10 * time.Minute // a missing tool may be installed at any time
)

// get returns the remembered answer to a question. If there is none, it calls ask. It also remembers an answer
// that a tool is not installed, because each start of the judge asks for the tool. It does not remember other
// failures, because they may be due to a lack of memory or time.
func (p *probes) get(question string, ask func() (string, error)) (string, error) {
	sum := sha256.Sum256([]byte(question))
	key := hex.EncodeToString(sum[:16])
	p.mu.Lock()
	if p.known == nil {
		p.known, p.locks = p.read(), map[string]*sync.Mutex{}
	}
	if p.locks[key] == nil {
		p.locks[key] = &sync.Mutex{}
	}
	turn := p.locks[key]
	p.mu.Unlock()
	turn.Lock()
	defer turn.Unlock()
	p.mu.Lock()
	old, ok := p.known[key]
	p.mu.Unlock()
	age := time.Since(old.When)
	switch {
	case ok && old.Absent != "" && age >= 0 && age < absentValidity:
		return "", &absentError{old.Absent}
	case ok && old.Absent == "" && age >= 0 && age < outputValidity:
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

// write writes the remembered answers to the file, merged with those that other processes wrote meanwhile. If that
// fails, the tools are run again next time.
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
