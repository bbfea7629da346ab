package job

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// A Class describes machines that give a submission the same verdict. Its first worker sets the values.
type Class struct {
	Name      string            `json:"name"`
	Arch      string            `json:"arch"`
	Rung      string            `json:"sandbox"`
	Languages map[string]string `json:"languages"` // language id to toolchain identity
}

// Differences returns the differences between a machine and the class: one sentence each, with the remedy. It
// returns none if the machine fits. A machine may have more languages than its class.
func (c *Class) Differences(o *Offer) (all []string) {
	if c.Arch != o.Arch {
		all = append(all, fmt.Sprintf("the class %s is of %s, this machine is %s: verdicts on both would not be the same", c.Name,
			c.Arch, o.Arch))
	}
	if c.Rung != o.Rung {
		all = append(all, fmt.Sprintf("the class %s judges in the sandbox %s, this machine gives %s; what it lacks is said "+
			"by: judge doctor", c.Name, c.Rung, o.Rung))
	}
	for _, id := range slices.Sorted(maps.Keys(c.Languages)) {
		want, got := c.Languages[id], o.Languages[id]
		mend := cmp.Or(o.Obtain[id], "install what the other machines have")
		switch {
		case got == "":
			all = append(all, fmt.Sprintf("%s: the class %s has %q, this machine has nothing: %s", id, c.Name, want, mend))
		case got != want:
			all = append(all, fmt.Sprintf("%s: the class %s has %q, this machine has %q; get the same version: %s", id, c.Name, want, got, mend))
		}
	}
	return all
}

// Changes returns what would change if the class were redefined from a machine's capabilities, as one line per
// change.
func (c *Class) Changes(o *Offer) (all []string) {
	add := func(what, was, is string) {
		if was != is {
			all = append(all, fmt.Sprintf("%s: %q, was %q", what, cmp.Or(is, "nothing"), cmp.Or(was, "nothing")))
		}
	}
	add("system", c.Arch, o.Arch)
	add("sandbox", c.Rung, o.Rung)
	ids := maps.Clone(o.Languages)
	maps.Copy(ids, c.Languages)
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		add(id, c.Languages[id], o.Languages[id])
	}
	return all
}

// Admit returns the lanes that a worker may serve. A worker whose version differs from the server's does not judge
// running contests. Admit returns an error if the server does not understand the worker's protocol.
func Admit(o *Offer, version string) ([]Lane, error) {
	switch {
	case o.Protocol > Protocol:
		return nil, fmt.Errorf("the worker uses protocol version %d, but the server uses %d: upgrade the server first, then "+
			"its workers", o.Protocol, Protocol)
	case o.Protocol < Oldest:
		return nil, fmt.Errorf("the worker uses protocol version %d, but the server uses %d: upgrade the worker", o.Protocol, Protocol)
	case o.Version != version:
		return Lanes[Practice:], nil
	}
	return Lanes, nil
}
