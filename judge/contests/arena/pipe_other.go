//go:build !linux

package arena

import (
	"os"
	"time"
)

func pipe() (r, w *os.File, err error) { return os.Pipe() }

func setNonblocking(w *os.File) error {
	return w.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
}
