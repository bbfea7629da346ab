package judge

import (
	"io"
	"time"
)

// Outcome is a checker's result for one output.
type Outcome struct {
	Verdict Verdict   // Accepted, WrongAnswer, or JudgeError if the checker itself is at fault
	Message string    // `line 3, token 2: want "7", got "8"`
	Place   *Position // where the output first differs; nil if unknown
	Award   Award     // points or multiplier, in addition to the verdict
	Team    string    // message for the contestant (teammessage.txt)
}

// Position is the position at which an output first differs from the answer.
type Position struct {
	Line      int   `json:"line"`       // of the output, from 1
	Column    int   `json:"column"`     // in bytes, from 1
	AnsOffset int64 `json:"ans_offset"` // byte offset in the answer
	OutOffset int64 `json:"out_offset"` // byte offset in the output
}

// Attempt is one run of a program on one case, before its output is checked.
type Attempt struct {
	Exec   Exec
	Out    *io.SectionReader // standard output of the program
	Stderr []byte            // the end of standard error
	Note   string            // a remark about the run for the report
	// Outcome is the outcome if the run already includes the check, as with an interactor or in a multi-pass
	// problem. If nil, Classify and Check determine the outcome.
	Outcome *Outcome
	// Dialogue is the dialogue of the program and the interactor; see CaseJudged.
	Dialogue      string
	InteractorCPU time.Duration // CPU time of the interactor while the program waited for it
	Close         func()        // releases Out; may be nil
}

func (a *Attempt) release() {
	if a != nil && a.Close != nil {
		a.Close()
	}
}

// Excerpt is a part of a text that may be huge.
type Excerpt struct {
	Text      string `json:"text"`                 // control bytes and invalid UTF-8 are written as \xNN
	FirstLine int    `json:"first_line"`           // number of the first line in Text, from 1
	At        int    `json:"at,omitempty"`         // the byte of Text around which the window was cut; zero for its beginning
	Size      int64  `json:"size_bytes"`           // size of the whole text
	Before    bool   `json:"cut_before,omitempty"` // whether text before the window was cut
	After     bool   `json:"cut_after,omitempty"`  // whether text after the window was cut
}

// Detail is what a report shows about a failed case.
type Detail struct {
	Input Excerpt   `json:"input"`
	Want  Excerpt   `json:"want"`
	Got   Excerpt   `json:"got"`
	Place *Position `json:"place,omitempty"`
}
