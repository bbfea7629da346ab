package judge

import "strings"

// GolfVerdict is the verdict of a golf submission.
type GolfVerdict string

// The verdicts of golf submissions.
const (
	GolfCorrect   GolfVerdict = "RIGHT"
	GolfIncorrect GolfVerdict = "WRONG"
	GolfTooSlow   GolfVerdict = "SLOW"       // no errors, but some input took too long
	GolfCannotRun GolfVerdict = "CANNOT RUN" // no interpreter, or it does not compile
)

// GolfSize is the length of a golf submission.
type GolfSize struct {
	Bytes    int      `json:"bytes"`
	Chars    int      `json:"chars"`
	Encoding string   `json:"encoding,omitempty"` // set if it is not UTF-8
	Adjusted []string `json:"adjusted,omitempty"` // parts of the file that were not counted
}

// GolfChecked is the result of checking a golf submission.
type GolfChecked struct {
	Format   int      `json:"format"`
	Problem  string   `json:"problem"`
	File     string   `json:"file"`
	Language string   `json:"language"`
	Flags    []string `json:"flags,omitempty"`
	GolfSize
	Claim int `json:"claimed_bytes,omitempty"`

	Verdict        GolfVerdict `json:"verdict"`
	How            string      `json:"how,omitempty"`    // for example "function f(i,j)" or "program, input 'i j'"
	Log            string      `json:"log,omitempty"`    // why it cannot run
	OtherLanguages []string    `json:"nor_as,omitempty"` // ids of other languages in which it cannot run

	Domain       int  `json:"domain_inputs"`
	Tried        int  `json:"tried_inputs"`
	Picked       bool `json:"picked,omitempty"`
	Quick        bool `json:"quick,omitempty"`
	Samples      int  `json:"samples"`
	BadCases     int  `json:"wrong_samples"`
	Shuffles     int  `json:"shuffles,omitempty"`
	FreshCalls   int  `json:"fresh_calls,omitempty"`
	CrossChecked int  `json:"server_agreed_on,omitempty"` // number of inputs that were also run in separate processes

	Wrong     []GolfWrongInput `json:"wrong,omitempty"` // smallest first
	WrongMany int              `json:"wrong_inputs"`
	Slow      []string         `json:"slow,omitempty"`
	Stateful  bool             `json:"depends_on_earlier_calls,omitempty"`
	Shown     []GolfOutput     `json:"shown,omitempty"` // outputs for the inputs selected with Cases
	Says      []string         `json:"says,omitempty"`
	Notes     []string         `json:"notes,omitempty"`

	TimeMS  int64             `json:"time_limit_ms"`
	Seed    uint64            `json:"seed"`
	WallMS  float64           `json:"wall_ms"` // wall time of the whole check
	Explain []GolfCallAttempt `json:"explain,omitempty"`
	Code    string            `json:"code,omitempty"`
}

// GolfWrongInput is an input with a wrong output.
type GolfWrongInput struct {
	In   string `json:"in"`
	Gave string `json:"gave"`
	Why  string `json:"why"`
}

// GolfOutput is the output for one input.
type GolfOutput struct {
	In   string `json:"in"`
	Gave string `json:"gave"`
	Fate string `json:"fate,omitempty"`
}

// GolfCallAttempt is one way of calling the code, with its result on the samples.
type GolfCallAttempt struct {
	How     string   `json:"how"`
	Correct int      `json:"right"` // samples
	Gave    []string `json:"gave,omitempty"`
	Reason  string   `json:"reason,omitempty"` // why it could not be run
	Driver  string   `json:"driver,omitempty"`
}

// LanguageWithFlags returns the language's name with the flags that were used.
func (e *GolfChecked) LanguageWithFlags() string {
	if len(e.Flags) == 0 {
		return e.Language
	}
	return e.Language + " + " + strings.Join(e.Flags, " ")
}

func (*GolfChecked) kind() string { return "golf-proved" }
