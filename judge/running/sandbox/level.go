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
	Level       Level
	Missing     []string           // features that this machine lacks, except those that the level never has
	Unavailable []UnavailableLevel // the better levels, with the reason why they are unavailable
}

// UnavailableLevel describes why an isolation level is not available.
type UnavailableLevel struct {
	Level Level
	Err   error
}

// An Enforcement is a property that an isolation level may enforce.
type Enforcement struct {
	Property  string // the property
	Mechanism string // what enforces it; empty if nothing does
}

// Enforcements returns all properties, each with the mechanism that enforces it on the report's level.
func (r Report) Enforcements() []Enforcement {
	rows := make([]Enforcement, len(enforced))
	for i, e := range enforced {
		rows[i] = Enforcement{e.what, e.by[r.Level]}
	}
	return rows
}

// Unenforced returns the properties that the level does not enforce on this machine, as text.
func (r Report) Unenforced() []string {
	var weak []string
	for _, row := range r.Enforcements() {
		if row.Mechanism == "" {
			weak = append(weak, row.Property)
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
	{"the host's files are hidden", onIsolatingLevels("mount namespace, private root")},
	{"no network", onIsolatingLevels("network namespace, system call filter")},
	{"other processes are hidden", onIsolatingLevels("process namespace")},
	{"dangerous system calls refused", onIsolatingLevels("system call filter")},
	{"nothing stays for the next run", onIsolatingLevels("process and IPC namespaces, fresh scratch directory")},
	{"another user than the judge's", map[Level]string{RootV2: "user id", RootV1: "user id", Root: "user id"}},
	{"memory limit", byControlGroups(byPolling)},
	{"CPU time of all threads and children", byControlGroups(byPolling)},
	{"number of processes", byControlGroups(byLimits)},
	{"wall time", onEveryLevel("monotonic clock")},
	{"output limit", onEveryLevel("counted pipe")},
}

// byControlGroups returns the mechanism on each isolation level for a property that control groups enforce. On levels
// without control groups, the mechanism is the parameter instead.
func byControlGroups(instead string) map[Level]string {
	return map[Level]string{RootV2: byGroups2, RootV1: byGroups1, Root: instead, RootlessV2: byGroups2, Rootless: instead}
}

func onIsolatingLevels(mechanism string) map[Level]string {
	return map[Level]string{RootV2: mechanism, RootV1: mechanism, Root: mechanism, RootlessV2: mechanism, Rootless: mechanism}
}

func onEveryLevel(mechanism string) map[Level]string {
	m := onIsolatingLevels(mechanism)
	m[None] = mechanism
	return m
}

// Levels returns all isolation levels, best first.
func Levels() []Level { return slices.Clone(levels) }
