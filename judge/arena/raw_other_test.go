//go:build !linux

package arena_test

import "errors"

func rawRead([]byte) int { return 0 }

func rawWrite([]byte) {}

func limitDisk(uint64) error { return errors.New("not on this system") }
