//go:build linux && (amd64 || arm64)

package sandbox

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// groupPrefix is the prefix of the name of a judge's control groups. The process id and a random number follow. A
// lock on the directory shows that its judge is alive. The process id does not show it, because another container
// may use the same id.
const groupPrefix = "assay-"

// groups is a judge's position in the machine's control group trees.
type groups struct {
	version int               // 1 or 2
	dirs    map[string]string // directory of this judge by controller; version 2 has one entry, ""
	has     map[string]bool   // usable controllers: memory, pids, cpuacct (cpu in version 2)
	locks   []*os.File        // directories of this judge, open and locked until it exits
	notes   []string          // what is missing, for the report
}

// A hierarchy is a mounted control group tree and the position of this process in it.
type hierarchy struct {
	version     int
	controllers []string
	top         string // the highest visible directory
	own         string // the directory of this process's own group
}

// hierarchies returns the control group trees that this process sees.
func hierarchies() ([]hierarchy, error) {
	memberships, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, fmt.Errorf("find the control groups: %w", err)
	}
	places := map[string]string{} // path by controllers, as listed
	for line := range strings.Lines(string(memberships)) {
		if f := strings.SplitN(strings.TrimSpace(line), ":", 3); len(f) == 3 {
			for c := range strings.SplitSeq(f[1], ",") {
				places[c] = f[2]
			}
		}
	}
	mounts, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("find the control groups: %w", err)
	}
	defer mounts.Close()
	var all []hierarchy
	for lines := bufio.NewScanner(mounts); lines.Scan(); {
		if h, ok := parseMount(lines.Text(), places); ok {
			all = append(all, h)
		}
	}
	return all, nil
}

// parseMount parses a line of mountinfo, such as
//
//	36 35 0:31 /root /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory
func parseMount(line string, places map[string]string) (h hierarchy, ok bool) {
	left, right, ok := strings.Cut(line, " - ")
	l, r := strings.Fields(left), strings.Fields(right)
	if !ok || len(l) < 5 || len(r) < 3 {
		return h, false
	}
	place := ""
	switch r[0] {
	case "cgroup2":
		h.version, place = 2, places[""]
	case "cgroup":
		h.version = 1
		for option := range strings.SplitSeq(r[2], ",") {
			if p, known := places[option]; known && option != "" {
				h.controllers, place = append(h.controllers, option), p
			}
		}
	}
	if place == "" {
		return h, false
	}
	h.top = l[4]
	below, err := filepath.Rel(l[3], place)
	if err != nil || strings.HasPrefix(below, "..") {
		below = "" // our group is outside the mounted tree, so use the top of the tree
	}
	h.own = filepath.Join(h.top, below)
	return h, true
}

// joinGroups creates this judge's directories. If the machine does not support it or rights are missing, it
// returns nil and the reason.
func joinGroups(version int) (*groups, error) {
	all, err := hierarchies()
	if err != nil {
		return nil, err
	}
	g := &groups{version: version, dirs: map[string]string{}, has: map[string]bool{}}
	name := fmt.Sprintf("%s%d-%x", groupPrefix, os.Getpid(), time.Now().UnixNano())
	if version == 2 {
		err = g.joinV2(all, name)
	} else {
		err = g.joinV1(all, name)
	}
	if err != nil {
		g.removeDirs()
		return nil, err
	}
	return g, nil
}

func (g *groups) joinV1(trees []hierarchy, name string) error {
	for _, want := range []string{"memory", "pids", "cpuacct"} {
		i := slices.IndexFunc(trees, func(h hierarchy) bool { return h.version == 1 && slices.Contains(h.controllers, want) })
		if i < 0 {
			g.notes = append(g.notes, "no control group for "+want)
			continue
		}
		dir := filepath.Join(trees[i].own, name)
		if err := g.claim(dir); err != nil {
			g.notes = append(g.notes, fmt.Sprintf("no control group for %s: %v", want, err))
			continue
		}
		g.dirs[want], g.has[want] = dir, true
	}
	if !g.has["memory"] {
		return errors.New(strings.Join(g.notes, "; "))
	}
	return nil
}

// joinV2 creates this judge's group with the controllers. In version 2, only a group without processes can enable
// controllers for its children. The group of this process usually contains processes, so joinV2 also tries the
// groups above it.
func (g *groups) joinV2(trees []hierarchy, name string) error {
	i := slices.IndexFunc(trees, func(h hierarchy) bool { return h.version == 2 })
	if i < 0 {
		return errors.New("no control groups of version 2 are mounted")
	}
	var reason error
	for parent := trees[i].own; strings.HasPrefix(parent, trees[i].top); parent = filepath.Dir(parent) {
		if reason = enableControllers(parent); reason != nil {
			continue
		}
		dir := filepath.Join(parent, name)
		if reason = g.claim(dir); reason != nil {
			continue
		}
		if reason = enableControllers(dir); reason != nil {
			g.removeDirs()
			continue
		}
		g.dirs[""] = dir
		have, err := os.ReadFile(filepath.Join(dir, "cgroup.subtree_control"))
		if err != nil {
			return fmt.Errorf("read the controllers of the control group: %w", err)
		}
		for c := range strings.FieldsSeq(string(have)) {
			g.has[c] = true
		}
		if !g.has["pids"] {
			g.notes = append(g.notes, "no control group for pids")
		}
		return nil
	}
	return fmt.Errorf("no control group in which the judge may create groups: %w", reason)
}

// enableControllers enables the controllers that a sandbox needs in the groups below dir.
func enableControllers(dir string) error {
	file := filepath.Join(dir, "cgroup.subtree_control")
	for _, c := range []string{"memory", "pids"} {
		have, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if slices.Contains(strings.Fields(string(have)), c) {
			continue
		}
		if err := os.WriteFile(file, []byte("+"+c), 0); err != nil && c == "memory" {
			return fmt.Errorf("hand down %s: %w", c, err)
		}
	}
	return nil
}

// claim creates a directory for this judge's group, and locks it. If another judge's cleanup removes the directory
// before it is locked, claim creates it again. On a busy machine, a cleanup may keep the directory locked for a
// long time.
func (g *groups) claim(dir string) error {
	for end := time.Now().Add(maxCleanupWait); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		f, err := os.Open(dir)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			if _, err := os.Stat(dir); err == nil {
				g.locks = append(g.locks, f)
				removeStaleGroups(filepath.Dir(dir))
				return nil
			}
		}
		f.Close()
	}
	return fmt.Errorf("claim %s: other judges keep removing it", dir)
}

// maxCleanupWait is how long claim keeps trying while cleanups by other judges remove or lock the directory.
const maxCleanupWait = time.Minute

// removeDirs removes this judge's directories. The directories of workers must have been removed.
func (g *groups) removeDirs() {
	for _, f := range g.locks {
		removeGroup(f.Name())
		f.Close()
	}
	g.locks = nil
}

// removeStaleGroups removes the groups of killed judges in dir and in the siblings of dir, because a killed judge may
// have used another parent group. It first kills the processes in these groups. There are usually none, because
// zygotes exit with their judge.
func removeStaleGroups(dir string) {
	stale, _ := filepath.Glob(filepath.Join(dir, groupPrefix+"*"))
	beside, _ := filepath.Glob(filepath.Join(filepath.Dir(dir), "*", groupPrefix+"*"))
	stale = append(stale, beside...)
	for _, s := range stale {
		f, err := os.Open(s)
		if err != nil {
			continue
		}
		if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			leaves, _ := filepath.Glob(filepath.Join(s, "*", "cgroup.procs"))
			for _, leaf := range leaves {
				killGroup(leaf)
				removeGroup(filepath.Dir(leaf))
			}
			removeGroup(s)
		}
		f.Close()
	}
}

// killGroup kills the processes listed in procs.
func killGroup(procs string) {
	list, _ := os.ReadFile(procs)
	for f := range strings.FieldsSeq(string(list)) {
		if pid, err := strconv.Atoi(f); err == nil && pid > 1 {
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// removeGroup removes a group's directory. It retries, because the kernel returns an error until shortly after the
// last process has been reaped.
func removeGroup(dir string) {
	for wait := time.Millisecond; wait < time.Second; wait *= 2 {
		if err := unix.Rmdir(dir); err != unix.EBUSY {
			return
		}
		time.Sleep(wait)
	}
}

// A leaf is the control group of one worker.
type leaf struct {
	dirs  []string
	names []string // names of the files that the zygote reads and writes
	files []*os.File
	dir   *os.File // in version 2, the group in which the zygote is started
}

// Names of a leaf's files, the same for both versions.
const (
	fileJoin    = "join" // version 1: one for each hierarchy
	fileLimit   = "memory.limit"
	fileSwap    = "memory.swap"
	fileUsage   = "memory.usage"
	filePeak    = "memory.peak"
	fileOOM     = "memory.oom"
	fileReclaim = "memory.reclaim"
	filePidsMax = "pids.max"
	filePidsNow = "pids.now"
	fileCPU     = "cpu.usage"
)

// A leafFile is a file in a leaf group, with the name that the sandbox uses for it and the name in the kernel.
type leafFile struct {
	name, file string
	flag       int
	optional   bool
}

var leafFilesV1 = map[string][]leafFile{
	"memory": {
		{fileJoin, "tasks", os.O_WRONLY, false},
		{fileLimit, "memory.limit_in_bytes", os.O_WRONLY, false},
		{fileSwap, "memory.memsw.limit_in_bytes", os.O_WRONLY, true},
		{fileUsage, "memory.usage_in_bytes", os.O_RDONLY, false},
		{filePeak, "memory.max_usage_in_bytes", os.O_RDWR, false},
		{fileOOM, "memory.oom_control", os.O_RDONLY, false},
		{fileReclaim, "memory.force_empty", os.O_WRONLY, true},
	},
	"pids": {
		{fileJoin, "tasks", os.O_WRONLY, false},
		{filePidsMax, "pids.max", os.O_WRONLY, false},
		{filePidsNow, "pids.current", os.O_RDONLY, true},
	},
	"cpuacct": {
		{fileJoin, "tasks", os.O_WRONLY, false},
		{fileCPU, "cpuacct.usage", os.O_RDONLY, false},
	},
}

var leafFilesV2 = []leafFile{
	{fileLimit, "memory.max", os.O_WRONLY, true},
	{fileSwap, "memory.swap.max", os.O_WRONLY, true},
	{fileUsage, "memory.current", os.O_RDONLY, true},
	{filePeak, "memory.peak", os.O_RDWR, true},
	{fileOOM, "memory.events", os.O_RDONLY, true},
	{fileReclaim, "memory.reclaim", os.O_WRONLY, true},
	{filePidsMax, "pids.max", os.O_WRONLY, true},
	{filePidsNow, "pids.current", os.O_RDONLY, true},
	{fileCPU, "cpu.stat", os.O_RDONLY, false},
}

// newLeaf creates the control groups for one worker.
func (g *groups) newLeaf(number int) (_ *leaf, err error) {
	l := &leaf{}
	defer func() {
		if err != nil {
			l.close()
			l.remove()
		}
	}()
	name := "w" + strconv.Itoa(number)
	for controller, dir := range g.dirs {
		dir = filepath.Join(dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, fmt.Errorf("make the control group of a worker: %w", err)
		}
		l.dirs = append(l.dirs, dir)
		files := leafFilesV1[controller]
		if g.version == 2 {
			files = leafFilesV2
			if l.dir, err = os.Open(dir); err != nil {
				return nil, fmt.Errorf("open the control group of a worker: %w", err)
			}
		}
		for _, want := range files {
			f, err := os.OpenFile(filepath.Join(dir, want.file), want.flag, 0)
			if want.name == filePeak && errors.Is(err, os.ErrPermission) {
				f, err = os.Open(filepath.Join(dir, want.file)) // kernels before 6.12 cannot reset the peak
			}
			if err != nil && want.optional {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("open the control group of a worker: %w", err)
			}
			l.names, l.files = append(l.names, want.name), append(l.files, f)
		}
	}
	return l, nil
}

// close closes the files. The zygote must have its own descriptors already.
func (l *leaf) close() {
	for _, f := range l.files {
		f.Close()
	}
	if l.dir != nil {
		l.dir.Close()
	}
	l.files = nil
}

func (l *leaf) remove() {
	for _, d := range l.dirs {
		removeGroup(d)
	}
}
