//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// TestScheduling checks that a rootless program cannot change how other processes are scheduled, but that such
// calls pretend to succeed.
func TestScheduling(t *testing.T) {
	answer := func(rootless bool, call, first, second uint32) uint32 {
		raw, err := filterProgram(rootless, false, false, false)
		if err != nil {
			t.Fatal(err)
		}
		prog, _ := bpf.Disassemble(raw)
		vm, err := bpf.NewVM(prog)
		if err != nil {
			t.Fatal(err)
		}
		data := make([]byte, 64) // a call in the kernel's format; this virtual machine reads big-endian numbers
		for at, v := range map[int]uint32{dataNumber: call, dataArch: auditArch, dataArg0: first, dataArg0 + 8: second} {
			binary.BigEndian.PutUint32(data[at:], v)
		}
		got, err := vm.Run(data)
		if err != nil {
			t.Fatal(err)
		}
		return uint32(got)
	}
	const other = 77
	for _, row := range []struct {
		it       string
		rootless bool
		call     uint32
		args     [2]uint32
		want     uint32
	}{
		{"does nothing to another thread", true, unix.SYS_SCHED_SETSCHEDULER, [2]uint32{other, 0}, seccompErrno},
		{"lets the caller's own be set", true, unix.SYS_SCHED_SETSCHEDULER, [2]uint32{0, 3}, seccompAllow},
		{"does nothing to another's priority", true, unix.SYS_SETPRIORITY, [2]uint32{unix.PRIO_PROCESS, other}, seccompErrno},
		{"lets the caller's own priority be set", true, unix.SYS_SETPRIORITY, [2]uint32{unix.PRIO_PROCESS, 0}, seccompAllow},
		{"has the kernel decide for users of their own", false, unix.SYS_SCHED_SETSCHEDULER, [2]uint32{other, 0}, seccompAllow},
	} {
		if got := answer(row.rootless, row.call, row.args[0], row.args[1]); got != row.want {
			t.Errorf("it %s: %#x, want %#x", row.it, got, row.want)
		}
	}
}
