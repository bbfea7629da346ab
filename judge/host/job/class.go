package job

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// A Class describes machines that give a submission the same verdict. Its first worker sets the values.
type Class struct {
	Name           string            `json:"name"`
	Arch           string            `json:"arch"`
	IsolationLevel string            `json:"sandbox"`
	Languages      map[string]string `json:"languages"` // language id to toolchain identity
}

// Differences returns the differences between a machine and the class: one sentence each, with the remedy. It
// returns none if the machine fits. A machine may have more languages than its class.
func (c *Class) Differences(o *Capabilities) (differences []string) {
	if c.Arch != o.Arch {
		differences = append(
			differences,
			fmt.Sprintf("the class %s is of %s, this machine is %s: verdicts on both would not be the same", c.Name,
				c.Arch, o.Arch),
		)
	}
	if c.IsolationLevel != o.IsolationLevel {
		differences = append(
			differences,
			fmt.Sprintf("the class %s judges in the sandbox %s, this machine gives %s; what it lacks is said "+
				"by: judge doctor", c.Name, c.IsolationLevel, o.IsolationLevel),
		)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Languages)) {
		want, got := c.Languages[id], o.Languages[id]
		mend := cmp.Or(o.InstallHints[id], "install what the other machines have")
		switch {
		case got == "":
			differences = append(differences, fmt.Sprintf("%s: the class %s has %q, this machine has nothing: %s", id, c.Name, want, mend))
		case got != want:
			differences = append(
				differences,
				fmt.Sprintf("%s: the class %s has %q, this machine has %q; get the same version: %s", id, c.Name, want, got, mend),
			)
		}
	}
	return differences
}

// Changes returns what would change if the class were redefined from a machine's capabilities, as one line per
// change.
func (c *Class) Changes(o *Capabilities) (changes []string) {
	add := func(what, was, is string) {
		if was != is {
			changes = append(changes, fmt.Sprintf("%s: %q, was %q", what, cmp.Or(is, "nothing"), cmp.Or(was, "nothing")))
		}
	}
	add("system", c.Arch, o.Arch)
	add("sandbox", c.IsolationLevel, o.IsolationLevel)
	ids := maps.Clone(o.Languages)
	maps.Copy(ids, c.Languages)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		add(id, c.Languages[id], o.Languages[id])
	}
	return changes
}

// CheckVersion returns the priorities from which a worker may take jobs. A worker whose version differs from the server's does not judge
// running contests. CheckVersion returns an error if the server does not understand the worker's protocol.
func CheckVersion(o *Capabilities, version string) ([]Priority, error) {
	switch {
	case o.Protocol > Protocol:
		return nil, fmt.Errorf("the worker uses protocol version %d, but the server uses %d: upgrade the server first, then "+
			"its workers", o.Protocol, Protocol)
	case o.Protocol < MinProtocol:
		return nil, fmt.Errorf("the worker uses protocol version %d, but the server uses %d: upgrade the worker", o.Protocol, Protocol)
	case o.Version != version:
		return Priorities[PracticePriority:], nil
	}
	return Priorities, nil
}
