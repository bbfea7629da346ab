package report

import (
	"fmt"
	"io"

	"assay/judge"
)

// JSON returns the report that saves the events, one per line, for Replay and other programs. It omits progress
// events, which are only for live displays.
func JSON(w io.Writer) Report { return &jsonLines{w: w} }

type jsonLines struct {
	w   io.Writer
	err error
}

func (j *jsonLines) Event(e judge.Event) {
	switch e.(type) {
	case *judge.Progressed, *judge.TournamentProgressed:
		return
	}
	if j.err != nil {
		return
	}
	line, err := judge.EncodeEvent(e)
	if err == nil {
		_, err = j.w.Write(append(line, '\n'))
	}
	if err != nil {
		j.err = fmt.Errorf("write the report: %w", err)
	}
}

func (j *jsonLines) Close() error { return j.err }
