//go:build !linux

package sandbox

import "time"

// cpuOf cannot be told here; CPU time is looked at after the run.
func cpuOf(int) time.Duration { return 0 }

// memoryOf cannot be told here either.
func memoryOf(int) int64 { return 0 }

// ownMaxRSS is 0, as nothing is known of systems that count the judge's memory to
// what it starts.
func ownMaxRSS() int64 { return 0 }

func delayOf(int) time.Duration { return 0 }

// hasEnded cannot be told here before somebody has waited for the process.
func hasEnded(int) bool { return false }
