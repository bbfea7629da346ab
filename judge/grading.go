package judge

import "math"

// Grading determines the verdicts and scores of groups and of the submission from those of the cases, if "every
// case must be accepted" is not enough. It supports the two forms of the problem package formats, because neither
// can express the other: see Form.
//
// The computation is in score.go and tally.go.
type Grading struct {
	Form   GradingForm
	Scored bool // submissions get a score; otherwise only a verdict
	// Minimize means that a lower score is better (legacy: objective min).
	Minimize bool
	// Custom means that the score.txt of an output validator is used (legacy: validation "custom score"). In the
	// form of 2025-09, the score.txt is always used.
	Custom bool
	// ScoreRequired means that a validator must write a score.txt if it accepts (legacy: validation "custom score").
	ScoreRequired bool
	Root          *Node // has an empty name; the children are the samples and the secret data
}

// GradingForm is a form of grading.
type GradingForm string

const (
	// Format2025 is the form of test_group.yaml in the format 2025-09, and of problem.toml. It uses Aggregate,
	// MaxScore, Unbounded, Static and RequirePass of a Node. Root is only the parent of the samples, which have no
	// score, and of the secret data, whose score is that of the submission.
	Format2025 GradingForm = "2025-09"
	// FormatLegacy is the form of testdata.yaml in the legacy format. It uses Aggregate and Legacy of a Node,
	// including those of the root.
	FormatLegacy GradingForm = "legacy"
)

// Node is a node in the tree of groups. Its direct cases, which are the cases of the Group with the same name,
// come before its children.
//
// Keys that a format inherits (accept_score, on_reject, ...) are set explicitly in each node.
type Node struct {
	Name     string // name of the Group with its direct cases, such as "secret/group1", if any
	Children []*Node

	Aggregate Aggregate

	MaxScore    float64      // maximum score, without samples
	Unbounded   bool         // MaxScore does not apply, so every accepted case must set its score
	Static      *StaticCheck // nil if there is no static check
	RequirePass []string     // earlier nodes; this node is skipped unless all their cases are accepted

	Legacy Legacy
}

// Aggregate determines how the scores of cases or groups are combined.
type Aggregate string

const (
	AggregatePassFail Aggregate = "pass-fail" // 2025-09 only: MaxScore if every case is accepted, otherwise 0
	AggregateSum      Aggregate = "sum"       // sum of all scores
	AggregateMin      Aggregate = "min"       // lowest score
	AggregateMax      Aggregate = "max"       // highest score; legacy only
	AggregateAverage  Aggregate = "avg"       // mean of the scores; legacy only
)

// StaticCheck is a case in which the static validator judges the submission's own files instead of its output. It
// is judged before the node's other cases.
type StaticCheck struct {
	PassFail bool    // the result is only accepted or rejected
	Score    float64 // maximum score; unused if AggregatePassFail is set
	Args     []string
}

// Legacy contains the settings for grading a node in the legacy format.
type Legacy struct {
	Verdict          VerdictMode
	ContinueOnReject bool // on_reject: continue; otherwise, the first rejected child ends the node
	IgnoreSample     bool // the child "sample" does not count; only for the root
	AnyAccepted      bool // accept_if_any_accepted: one accepted child is enough
	AcceptScore      float64
	RejectScore      float64
	Low, High        float64        // range of the score; -Inf and +Inf if unlimited
	Grader           *SetterProgram // the setter's grader; nil means the default grader
	GraderArgs       []string       // for Grader
}

// VerdictMode determines how a legacy node gets its verdict from its children.
type VerdictMode string

const (
	WorstError   VerdictMode = "worst_error"   // first of JE IF RTE MLE TLE OLE WA that occurs
	FirstError   VerdictMode = "first_error"   // verdict of the first child that is not accepted
	AlwaysAccept VerdictMode = "always_accept" // AC, regardless of the children
)

// DefaultLegacy returns the default settings of a legacy node, as if testdata.yaml set none.
func DefaultLegacy() Legacy {
	return Legacy{Verdict: WorstError, AcceptScore: 1, Low: math.Inf(-1), High: math.Inf(1)}
}

// Score is a number of points. It is independent of the verdict.
type Score struct {
	Points float64 `json:"points"`
	Of     float64 `json:"of,omitempty"` // maximum number of points; zero if unknown
}

// Award is what a checker awards to an output in addition to its verdict.
type Award struct {
	By    AwardKind
	Value float64
	// Alone means that the checker awards points without a verdict, so that it cannot be used for a problem
	// without scores.
	Alone bool
}

// AwardKind determines the meaning of an Award's Value.
type AwardKind string

const (
	NoAward         AwardKind = ""           // the checker gives only its verdict
	AwardPoints     AwardKind = "points"     // the score (score.txt)
	AwardMultiplier AwardKind = "multiplier" // share of the case's maximum, in [0, 1] (score_multiplier.txt)
)
