package shadow

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/host/clics"
	"assay/judge/host/store"
)

// A Mirror maps types and ids to the objects of a primary. It does not contain deleted objects.
type Mirror map[string]map[string]string

// NewMirror returns a Mirror of the stored objects from a contest's primary.
func NewMirror(objects []store.ExternalObject) Mirror {
	m := Mirror{}
	for _, o := range objects {
		m.put(o)
	}
	return m
}

func (m Mirror) put(o store.ExternalObject) {
	if m[o.Type] == nil {
		m[o.Type] = map[string]string{}
	}
	if o.Data == "" {
		delete(m[o.Type], o.ID)
	} else {
		m[o.Type][o.ID] = o.Data
	}
}

// A judgementType is a verdict of a primary.
type judgementType struct {
	ID         string `json:"id"`
	Penalty    *bool  `json:"penalty"`
	Solved     bool   `json:"solved"`
	Simplified string `json:"simplified_judgement_type_id"`
}

// verdictOf returns the verdict that has the same effect on a scoreboard as the given verdict of a primary. A
// judge error counts as pending.
func verdictOf(t judgementType, compileErrors bool) judge.Verdict {
	known := slices.IndexFunc(clics.JudgementTypesOf(compileErrors), func(k clics.JudgementType) bool { return k.ID == t.ID })
	switch {
	case t.ID == string(judge.JudgeError):
		return judge.NotJudged
	case t.Solved:
		return judge.Accepted
	case t.Penalty != nil && !*t.Penalty && !compileErrors:
		return judge.CompileError
	case known >= 0 && t.ID != string(judge.Accepted):
		return judge.Verdict(t.ID)
	}
	for _, k := range clics.JudgementTypesOf(compileErrors) {
		if k.ID == t.Simplified && !k.Solved && k.ID != string(judge.JudgeError) {
			return judge.Verdict(k.ID)
		}
	}
	return judge.WrongAnswer
}

// A judgement is a judgement by a primary.
type judgement struct {
	ID         string  `json:"id"`
	Submission string  `json:"submission_id"`
	Type       *string `json:"judgement_type_id"`
	Current    *bool   `json:"current"`
	Valid      *bool   `json:"valid"` // format of DOMjudge
	Start      string  `json:"start_time"`
	End        *string `json:"end_time"`
	start      time.Time
}

// superseded reports whether the primary marks j as not current or not valid.
func (j *judgement) superseded() bool {
	return j.Current != nil && !*j.Current || j.Valid != nil && !*j.Valid
}

// Verdicts returns the current verdicts on the primary, by submission id. It omits pending submissions.
func (m Mirror) Verdicts() map[string]judge.Verdict {
	types := map[string]judge.Verdict{}
	costs := m.compileErrors()
	for id, data := range m["judgement-types"] {
		var t judgementType
		if json.Unmarshal([]byte(data), &t) == nil {
			t.ID = id
			types[id] = verdictOf(t, costs)
		}
	}
	latest := map[string]judgement{}
	for _, data := range m["judgements"] {
		var j judgement
		if json.Unmarshal([]byte(data), &j) != nil || j.superseded() {
			continue
		}
		j.start, _ = clics.ParseTime(j.Start) // the first version of the API has no start time
		if old, is := latest[j.Submission]; !is || cmp.Or(old.start.Compare(j.start), compareIDs(old.ID, j.ID)) < 0 {
			latest[j.Submission] = j
		}
	}
	all := map[string]judge.Verdict{}
	for id, j := range latest {
		if j.Type == nil || *j.Type == "" {
			continue
		}
		v, known := types[*j.Type]
		if !known { // the primary has not defined it
			v = verdictOf(judgementType{ID: *j.Type, Solved: *j.Type == string(judge.Accepted)}, costs)
		}
		if v != judge.NotJudged {
			all[id] = v
		}
	}
	return all
}

// compileErrors reports whether a compile error adds penalty time on the primary.
func (m Mirror) compileErrors() bool {
	var t judgementType
	data, there := m["judgement-types"][string(judge.CompileError)]
	return there && json.Unmarshal([]byte(data), &t) == nil && t.Penalty != nil && *t.Penalty
}

// compareIDs compares ids. It compares numbers by value.
func compareIDs(a, b string) int {
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	if digits(a) && digits(b) {
		x, y := strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
		return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y), cmp.Compare(a, b))
	}
	return cmp.Compare(a, b)
}

// Unjudged is the verdict in a VerdictPair for a submission that no worker of this server judges.
const Unjudged judge.Verdict = "not judged"

// A VerdictPair contains the verdicts of the primary and of this server on a submission. An empty verdict means pending.
type VerdictPair struct {
	Submission   store.ShadowSubmission
	Theirs, Ours judge.Verdict
}

// VerdictPairs returns the VerdictPair of each submission.
func VerdictPairs(submissions []store.ShadowSubmission, theirs map[string]judge.Verdict) []VerdictPair {
	pairs := make([]VerdictPair, len(submissions))
	for i, s := range submissions {
		pairs[i] = VerdictPair{s, theirs[s.ExtID], s.Verdict}
		switch {
		case s.Ended && s.Verdict == judge.NotJudged:
			pairs[i].Ours = Unjudged
		case s.Verdict == judge.JudgeError:
			pairs[i].Ours = judge.JudgeError
		}
	}
	return pairs
}

// Differs reports whether both systems have a verdict and the two verdicts differ. Verdicts with the same
// simplified verdict are equal.
func (p *VerdictPair) Differs() bool {
	if p.Theirs == judge.NotJudged || p.Ours == judge.NotJudged || p.Ours == Unjudged {
		return false
	}
	return simplifiedVerdict(p.Theirs) != simplifiedVerdict(p.Ours)
}

// isPending reports whether the primary has a verdict and this server has none yet. It returns false for ignored
// submissions.
func (p *VerdictPair) isPending() bool {
	return p.Theirs != judge.NotJudged && p.Ours == judge.NotJudged && !p.Submission.Ignored
}

func simplifiedVerdict(v judge.Verdict) string {
	for _, t := range clics.JudgementTypesOf(false) {
		if t.ID == string(v) {
			return t.Simplified
		}
	}
	return string(v)
}
