package golf

import (
	"strings"

	"assay/judge/contests/golf/drivers"
)

// refusals detects an interpreter that rejects a program: for any input, it prints the same error. Each code
// around the program has its own error, because the places in errors differ.
type refusals map[*drivers.Wrap]*refusal

type refusal struct {
	said string
	runs int
	no   bool // something else happened
}

// see records the result of one way to call the submission.
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

// all reports whether everything that was tried was rejected, and often enough, and the interpreter's error
// for the program alone.
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
