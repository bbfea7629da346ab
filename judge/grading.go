package judge

import "math"

// Grading says how the verdicts and scores of cases become those of groups and of
// the submission, where that is more than "every case must be accepted". It knows
// the two ways of the problem package formats, because neither can say all that
// the other says: see Form.
//
// The folding itself is in fold.go.
type Grading struct {
	Form   Form
	Scored bool // submissions get a score; else only verdicts count
	// Minimize says that a lower score is better (legacy: objective min).
	Minimize bool
	// Custom says that the score.txt of an output validator counts (legacy:
	// validation "custom score"). In the form of 2025-09 it always does.
	Custom bool
	// Must says that a validator which accepts has to leave a score.txt (legacy:
	// validation "custom score").
	Must bool
	Root *Node // its name is ""; its children are the samples and the secret data
}

// Form is a way of grading.
type Form string

const (
	// Format2025 is the way of test_group.yaml in the format 2025-09, and of
	// problem.toml. Of a Node it uses Aggregate, MaxScore, Unbounded, Static and
	// RequirePass; Root is only the parent of the samples, which give no score, and
	// of the secret data, whose score is the submission's.
	Format2025 Form = "2025-09"
	// FormatLegacy is the way of testdata.yaml in the legacy format. Of a Node it
	// uses Aggregate and Legacy, from the root on.
	FormatLegacy Form = "legacy"
)

// Node is a group in the tree of groups. Its direct cases, those of the Group with
// the same name, come before its children.
//
// Keys that are inherited in a format (accept_score, on_reject, ...) are filled in
// here for each node.
type Node struct {
	Name     string // of the Group that has its direct cases, such as "secret/group1"; there may be none
	Children []*Node

	Aggregate Aggregate

	MaxScore    float64      // the most that it can give; its share of the samples does not count
	Unbounded   bool         // there is no MaxScore; then every accepted case must bring its score
	Static      *StaticCheck // nil for none
	RequirePass []string     // names of earlier nodes all of whose cases must be accepted, or this one is not run

	Legacy Legacy
}

// Aggregate is how the scores of cases or groups become one.
type Aggregate string

const (
	PassFail Aggregate = "pass-fail" // 2025-09 only: MaxScore if every case is accepted, else 0
	Sum      Aggregate = "sum"       // all scores added
	Min      Aggregate = "min"       // the lowest score
	Max      Aggregate = "max"       // the highest score; legacy only
	Average  Aggregate = "avg"       // the mean of the scores; legacy only
)

// StaticCheck is a case that the static validator judges: the submission's own
// files, not what it prints. It is judged before the node's other cases.
type StaticCheck struct {
	PassFail bool    // it only accepts or rejects
	Score    float64 // the most that it gives; unused where PassFail is set
	Args     []string
}

// Legacy is the legacy format's way to grade a node.
type Legacy struct {
	Verdict      VerdictMode
	GoOn         bool // on_reject: continue; else the node's rest is skipped after its first child that is not accepted
	IgnoreSample bool // the child "sample" does not count; for the root only
	AnyAccepted  bool // accept_if_any_accepted: one accepted child is enough
	AcceptScore  float64
	RejectScore  float64
	Low, High    float64  // range; -Inf and +Inf where it is open
	Grader       *Part    // a program of the setter's that folds; nil for the usual one
	GraderArgs   []string // for Grader
}

// VerdictMode is how a legacy node gets its verdict from its children's.
type VerdictMode string

const (
	WorstError   VerdictMode = "worst_error"   // JE IF RTE MLE TLE OLE WA in order of precedence
	FirstError   VerdictMode = "first_error"   // that of the first child that is not accepted
	AlwaysAccept VerdictMode = "always_accept" // AC, whatever the children got
)

// UsualLegacy is a legacy node for which testdata.yaml says nothing.
func UsualLegacy() Legacy {
	return Legacy{Verdict: WorstError, AcceptScore: 1, Low: math.Inf(-1), High: math.Inf(1)}
}

// Score is a number of points. It is never a verdict.
type Score struct {
	Points float64 `json:"points"`
	Of     float64 `json:"of,omitempty"` // the most that there is; 0 where nobody can say
}

// Award is what a checker gives an output, beside its verdict.
type Award struct {
	By    AwardKind
	Value float64
	// Alone says that the checker gives points and no verdict beside them, so that a
	// problem without scores cannot be judged by it.
	Alone bool
}

// AwardKind says what the Value of an Award means.
type AwardKind string

const (
	NoAward    AwardKind = ""           // the checker gives nothing but its verdict
	Points     AwardKind = "points"     // the score itself (score.txt)
	Multiplier AwardKind = "multiplier" // the share of the case's most, in [0, 1] (score_multiplier.txt)
)
