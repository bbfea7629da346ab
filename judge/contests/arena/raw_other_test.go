//go:build !linux

package arena_test

import (
	"errors"
	"time"
)

func rawRead([]byte) int { return 0 }

func rawWrite([]byte) {}

func processors() string { return "" }

func cpuTime() time.Duration { return 0 }

func limitDisk(uint64) error { return errors.New("not on this system") }
