//go:build linux

package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	firstUnknown = unix.SYS_MSEAL + 1
)

// oldCalls are those that only this architecture still has.
var oldCalls = []uintptr{unix.SYS_NFSSERVCTL}

// Calls that wait which only this architecture still has: none.
var oldEpolls, oldPolls, oldSleeps []int64
