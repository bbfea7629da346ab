//go:build linux && (amd64 || arm64)

package sandbox

import "golang.org/x/sys/unix"

// A call is one system call: its number and its arguments.
type call [7]uintptr

// spawnFailure identifies the call of a script that failed.
type spawnFailure struct {
	result uintptr // return value of the failed call, which is minus errno; zero if none failed
	left   uintptr // number of calls that were not completed, including the failed one
}

// vforkScript clones this thread and lets the child run the script, whose last
// call is an execve. With CLONE_VFORK in flags the parent waits until the child has
// executed its program or has failed; without, they go on side by side, and the
// script with all that it points to must stay unchanged until the child has ended.
//
// The child shares the parent's memory and must not run Go code: that is why it
// runs a script of bare system calls, in assembly. It ends at the first call
// that fails, with what failed in *failure.
//
// It returns the child's process id, or minus errno if clone itself failed, and
// stores a descriptor of the child in *pidfd.
//
//go:noescape
func vforkScript(script *call, calls uintptr, flags uintptr, pidfd *int32, failure *spawnFailure) (pid uintptr)

const spawnFlags = unix.CLONE_VM | unix.CLONE_PIDFD | uintptr(unix.SIGCHLD)
