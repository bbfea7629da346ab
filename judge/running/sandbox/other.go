//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"errors"
	"time"

	"assay/judge"
)

func open(r Level, o Options) (backend, Report, error) {
	if r != None {
		return nil, Report{}, errors.New("isolation needs Linux on amd64 or arm64")
	}
	return newPlain(o), plainReport(o), nil
}

// CheckHidden returns nil, because nothing is isolated here.
func CheckHidden(string, []string) error { return nil }

// explainUnseen returns err, because programs see everything that the judge sees.
func (*Sandbox) explainUnseen(_ *judge.Command, err error) error { return err }

// moment returns the time on the clock of job.end.
func moment() int64 { return time.Now().UnixNano() }
