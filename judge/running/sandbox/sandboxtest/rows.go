//go:build linux

package sandboxtest

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"assay/judge"
)

// row is a hostile program with its expected result.
type row struct {
	name            string
	needs           Ability
	argv            []string
	limits          func(*judge.Limits)
	locks           bool // whether it may lock files
	killed          judge.Resource
	signal          string
	signalIfMissing string // signal if the kernel lacks the feature that is tried; empty if none
	exit            int
	check           func(*testing.T, judge.Limits, result)
}

func cpu(d time.Duration) func(*judge.Limits)  { return func(l *judge.Limits) { l.CPU = d } }
func wall(d time.Duration) func(*judge.Limits) { return func(l *judge.Limits) { l.Wall = d } }
func memory(mib int64) func(*judge.Limits) {
	return func(l *judge.Limits) { l.Memory = mib << 20 }
}

// lowMemory returns a function that sets the memory limit to mib MiB. It also sets a wall time limit of one minute,
// because the program would run forever.
func lowMemory(mib int64) func(*judge.Limits) {
	return func(l *judge.Limits) { l.Memory, l.Wall = mib<<20, time.Minute }
}

// overshoot logs by how much the CPU time exceeded its limit. A large excess is not a failure, because the machine
// may be busy. The benchmark measures the excess.
func overshoot(t *testing.T, l judge.Limits, got result) {
	if got.CPU <= l.CPU {
		t.Errorf("killed for its CPU time after %v of %v", got.CPU, l.CPU)
	}
	t.Logf("killed %v past its limit", got.CPU-l.CPU)
}

// refusedCall returns a row for a hostile program with a single attempt, which must fail.
func refusedCall(name, mode string) row {
	return row{name: "it refuses " + name, needs: Isolates, argv: []string{hostileName, mode}}
}

// rows lists the hostile programs. Exit code 0 means that the program's attempt was refused, or did no harm. Exit
// code exitBreach means that the attempt succeeded.
var rows = []row{
	{
		name: "it kills a loop for its CPU time", argv: []string{"spin"}, limits: cpu(100 * time.Millisecond),
		killed: judge.CPUTime, check: overshoot,
	},
	{name: "it kills a sleeper for its wall time", argv: []string{
		hostileName, "sleep", "1h",
	}, limits: wall(200 * time.Millisecond), killed: judge.WallTime},
	{name: "it kills for the CPU time of all threads", needs: CountsCPU, argv: []string{
		hostileName, "spin-in-threads", "4",
	}, limits: cpu(200 * time.Millisecond), killed: judge.CPUTime, check: overshoot},
	{name: "it kills for the CPU time of children", needs: CountsCPU, argv: []string{
		hostileName, "spin-in-children", "3",
	}, limits: cpu(300 * time.Millisecond), killed: judge.CPUTime, check: overshoot},
	{name: "it kills for memory that is touched", argv: []string{"array-touched"}, limits: memory(64), killed: judge.Memory},
	{name: "it lets no crash start the host's program for cores", needs: Isolates, argv: []string{hostileName, "core-limit", maxCore()}},
	{name: "it lets memory be reserved", needs: CountsMemory, argv: []string{hostileName, "reserve", "8192"}, limits: memory(64)},
	{name: "it lets a static array of 800 MB be untouched", needs: CountsMemory, argv: []string{"array"}, limits: memory(64)},
	{
		name: "it lets the stack take the memory, and then kills for memory", needs: CountsMemory,
		argv: []string{"recurse"}, limits: memory(64), killed: judge.Memory,
	},
	{name: "it kills for memory in a child, though the parent exits with 0", needs: CountsMemory, argv: []string{
		hostileName, "touch-in-child", "200",
	}, limits: memory(64), killed: judge.Memory},
	{name: "it counts shared memory", needs: CountsMemory, argv: []string{
		hostileName, "fill", "/dev/shm", "200",
	}, limits: memory(64), killed: judge.Memory},
	{name: "it counts memory that processes could share", needs: Isolates, argv: []string{
		hostileName, "share", "200",
	}, limits: lowMemory(64), killed: judge.Memory},
	{name: "it counts memory that ended processes have filled", needs: Isolates, argv: []string{
		hostileName, "share-with-dead", "200",
	}, limits: lowMemory(64), killed: judge.Memory},
	{name: "it lets memory be shared", needs: Isolates, argv: []string{hostileName, "share-and-go", "40"}, limits: lowMemory(64)},
	{name: "it counts files in memory, or gives none", needs: Isolates, argv: []string{
		hostileName, "memory-file", "200",
	}, limits: lowMemory(64), killed: judge.Memory},
	{
		name: "it holds a fork bomb", needs: LimitsForks, argv: []string{"forkbomb"},
		limits: cpu(300 * time.Millisecond), killed: judge.CPUTime,
	},
	{name: "it kills a flood of output", argv: []string{hostileName, "flood"},
		limits: func(l *judge.Limits) { l.Output = 1 << 20 }, killed: judge.Output,
		check: func(t *testing.T, l judge.Limits, got result) {
			if got.Output <= l.Output || int64(len(got.out)) != l.Output+1 {
				t.Errorf("counted %d and passed on %d bytes, limit %d", got.Output, len(got.out), l.Output)
			}
		}},
	{name: "it takes 100,000 tiny writes", argv: []string{hostileName, "tiny-writes", "100000"}, check: func(
		t *testing.T, _ judge.Limits, got result,
	) {
		if got.Output != 100_000 || len(got.out) != 100_000 {
			t.Errorf("counted %d and passed on %d bytes, want 100000", got.Output, len(got.out))
		}
	}},
	{name: "it watches on after standard output is closed", argv: []string{
		hostileName, "close-and-spin",
	}, limits: cpu(100 * time.Millisecond), killed: judge.CPUTime},
	{name: "it ends what a double fork left behind", needs: Isolates, argv: []string{hostileName, "double-fork"}},
	{name: "it ends what left its session and ignores signals", needs: Isolates, argv: []string{hostileName, "deaf-daemons"}},
	{name: "it kills what has stopped itself", argv: []string{"stop"}, limits: wall(300 * time.Millisecond), killed: judge.WallTime},
	{name: "it keeps the limits of the first process", needs: Isolates, argv: []string{hostileName, "prlimit-init"}},
	{name: "it keeps the first process alive", needs: Isolates, argv: []string{hostileName, "kill-init"}},
	{name: "it refuses the 32-bit calls", needs: Isolates, argv: []string{"int80"}, signal: "SIGSYS", signalIfMissing: "SIGSEGV"},
	{name: "it refuses the x32 calls", needs: Isolates, argv: []string{"x32"}},
	refusedCall("new namespaces", "namespaces"),
	refusedCall("to enter namespaces", "setns"),
	refusedCall("sockets of every family", "sockets"),
	refusedCall("io_uring", "io-uring"),
	refusedCall("asynchronous input and output, which the machine has little of", "aio"),
	refusedCall("huge pages, which nothing counts", "huge-pages"),
	refusedCall("more timers than one program needs", "timers"),
	refusedCall("to watch what others do with files", "inotify"),
	refusedCall("locks on files, by which programs could tell each other something", "locks"),
	{name: "it lets builds lock files", needs: Isolates, argv: []string{hostileName, "lock"}, locks: true},
	{name: "it lets threads set how they are scheduled, or says that they did", argv: []string{hostileName, "schedule"}},
	refusedCall("to have the whole machine write its disks", "sync"),
	refusedCall("keys", "keys"),
	refusedCall("System V shared memory, queues and semaphores", "system-v"),
	refusedCall("POSIX message queues", "message-queue"),
	refusedCall("ptrace, and the memory of others", "ptrace"),
	refusedCall("bpf, perf events and userfaultfd", "kernel-tools"),
	refusedCall("mounts and other roots", "mounts"),
	refusedCall("devices", "devices"),
	refusedCall("kexec, modules, clocks and reboots", "machine"),
	refusedCall("rights: no capability, no new privileges, no way back to user 0", "rights"),
	refusedCall("to see the host's files", "host-files"),
	{name: "it hides where the program's directory lies on the host", needs: Isolates, argv: []string{hostileName, "traces", "$PROGRAMS"}},
	{name: "it refuses to see the answers", needs: Isolates, argv: []string{hostileName, "read", "$SECRET"}},
	{name: "it refuses to write to the system and to its own directory", needs: Isolates, argv: []string{hostileName, "write-system"}},
	{name: "it bounds the scratch directory", needs: Isolates, argv: []string{
		hostileName, "fill-to-the-brim", "8",
	}, limits: func(l *judge.Limits) { l.Scratch = 8 << 20 }},
	{name: "it bounds the number of files", needs: Isolates, argv: []string{hostileName, "many-files"}},
	{name: "it removes links, pipes and hidden files", needs: Isolates, argv: []string{hostileName, "leave-things"}},
	{name: "it removes a deep tree without access rights", needs: Isolates, argv: []string{hostileName, "leave-tree"}},
	{name: "it removes time stamps", needs: Isolates, argv: []string{hostileName, "leave-times"}},
	{name: "it bounds the open files", argv: []string{
		hostileName, "open-files", "50",
	}, limits: func(l *judge.Limits) { l.Files = 50 }, needs: Isolates},
	{name: "it ends though the output is in flight to nowhere", needs: Isolates, argv: []string{hostileName, "send-stdout"}},
	{name: "it tells a crash", argv: []string{"crash"}, signal: "SIGSEGV"},
}

type onlyReader struct{ io.Reader }

// stuckReader blocks until its context is done.
type stuckReader struct{ ctx context.Context }

func (r stuckReader) Read([]byte) (int, error) {
	<-r.ctx.Done()
	return 0, io.EOF
}

var errFullDisk = errors.New("no space left")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFullDisk }

// callOnWrite is a writer that calls itself.
type callOnWrite func()

func (f callOnWrite) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}
