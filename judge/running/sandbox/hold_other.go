//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"errors"
	"os"
	"time"
)

func (*place) clock() *os.File                { return nil }
func (*place) cpu() (_ time.Duration, _ bool) { return 0, false }
func (*place) threads() []string              { return nil }
func (*place) pin(int) error                  { return errors.New("processes cannot be pinned on this system") }
func (*place) done() Threads                  { return nil }
