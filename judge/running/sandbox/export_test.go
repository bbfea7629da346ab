//go:build linux && (amd64 || arm64)

package sandbox

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// BareSpawn does only what every sandbox must do: vfork, execve, wait.
func BareSpawn(path string) error {
	argv := [2]*byte{unsafe.StringData(path + "\x00")}
	env := [1]*byte{}
	script := [1]call{{unix.SYS_EXECVE, uintptr(unsafe.Pointer(argv[0])), uintptr(unsafe.Pointer(&argv)), uintptr(unsafe.Pointer(&env))}}
	var failure spawnFailure
	var pidfd int32
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	pid := vforkScript(&script[0], 1, unix.CLONE_VM|unix.CLONE_VFORK|uintptr(unix.SIGCHLD), &pidfd, &failure)
	runtime.KeepAlive(&argv)
	if int(pid) < 0 {
		return unix.Errno(-pid)
	}
	_, err := unix.Wait4(int(pid), nil, 0, nil)
	if failure.left != 0 {
		return unix.Errno(-failure.result)
	}
	return err
}
