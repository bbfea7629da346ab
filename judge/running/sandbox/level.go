package sandbox

import (
	"slices"
	"strings"
)

// Level is an isolation level: how much a machine allows a sandbox to enforce. It is also a value of
// Options.Isolation.
type Level string

const (
	RootV2     Level = "root-cgroup2"     // namespaces, seccomp, control groups version 2
	RootV1     Level = "root-cgroup1"     // the same with control groups version 1, or both versions
	Root       Level = "root"             // the same without control groups: resource limits and polling
	RootlessV2 Level = "rootless-cgroup2" // user namespaces and a delegated tree of version 2
	Rootless   Level = "rootless"         // user namespaces, resource limits and polling
	None       Level = "none"             // plain processes
)

// levels lists the isolation levels, best first.
var levels = []Level{RootV2, RootV1, Root, RootlessV2, Rootless, None}

func levelNames() string {
	names := make([]string, len(levels))
	for i, r := range levels {
		names[i] = string(r)
	}
	return strings.Join(names, ", ")
}

// Report describes what a sandbox enforces on this machine.
type Report struct {
	Level   Level
	Missing []string  // features that this machine lacks, except those that the level never has
	Refused []Refusal // the better levels, with the reason why they are unavailable
}

// Refusal describes why an isolation level is not available.
type Refusal struct {
	Level Level
	Err   error
}

// An Enforcement is a property that an isolation level may enforce.
type Enforcement struct {
	What string // the property
	By   string // what enforces it; empty if nothing does
}

// Rows returns all properties, each with the mechanism that enforces it on the report's level.
func (r Report) Rows() []Enforcement {
	rows := make([]Enforcement, len(enforced))
	for i, e := range enforced {
		rows[i] = Enforcement{e.what, e.by[r.Level]}
	}
	return rows
}

// Unenforced returns the properties that the level does not enforce on this machine, as text.
func (r Report) Unenforced() []string {
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

// enforced lists the properties, with the mechanism that enforces them on each level.
var enforced = []struct {
	what string
	by   map[Level]string
}{
	{"the host's files are hidden", all("mount namespace, private root")},
	{"no network", all("network namespace, system call filter")},
	{"other processes are hidden", all("process namespace")},
	{"dangerous system calls refused", all("system call filter")},
	{"nothing stays for the next run", all("process and IPC namespaces, fresh scratch directory")},
	{"another user than the judge's", map[Level]string{RootV2: "user id", RootV1: "user id", Root: "user id"}},
	{"memory limit", grouped(byPolling)},
	{"CPU time of all threads and children", grouped(byPolling)},
	{"number of processes", grouped(byLimits)},
	{"wall time", everywhere("monotonic clock")},
	{"output limit", everywhere("counted pipe")},
}

// grouped returns the mechanism on each isolation level for a property that control groups enforce. On levels
// without control groups, the mechanism is the parameter instead.
func grouped(instead string) map[Level]string {
	return map[Level]string{RootV2: byGroups2, RootV1: byGroups1, Root: instead, RootlessV2: byGroups2, Rootless: instead}
}

func all(by string) map[Level]string {
	return map[Level]string{RootV2: by, RootV1: by, Root: by, RootlessV2: by, Rootless: by}
}

func everywhere(by string) map[Level]string {
	m := all(by)
	m[None] = by
	return m
}

// Levels returns all isolation levels, best first.
func Levels() []Level { return slices.Clone(levels) }
