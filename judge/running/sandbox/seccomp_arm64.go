//go:build linux

package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	firstUnknown = unix.SYS_MSEAL + 1
)

// oldCalls lists the refused calls that only this architecture still has.
var oldCalls = []uintptr{unix.SYS_NFSSERVCTL}

// Calls in which a thread waits, and which only this architecture still has. There are none.
var oldEpolls, oldPolls, oldSleeps []int64
