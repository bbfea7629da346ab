//go:build linux

package sandbox

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_X86_64
	firstUnknown = unix.SYS_MSEAL + 1
)

// oldCalls lists the refused calls that only this architecture still has.
var oldCalls = []uintptr{
	unix.SYS_USELIB, unix.SYS_USTAT, unix.SYS_SYSFS, unix.SYS__SYSCTL, unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT,
	unix.SYS_CREATE_MODULE, unix.SYS_GET_KERNEL_SYMS, unix.SYS_QUERY_MODULE, unix.SYS_NFSSERVCTL, unix.SYS_INOTIFY_INIT,
}

// Calls in which a thread waits, and which only this architecture still has.
var (
	oldEpolls = []int64{unix.SYS_EPOLL_WAIT}
	oldPolls  = []int64{unix.SYS_POLL, unix.SYS_SELECT}
	oldSleeps = []int64{unix.SYS_PAUSE}
)
