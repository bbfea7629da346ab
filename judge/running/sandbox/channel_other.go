//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"errors"
	"os"
)

// NewChannel returns an error, because channels require Linux.
func NewChannel() (*Channel, error) {
	return nil, errors.New("files cannot be given to processes on this system")
}

// Send returns an error, because channels require Linux.
func (c *Channel) Send([]byte, ...*os.File) error { return os.ErrInvalid }
