package sandbox

import (
	"slices"
	"strings"
)

// Rung is how much a machine lets a sandbox enforce. It is also a value of
// Options.Isolation.
type Rung string

const (
	RootV2     Rung = "root-cgroup2"     // namespaces, seccomp, control groups version 2
	RootV1     Rung = "root-cgroup1"     // the same with control groups version 1, or both
	Root       Rung = "root"             // the same without control groups: resource limits and polling
	RootlessV2 Rung = "rootless-cgroup2" // user namespaces and a delegated tree of version 2
	Rootless   Rung = "rootless"         // user namespaces, resource limits and polling
	None       Rung = "none"             // plain processes
)

// rungs lists the rungs, the best first.
var rungs = []Rung{RootV2, RootV1, Root, RootlessV2, Rootless, None}

func rungNames() string {
	names := make([]string, len(rungs))
	for i, r := range rungs {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}

// Report says what a sandbox enforces on this machine.
type Report struct {
	Rung    Rung
	Missing []string  // what the rung lacks on this machine, beyond what it always lacks
	Refused []Refusal // the better rungs, and why the machine does not give them
}

// Refusal says why a rung cannot be had.
type Refusal struct {
	Rung Rung
	Err  error
}

// An Enforcement is one line of what an isolation level enforces.
type Enforcement struct {
	What string // what is to be enforced
	By   string // what enforces it; "" where nothing does
}

// Rows says what is enforced, and by what.
func (r Report) Rows() []Enforcement {
	rows := make([]Enforcement, len(enforced))
	for i, e := range enforced {
		rows[i] = Enforcement{e.what, e.by[r.Rung]}
	}
	return rows
}

// Weaker lists in words what the rung does not enforce here.
func (r Report) Weaker() []string {
	var weak []string
	for _, row := range r.Rows() {
		if row.By == "" {
			weak = append(weak, row.What)
		}
	}
	return append(weak, r.Missing...)
}

const (
	byNamespaces = "namespaces"
	byGroups1    = "control groups v1"
	byGroups2    = "control groups v2"
	byLimits     = "resource limits"
	byPolling    = "polling, every few milliseconds"
)

// enforced is the table of what each rung enforces by what.
var enforced = []struct {
	what string
	by   map[Rung]string
}{
	{"the host's files are out of sight", all("mount namespace, private root")},
	{"no network", all("network namespace, system call filter")},
	{"no other process in sight", all("process namespace")},
	{"dangerous system calls refused", all("system call filter")},
	{"nothing stays for the next run", all("process and IPC namespaces, fresh scratch directory")},
	{"another user than the judge's", map[Rung]string{RootV2: "user id", RootV1: "user id", Root: "user id"}},
	{"memory limit", map[Rung]string{RootV2: byGroups2, RootV1: byGroups1, Root: byPolling, RootlessV2: byGroups2, Rootless: byPolling}},
	{"CPU time of all threads and children", map[Rung]string{RootV2: byGroups2, RootV1: byGroups1, Root: byPolling, RootlessV2: byGroups2, Rootless: byPolling}},
	{"number of processes", map[Rung]string{RootV2: byGroups2, RootV1: byGroups1, Root: byLimits, RootlessV2: byGroups2, Rootless: byLimits}},
	{"wall time", everywhere("monotonic clock")},
	{"output limit", everywhere("counted pipe")},
}

func all(by string) map[Rung]string {
	return map[Rung]string{RootV2: by, RootV1: by, Root: by, RootlessV2: by, Rootless: by}
}

func everywhere(by string) map[Rung]string {
	m := all(by)
	m[None] = by
	return m
}

// Rungs lists all rungs, the best first.
func Rungs() []Rung { return slices.Clone(rungs) }
