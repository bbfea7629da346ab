package golf

import (
	"strings"

	"assay/judge/contests/golf/drivers"
)

// rejectionTracker detects that an interpreter rejects a program: it then prints the same error for every input. The
// errors of different wrappers of the program are compared separately, because the positions in them differ.
type rejectionTracker map[*drivers.Wrap]*rejection

type rejection struct {
	message string
	runs    int
	no      bool // whether something other than the same error occurred
}

// record records the outputs for one way to call the submission. If slow is set, the submission was too slow when
// called in this way.
func (all rejectionTracker) record(w *builtCandidate, slow bool, outputs ...output) {
	r := all[w.wrap]
	if r == nil {
		r = &rejection{}
		all[w.wrap] = r
	}
	r.no = r.no || slow
	for _, o := range outputs {
		empty := strings.TrimSpace(o.text) == ""
		if w.function {
			r.no = r.no || !empty || o.failure == ""
			continue
		}
		if r.runs++; r.runs == 1 {
			r.message = o.stderr
		}
		r.no = r.no || !empty || o.stderr == "" || o.stderr != r.message
	}
}

// allRejected reports whether there were enough attempts, and the interpreter rejected the program in every one of them.
// The result said is the interpreter's error for the program without a wrapper.
func (all rejectionTracker) allRejected() (message string, refused bool) {
	plain := all[nil]
	if plain == nil || plain.runs < 2 {
		return "", false
	}
	for _, r := range all {
		if r.no {
			return "", false
		}
	}
	return plain.message, true
}
