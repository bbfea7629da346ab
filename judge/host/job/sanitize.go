package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/judge"
)

// MaxSlots is the maximum number of slots of a worker.
const MaxSlots = 256

// The limits of a worker's messages. A worker may be broken or lie. Its messages are shown in terminals and affect
// which jobs other workers get.
const (
	maxNote     = 1 << 10      // bytes of a worker's note about itself
	maxReported = 2 * MaxSlots // jobs that it may name at once
)

// sanitize truncates text to at most most bytes, and removes control characters that a terminal would interpret.
func sanitize(text string, maxBytes int) string {
	text = strings.ToValidUTF8(text[:min(len(text), maxBytes)], "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (isControl(r) || 0x80 <= r && r < 0xa0) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// sanitizeMap applies plain to the keys and values of a map, and limits the number of entries.
func sanitizeMap(texts map[string]string) map[string]string {
	const most = 500
	if texts == nil {
		return nil
	}
	kept := map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(texts))[:min(len(texts), most)] {
		kept[sanitize(k, maxText)] = sanitize(texts[k], maxNote)
	}
	return kept
}

// Check returns an error if the capabilities are not valid. It removes control characters from their texts.
func (o *Capabilities) Check() error {
	if o.Slots < 1 || o.Slots > MaxSlots {
		return fmt.Errorf("the worker says that it has %d slots: a worker has 1 to %d", o.Slots, MaxSlots)
	}
	for _, word := range []*string{&o.Version, &o.Arch, &o.IsolationLevel, &o.Machine} {
		*word = sanitize(*word, maxText)
	}
	o.Languages, o.InstallHints = sanitizeMap(o.Languages), sanitizeMap(o.InstallHints)
	return nil
}

// Sanitize limits the contents of a heartbeat.
func (b *Heartbeat) Sanitize() {
	b.Slots, b.Note = min(max(b.Slots, 0), MaxSlots), sanitize(b.Note, maxNote)
	b.Running = b.Running[:min(len(b.Running), maxReported)]
}

// check returns an error if the verdicts of a result are not valid. It removes control characters from the
// result's texts.
func (r *Result) check() error {
	for _, word := range []*string{&r.Reason, &r.Version, &r.Machine, &r.IsolationLevel} {
		*word = sanitize(*word, maxReason)
	}
	r.Toolchains = sanitizeMap(r.Toolchains)
	if r.Finished != nil {
		if err := checkVerdict(r.Finished.Verdict); err != nil {
			return err
		}
		r.Finished.First, r.Finished.Slowest = sanitize(r.Finished.First, maxNote), sanitize(r.Finished.Slowest, maxNote)
	}
	for i := range r.Rows {
		if err := checkVerdict(r.Rows[i].Verdict); err != nil {
			return err
		}
		r.Rows[i].Case = sanitize(r.Rows[i].Case, maxNote)
	}
	return nil
}

// MarkUnreadable turns a result that cannot be read into a failure of the worker.
func (r *Result) MarkUnreadable(err error) {
	r.State, r.Blame, r.Finished, r.Rows, r.Output, r.Events = Failed, judge.Machine, nil, nil, nil, nil
	r.Reason = "the result of the worker cannot be read: " + sanitize(err.Error(), maxNote)
}

// maxReason is the maximum size in bytes of the reason for a failure.
const maxReason = 5 << 10
