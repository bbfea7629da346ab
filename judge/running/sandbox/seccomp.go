//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// refusedCalls lists the calls that the system call filter refuses, with the reasons.
var refusedCalls = []struct {
	errno unix.Errno
	why   string
	calls []uintptr
}{
	{unix.EPERM, "only the zygote may change mounts and the root", []uintptr{
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
		unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR,
		unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_FANOTIFY_MARK,
		unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT,
	}},
	{unix.ENOSYS, "it would reveal where mounts lie on the host's disks; programs that probe for it have a fallback", []uintptr{
		unix.SYS_STATMOUNT, unix.SYS_LISTMOUNT,
	}},
	{unix.EPERM, "new namespaces make most of the kernel reachable", []uintptr{
		unix.SYS_UNSHARE, unix.SYS_SETNS,
	}},
	{unix.EPERM, "it reaches other processes", []uintptr{
		unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_KCMP, unix.SYS_PIDFD_GETFD,
		unix.SYS_PROCESS_MADVISE, unix.SYS_MOVE_PAGES, unix.SYS_MIGRATE_PAGES,
	}},
	{unix.EPERM, "large parts of the kernel with many past vulnerabilities", []uintptr{
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_MEMFD_SECRET,
	}},
	{unix.ENOSYS, "the same; programs that probe for it have a fallback", []uintptr{
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	}},
	{unix.ENOSYS, "its rings count toward a small limit of the whole machine; programs that probe for it have a fallback", []uintptr{
		unix.SYS_IO_SETUP, unix.SYS_IO_DESTROY, unix.SYS_IO_SUBMIT, unix.SYS_IO_CANCEL, unix.SYS_IO_GETEVENTS, unix.SYS_IO_PGETEVENTS,
	}},
	{
		unix.EMFILE, "it reveals what others do with shared files; programs expect that watches may run out",
		[]uintptr{unix.SYS_INOTIFY_INIT1},
	},
	{unix.EPERM, "keys outlive the run", []uintptr{unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL}},
	{unix.ENOSYS, "System V and POSIX queues, semaphores and segments outlive the run", []uintptr{
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SHMDT,
		unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL,
		unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMTIMEDOP, unix.SYS_SEMCTL,
		unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK, unix.SYS_MQ_TIMEDSEND, unix.SYS_MQ_TIMEDRECEIVE, unix.SYS_MQ_NOTIFY, unix.SYS_MQ_GETSETATTR,
	}},
	{unix.EPERM, "it controls the machine", []uintptr{
		unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
		unix.SYS_REBOOT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
		unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SYSLOG, unix.SYS_VHANGUP, unix.SYS_LOOKUP_DCOOKIE,
	}},
	// These calls pretend to succeed, because a run leaves nothing on the disks.
	{
		pretendSuccess, "it makes the whole machine write its disks and cannot be killed meanwhile",
		[]uintptr{unix.SYS_SYNC, unix.SYS_SYNCFS},
	},
	{unix.EAFNOSUPPORT, "there is no network of any family", []uintptr{unix.SYS_SOCKET}},
	{unix.ENOSYS, "its flags lie in memory, which a filter cannot read; C libraries fall back to clone", []uintptr{unix.SYS_CLONE3}},
	{unix.EPERM, "they are obsolete", oldCalls},
}

// scheduling lists the calls that change how a process is scheduled, with the index of the argument that
// names the process. There, zero means the caller.
var scheduling = []struct{ call, who uint32 }{
	{unix.SYS_SCHED_SETAFFINITY, 0}, {unix.SYS_SCHED_SETSCHEDULER, 0}, {unix.SYS_SCHED_SETPARAM, 0}, {unix.SYS_SCHED_SETATTR, 0},
	{unix.SYS_SETPRIORITY, 1}, {unix.SYS_IOPRIO_SET, 1},
}

// hugePages lists the calls that take huge pages from the machine's pool, with the argument and flag that request
// them.
var hugePages = []struct{ call, argument, flag uint32 }{
	{unix.SYS_MMAP, 3, unix.MAP_HUGETLB}, {unix.SYS_MEMFD_CREATE, 1, unix.MFD_HUGETLB},
}

// pretendSuccess is the result of a call that is not executed and pretends to succeed.
const pretendSuccess = unix.Errno(0)

// lockCommands lists the fcntl commands that lock files or report locks of other processes.
var lockCommands = []uint32{
	unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW, unix.F_OFD_GETLK, unix.F_OFD_SETLK, unix.F_OFD_SETLKW,
}

// allocatingIoctls lists the ioctl requests that allocate space in a file without writing. They are defined in
// linux/falloc.h, and preceded fallocate.
var allocatingIoctls = []uint32{0x40305828, 0x4030582a, 0x40305839}

const (
	seccompAllow = 0x7fff0000
	seccompErrno = 0x00050000
	seccompKill  = 0x80000000

	// Offsets in the data of the filter, in bytes.
	dataNumber = 0
	dataArch   = 4
	dataArg0   = 16 // lower half of the first argument

	newNamespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC |
		unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET
)

// filterProgram returns the filter. At installation, the kernel determines which calls are allowed regardless of
// their arguments, and never runs the filter for them. Calls that depend on arguments come first. So the length of
// the filter costs nothing.
//
// The arguments adapt the filter:
//   - rootless: Programs run under the judge's own user and must not slow down the zygote that watches them.
//     Calls that would do so pretend to succeed, because language runtimes make them for their own threads, and mono
//     complains on standard output.
//   - polled: Memory is measured by polling, so memory files that no process maps are refused.
//   - locks: The program may lock files. Without it, a lock fails as on a system that has run out of locks.
//   - pinned: The program must stay on its CPU.
func filterProgram(rootless, polled, locks, pinned bool) ([]bpf.RawInstruction, error) {
	deny := func(e unix.Errno) bpf.Instruction { return bpf.RetConstant{Val: seccompErrno | uint32(e)} }
	prog := []bpf.Instruction{
		// Kill programs of another architecture, such as those that use int 0x80. They use other call numbers, so
		// they would bypass the filter.
		bpf.LoadAbsolute{Off: dataArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: auditArch, SkipTrue: 1},
		bpf.RetConstant{Val: seccompKill},
		bpf.LoadAbsolute{Off: dataNumber, Size: 4},
		// Refuse calls that are newer than this list. Also refuse the calls of x32, whose numbers have bit 30 set.
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: firstUnknown, SkipTrue: 1},
		deny(unix.ENOSYS),
	}
	// Refuse huge pages, because pages from the machine's pool are not charged to any process or group.
	for _, row := range hugePages {
		prog = append(prog,
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: row.call, SkipTrue: 3},
			bpf.LoadAbsolute{Off: dataArg0 + 8*row.argument, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: row.flag, SkipTrue: 1},
			deny(unix.ENOMEM),
			bpf.LoadAbsolute{Off: dataNumber, Size: 4},
		)
	}
	if pinned {
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_SCHED_SETAFFINITY, SkipTrue: 1}, deny(pretendSuccess))
	}
	if rootless {
		for _, row := range scheduling {
			prog = append(prog,
				bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(row.call), SkipTrue: 4},
				bpf.LoadAbsolute{Off: dataArg0 + 8*row.who, Size: 4},
				bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
				deny(pretendSuccess),
				bpf.RetConstant{Val: seccompAllow},
			)
		}
	}
	prog = append(prog, argumentRules(deny)...)
	// Refuse F_NOTIFY. Its notifications about a directory have the same effect as inotify.
	control := []bpf.Instruction{
		bpf.LoadAbsolute{Off: dataArg0 + 8, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.F_NOTIFY, SkipTrue: 1}, deny(unix.EINVAL),
	}
	if polled {
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_MEMFD_CREATE, SkipTrue: 1}, deny(unix.ENOSYS))
	}
	if !locks {
		prog = append(prog, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_FLOCK, SkipTrue: 1}, deny(unix.ENOLCK))
		for _, command := range lockCommands {
			control = append(control, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: command, SkipTrue: 1}, deny(unix.ENOLCK))
		}
	}
	control = append(control, bpf.RetConstant{Val: seccompAllow})
	prog = append(prog, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_FCNTL, SkipTrue: uint8(len(control))})
	prog = append(prog, control...)
	for _, row := range refusedCalls {
		for _, nr := range slices.Sorted(slices.Values(row.calls)) {
			prog = append(prog, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(nr), SkipTrue: 1}, deny(row.errno))
		}
	}
	return bpf.Assemble(append(prog, bpf.RetConstant{Val: seccompAllow}))
}

// argumentRules returns the rules for calls that depend on their arguments, for every user.
func argumentRules(deny func(unix.Errno) bpf.Instruction) []bpf.Instruction {
	prog := []bpf.Instruction{
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE, SkipTrue: 4},
		bpf.LoadAbsolute{Off: dataArg0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: newNamespaces, SkipTrue: 1},
		deny(unix.EPERM),
		bpf.RetConstant{Val: seccompAllow},
		// A pair of connected local sockets reaches no other process.
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_SOCKETPAIR, SkipTrue: 4},
		bpf.LoadAbsolute{Off: dataArg0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.AF_UNIX, SkipTrue: 1},
		deny(unix.EAFNOSUPPORT),
		bpf.RetConstant{Val: seccompAllow},
		// Refuse to allocate disk space without writing, because the watch on a run's writes would not see it.
		// Freeing space is harmless. If allocation fails, C libraries write instead.
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_FALLOCATE, SkipTrue: 4},
		bpf.LoadAbsolute{Off: dataArg0 + 8, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unix.FALLOC_FL_PUNCH_HOLE, SkipTrue: 1},
		deny(unix.EOPNOTSUPP),
		bpf.RetConstant{Val: seccompAllow},
		// A program may set its own limits, but not the zygote's.
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_PRLIMIT64, SkipTrue: 4},
		bpf.LoadAbsolute{Off: dataArg0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
		deny(unix.EPERM),
		bpf.RetConstant{Val: seccompAllow},
	}
	room := []bpf.Instruction{bpf.LoadAbsolute{Off: dataArg0 + 8, Size: 4}}
	for _, request := range allocatingIoctls {
		room = append(room, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: request, SkipTrue: 1}, deny(unix.EOPNOTSUPP))
	}
	room = append(room, bpf.RetConstant{Val: seccompAllow})
	prog = append(prog, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_IOCTL, SkipTrue: uint8(len(room))})
	return append(prog, room...)
}

// installFilter installs the filter for the calling thread and for everything that it starts later.
func installFilter(rootless, polled, locks, pinned bool) error {
	prog, err := filterProgram(rootless, polled, locks, pinned)
	if err != nil {
		return fmt.Errorf("assemble the system call filter: %w", err)
	}
	raw := make([]unix.SockFilter, len(prog))
	for i, p := range prog {
		raw[i] = unix.SockFilter{Code: p.Op, Jt: p.Jt, Jf: p.Jf, K: p.K}
	}
	fprog := &unix.SockFprog{Len: uint16(len(raw)), Filter: &raw[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(fprog))); errno != 0 {
		return fmt.Errorf("install the system call filter: %w", errno)
	}
	return nil
}
