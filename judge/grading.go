package judge

import "math"

// Grading determines how the verdicts and scores of cases become those of groups and of the submission, if
// "every case must be accepted" is not enough. It supports the two forms of the problem package formats,
// because neither of them can express the other: see Form.
//
// The computation is in score.go and tally.go.
type Grading struct {
	Form   Form
	Scored bool // submissions get a score; otherwise only verdicts count
	// Minimize means that a lower score is better (legacy: objective min).
	Minimize bool
	// Custom means that the score.txt of an output validator counts (legacy: validation "custom score"). In
	// the form of 2025-09 it always does.
	Custom bool
	// Must means that a validator that accepts has to write a score.txt (legacy: validation "custom score").
	Must bool
	Root *Node // its name is empty; its children are the samples and the secret data
}

// Form is a form of grading.
type Form string

const (
	// Format2025 is the form of test_group.yaml in the format 2025-09, and of problem.toml. It uses
	// Aggregate, MaxScore, Unbounded, Static and RequirePass of a Node. Root is only the parent of the
	// samples, which give no score, and of the secret data, whose score is the submission's.
	Format2025 Form = "2025-09"
	// FormatLegacy is the form of testdata.yaml in the legacy format. It uses Aggregate and Legacy of a Node,
	// including the root.
	FormatLegacy Form = "legacy"
)

// Node is a group in the tree of groups. Its direct cases, those of the Group with the same name, come before
// its children.
//
// Keys that a format inherits (accept_score, on_reject, ...) are set here for each node.
type Node struct {
	Name     string // name of the Group with its direct cases, such as "secret/group1", if there is one
	Children []*Node

	Aggregate Aggregate

	MaxScore    float64      // maximum score; scores of samples are not included
	Unbounded   bool         // there is no MaxScore, so every accepted case must set its score
	Static      *StaticCheck // nil if there is none
	RequirePass []string     // names of earlier nodes; unless all their cases are accepted, this node is skipped

	Legacy Legacy
}

// Aggregate says how the scores of cases or groups are combined.
type Aggregate string

const (
	PassFail Aggregate = "pass-fail" // 2025-09 only: MaxScore if every case is accepted, otherwise 0
	Sum      Aggregate = "sum"       // sum of all scores
	Min      Aggregate = "min"       // the lowest score
	Max      Aggregate = "max"       // the highest score; legacy only
	Average  Aggregate = "avg"       // the mean of the scores; legacy only
)

// StaticCheck is a case that the static validator judges by the submission's own files, not by its output. It
// is judged before the node's other cases.
type StaticCheck struct {
	PassFail bool    // it only accepts or rejects
	Score    float64 // its maximum score; unused if PassFail is set
	Args     []string
}

// Legacy is the legacy format's way to grade a node.
type Legacy struct {
	Verdict      VerdictMode
	GoOn         bool // on_reject: continue; otherwise the first child that is not accepted ends the node
	IgnoreSample bool // the child "sample" does not count; for the root only
	AnyAccepted  bool // accept_if_any_accepted: one accepted child is enough
	AcceptScore  float64
	RejectScore  float64
	Low, High    float64  // range; -Inf and +Inf if it is open
	Grader       *Part    // a grader of the setter; nil for the default one
	GraderArgs   []string // for Grader
}

// VerdictMode says how a legacy node gets its verdict from its children's verdicts.
type VerdictMode string

const (
	WorstError   VerdictMode = "worst_error"   // JE IF RTE MLE TLE OLE WA in order of precedence
	FirstError   VerdictMode = "first_error"   // the verdict of the first child that is not accepted
	AlwaysAccept VerdictMode = "always_accept" // AC, whatever the children got
)

// UsualLegacy returns a legacy node without settings in testdata.yaml.
func UsualLegacy() Legacy {
	return Legacy{Verdict: WorstError, AcceptScore: 1, Low: math.Inf(-1), High: math.Inf(1)}
}

// Score is a number of points. It is never a verdict.
type Score struct {
	Points float64 `json:"points"`
	Of     float64 `json:"of,omitempty"` // the maximum; zero if unknown
}

// Award is what a checker gives an output in addition to its verdict.
type Award struct {
	By    AwardKind
	Value float64
	// Alone means that the checker gives points without a verdict, so that it cannot judge a problem without
	// scores.
	Alone bool
}

// AwardKind says what the Value of an Award means.
type AwardKind string

const (
	NoAward    AwardKind = ""           // the checker gives only its verdict
	Points     AwardKind = "points"     // the score itself (score.txt)
	Multiplier AwardKind = "multiplier" // the share of the case's maximum, in [0, 1] (score_multiplier.txt)
)
