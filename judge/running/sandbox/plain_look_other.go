//go:build !linux

package sandbox

import "time"

// cpuOf returns zero: here, CPU time is only checked after the run.
func cpuOf(int) time.Duration { return 0 }

// memoryOf returns zero: here, memory is only checked after the run.
func memoryOf(int) int64 { return 0 }

// ownMaxRSS returns zero: no other system is known to count the judge's memory to its children.
func ownMaxRSS() int64 { return 0 }

func delayOf(int) time.Duration { return 0 }

// hasEnded returns false: here, the end of a process is only known to the caller that waits for it.
func hasEnded(int) bool { return false }
