package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/judge"
)

// MaxSlots is the most that a worker may have.
const MaxSlots = 256

// A worker may be broken, or lie: what it says is read by people at a terminal, and decides
// what others are given.
const (
	maxNote  = 1 << 10      // bytes of what a worker says of itself
	mostSaid = 2 * MaxSlots // jobs that it names at once
)

// plain is a text without what a terminal would obey, of at most this many bytes.
func plain(text string, most int) string {
	text = strings.ToValidUTF8(text[:min(len(text), most)], "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (control(r) || 0x80 <= r && r < 0xa0) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// plainMap is a map of plain texts, without those that are too many.
func plainMap(all map[string]string) map[string]string {
	const most = 500
	if all == nil {
		return nil
	}
	kept := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(all))[:min(len(all), most)] {
		kept[plain(k, maxWord)] = plain(all[k], maxNote)
	}
	return kept
}

// Check says what is wrong with what a worker can do, and takes out of its words what a terminal
// would obey.
func (o *Offer) Check() error {
	if o.Slots < 1 || o.Slots > MaxSlots {
		return fmt.Errorf("the worker says that it has %d slots: a worker has 1 to %d", o.Slots, MaxSlots)
	}
	for _, word := range []*string{&o.Version, &o.Arch, &o.Rung, &o.Machine} {
		*word = plain(*word, maxWord)
	}
	o.Languages, o.Obtain = plainMap(o.Languages), plainMap(o.Obtain)
	return nil
}

// Plain bounds what a worker says of itself.
func (b *Beat) Plain() {
	b.Slots, b.Note = min(max(b.Slots, 0), MaxSlots), plain(b.Note, maxNote)
	b.Running = b.Running[:min(len(b.Running), mostSaid)]
}

// check says what is wrong with the verdicts of a result, and takes out of its words what a
// terminal would obey.
func (r *Result) check() error {
	for _, word := range []*string{&r.Reason, &r.Version, &r.Machine, &r.Rung} {
		*word = plain(*word, maxReason)
	}
	r.Toolchains = plainMap(r.Toolchains)
	if r.Finished != nil {
		if err := known(r.Finished.Verdict); err != nil {
			return err
		}
		r.Finished.First, r.Finished.Slowest = plain(r.Finished.First, maxNote), plain(r.Finished.Slowest, maxNote)
	}
	for i := range r.Rows {
		if err := known(r.Rows[i].Verdict); err != nil {
			return err
		}
		r.Rows[i].Case = plain(r.Rows[i].Case, maxNote)
	}
	return nil
}

// Unread makes it a failure of the worker that a result cannot be read.
func (r *Result) Unread(err error) {
	r.State, r.Blame, r.Finished, r.Rows, r.Output, r.Events = Failed, judge.Machine, nil, nil, nil, nil
	r.Reason = "the result of the worker cannot be read: " + plain(err.Error(), maxNote)
}

// maxReason is how many bytes a result says of a failure.
const maxReason = 5 << 10
