package judge

import (
	"io"
	"time"
)

// Outcome is what a checker says of one output.
type Outcome struct {
	Verdict Verdict // Accepted, WrongAnswer, or JudgeError where the checker itself is at fault
	Message string  // `line 3, token 2: want "7", got "8"`
	Place   *Place  // where the output first went wrong; nil where the checker cannot say
	Award   Award   // what the checker gives beside its verdict
	Team    string  // what the contestant may be told (teammessage.txt)
}

// Place is where an output first differs from the answer.
type Place struct {
	Line      int   `json:"line"`       // of the output, from 1
	Column    int   `json:"column"`     // in bytes, from 1
	AnsOffset int64 `json:"ans_offset"` // byte offset in the answer
	OutOffset int64 `json:"out_offset"` // byte offset in the output
}

// Attempt is one run of a program on one case, before its output is checked.
type Attempt struct {
	Exec   Exec
	Out    *io.SectionReader // what it wrote to standard output
	Stderr []byte            // the end of what it wrote to standard error
	Note   string            // anything about the run that a report must say
	// Settled is the outcome where trying could not be parted from checking: with an
	// interactor, and in a problem of several passes. Nil leaves it to Classify and
	// Check.
	Settled *Outcome
	// Dialogue is what the program and the interactor said to each other; see
	// CaseJudged.
	Dialogue string
	Beside   time.Duration // CPU time of the interactor, for which the program had to wait
	Close    func()        // gives back what Out holds; may be nil
}

func (a *Attempt) release() {
	if a != nil && a.Close != nil {
		a.Close()
	}
}

// Excerpt is a window of a text that may be huge.
type Excerpt struct {
	Text      string `json:"text"`                 // control bytes and invalid UTF-8 are already written as \xNN
	FirstLine int    `json:"first_line"`           // number of the first line shown, from 1
	At        int    `json:"at,omitempty"`         // the byte of Text that the window was cut around; 0 for a head
	Size      int64  `json:"size_bytes"`           // of the whole text
	Before    bool   `json:"cut_before,omitempty"` // there is more before
	After     bool   `json:"cut_after,omitempty"`  // there is more after
}

// Detail is what a report shows of a failed case.
type Detail struct {
	Input Excerpt `json:"input"`
	Want  Excerpt `json:"want"`
	Got   Excerpt `json:"got"`
	Place *Place  `json:"place,omitempty"`
}
