package golf

import (
	"strings"

	"assay/judge/contests/golf/drivers"
)

// refusals notice an interpreter that does not take a program: whatever it is given, it
// prints only one and the same error. Each text that may stand around the program has an
// error of its own, because the places in errors differ.
type refusals map[*drivers.Wrap]*refusal

type refusal struct {
	said string
	runs int
	no   bool // something else happened
}

// see takes what came out of a way to call the answer.
func (all refusals) see(w *way, slow bool, outputs ...output) {
	r := all[w.wrap]
	if r == nil {
		r = &refusal{}
		all[w.wrap] = r
	}
	r.no = r.no || slow
	for _, o := range outputs {
		empty := strings.TrimSpace(o.text) == ""
		if w.function {
			r.no = r.no || !empty || o.fate == ""
			continue
		}
		if r.runs++; r.runs == 1 {
			r.said = o.said
		}
		r.no = r.no || !empty || o.said == "" || o.said != r.said
	}
}

// all says whether it is so with everything that was tried, and often enough to tell,
// and what the interpreter said of the program alone.
func (all refusals) all() (said string, refused bool) {
	plain := all[nil]
	if plain == nil || plain.runs < 2 {
		return "", false
	}
	for _, r := range all {
		if r.no {
			return "", false
		}
	}
	return plain.said, true
}
