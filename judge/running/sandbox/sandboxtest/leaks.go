//go:build linux

package sandboxtest

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// leaks checks that a run leaves no traces for the next run in the same worker. One program prints all state of
// its process. Another program then changes as much of its own state as it can. When the first program runs again,
// it must print the same state as before.
func (su *suite) leaks(t *testing.T) {
	ids := unix.Access("/proc/sys/kernel/ns_last_pid", unix.W_OK) == nil // containers may not allow it
	look := func() string {
		c := su.command(generousLimits, hostileName, "state", strconv.FormatBool(ids && su.can&Isolates != 0))
		c.Env = append(c.Env, "GODEBUG=asyncpreemptoff=1") // otherwise Go's own signals may be pending
		got := su.run(t, c)
		if got.Exit != 0 {
			t.Fatalf("it cannot look: %+v, %s", got.Exec, got.stderr)
		}
		return got.out
	}
	before := strings.Split(look(), "\n")
	for range 3 {
		marked := su.run(t, su.command(generousLimits, hostileName, "change-state"))
		if !strings.Contains(marked.out, "changed") {
			t.Fatalf("it cannot change anything: %+v, %s", marked.Exec, marked.stderr)
		}
		after := strings.Split(look(), "\n")
		if len(after) != len(before) {
			t.Fatalf("it finds %q, and before %q", after, before)
		}
		for i := range before {
			if after[i] != before[i] {
				t.Errorf("after another run it finds %s, and before %s", after[i], before[i])
			}
		}
	}
}

// inUserNamespace reports whether this process is in a user namespace.
func inUserNamespace() bool {
	table, err := os.ReadFile("/proc/self/uid_map")
	return err == nil && !strings.Contains(string(table), "4294967295")
}

// printState prints all state of this process that it can determine.
func printState(ids bool) {
	if ids {
		fmt.Println("id", os.Getpid())
	}
	text := func(path string) string {
		b, _ := os.ReadFile(path)
		return string(b)
	}
	for r := range 16 {
		var l unix.Rlimit
		must(unix.Getrlimit(r, &l))
		fmt.Println("limit", r, l)
	}
	for line := range strings.Lines(text("/proc/self/status")) {
		for _, key := range []string{
			"Umask", "Uid", "Gid", "Groups", "SigPnd", "ShdPnd", "SigBlk", "SigIgn", "Cap", "NoNewPrivs",
			"Seccomp:", "Cpus_allowed:", "Mems_allowed:",
		} {
			if strings.HasPrefix(line, key) {
				fmt.Print(line)
			}
		}
	}
	for _, name := range []string{"personality", "oom_score_adj", "coredump_filter", "autogroup", "loginuid", "limits", "comm"} {
		fmt.Printf("%s %q\n", name, text("/proc/self/"+name))
	}
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	fmt.Println("nice", nice, err)
	for _, call := range [][3]uintptr{
		{unix.SYS_PRCTL, unix.PR_GET_DUMPABLE}, {unix.SYS_PRCTL, unix.PR_GET_TIMERSLACK}, {unix.SYS_PRCTL, unix.PR_GET_KEEPCAPS},
		{unix.SYS_PRCTL, unix.PR_GET_SECUREBITS}, {unix.SYS_PRCTL, unix.PR_GET_THP_DISABLE}, {unix.SYS_PRCTL, unix.PR_GET_IO_FLUSHER},
		{unix.SYS_SCHED_GETSCHEDULER}, {unix.SYS_IOPRIO_GET, 1}, {unix.SYS_PERSONALITY, 0xffffffff},
	} {
		v, _, errno := unix.Syscall(call[0], call[1], call[2], 0)
		fmt.Println("call", call, v, errno)
	}
	for _, which := range []unix.ItimerWhich{unix.ItimerReal, unix.ItimerVirtual} {
		it, err := unix.Getitimer(which)
		fmt.Println("timer", it, err)
	}
	cwd, _ := os.Getwd()
	host, _ := os.Hostname()
	fmt.Println(cwd, host, os.Environ())
	for _, dir := range []string{"/tmp", "/dev/shm", "/var/tmp", "/dev/mqueue", "/run", "/home"} {
		names, _ := filepath.Glob(dir + "/*")
		hidden, _ := filepath.Glob(dir + "/.*")
		fmt.Println(dir, names, hidden)
	}
	for _, name := range []string{"shm", "sem", "msg"} {
		fmt.Printf("%s %q\n", name, text("/proc/sysvipc/"+name))
	}
	for fd := range 3 {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
		owner, _ := unix.FcntlInt(uintptr(fd), unix.F_GETOWN, 0)
		fmt.Println("file", fd, flags, owner, err)
	}
}

// coreLimit fails unless the core file limit is want. A limit of 0 would prevent core files, but the kernel would
// still run the host's program for core files after a crash.
func coreLimit(want uint64) {
	var l unix.Rlimit
	must(unix.Getrlimit(unix.RLIMIT_CORE, &l))
	if l.Max != want || l.Cur != want {
		must(fmt.Errorf("the limit of cores is %d, at most %d", l.Cur, l.Max))
	}
}

// maxCore returns the core file limit that a sandbox sets: 1, or 0 if this process may not set a higher one.
func maxCore() string {
	var l unix.Rlimit
	must(unix.Getrlimit(unix.RLIMIT_CORE, &l))
	return fmt.Sprint(min(l.Max, 1))
}

// changeState changes as much of the state that the function state prints as it can. It must never run outside a
// sandbox.
func changeState() {
	if os.Getuid() == 0 && !inUserNamespace() {
		must(errors.New("not in a sandbox"))
	}
	try := func(nr uintptr, args ...uintptr) {
		var a [6]uintptr
		copy(a[:], args)
		_, _, _ = unix.Syscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
	}
	for r := range 16 {
		var l unix.Rlimit
		if r != unix.RLIMIT_STACK && r != unix.RLIMIT_AS && r != unix.RLIMIT_FSIZE && r != unix.RLIMIT_DATA &&
			unix.Getrlimit(r, &l) == nil {
			l.Cur = l.Cur/2 + 10
			l.Max = l.Max/2 + 20
			_ = unix.Setrlimit(r, &l)
		}
	}
	unix.Umask(0o077)
	_ = unix.Setpriority(unix.PRIO_PROCESS, 0, 7)
	_ = unix.Setpriority(unix.PRIO_PGRP, 0, 7)
	_ = unix.Setpriority(unix.PRIO_USER, 0, 7)
	try(unix.SYS_IOPRIO_SET, 1, 0, 3<<13|7)
	try(unix.SYS_IOPRIO_SET, 2, 0, 3<<13|7)
	try(unix.SYS_SCHED_SETSCHEDULER, 0, 3, addr(new(int32))) // batch
	var one unix.CPUSet
	one.Set(0)
	_ = unix.SchedSetaffinity(0, &one)
	signal.Ignore(syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGPIPE)
	all := ^uint64(0)
	try(unix.SYS_RT_SIGPROCMASK, 0, addr(&all), 0, 8)
	_, _ = unix.Setitimer(unix.ItimerVirtual, unix.Itimerval{Value: unix.Timeval{Sec: 1000}})
	for _, p := range [][2]uintptr{
		{unix.PR_SET_DUMPABLE, 0}, {unix.PR_SET_TIMERSLACK, 12345}, {unix.PR_SET_THP_DISABLE, 1}, {unix.PR_SET_CHILD_SUBREAPER, 1},
		{unix.PR_SET_NAME, text("marked")}, {unix.PR_SET_PDEATHSIG, 9}, {unix.PR_SET_IO_FLUSHER, 1},
	} {
		try(unix.SYS_PRCTL, p[0], p[1])
	}
	try(unix.SYS_PERSONALITY, 0x0400000)
	for path, mark := range map[string]string{"oom_score_adj": "900", "coredump_filter": "0x7f", "timerslack_ns": "99999", "autogroup": "5"} {
		_ = os.WriteFile("/proc/self/"+path, []byte(mark), 0)
	}
	for _, path := range []string{
		"/tmp/mark", "/tmp/.mark", "/dev/shm/mark", "/var/tmp/mark2", "/dev/mqueue/mark", "/run/mark",
		"/home/mark",
	} {
		_ = os.WriteFile(path, []byte("mark"), 0o600)
	}
	_ = os.Setenv("MARK", "1")
	_ = os.Chdir("/usr")
	try(unix.SYS_SETHOSTNAME, text("mark"), 4)
	try(unix.SYS_SHMGET, 77, 4096, 0o1600)
	try(unix.SYS_SEMGET, 77, 1, 0o1600)
	try(unix.SYS_MSGGET, 77, 0o1600)
	try(unix.SYS_MQ_OPEN, text("mark"), unix.O_CREAT|unix.O_RDWR, 0o600, 0)
	try(unix.SYS_ADD_KEY, text("user"), text("mark"), text("x"), 1, ^uintptr(2))
	for fd := range 3 {
		_ = unix.SetNonblock(fd, true)
		_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETOWN, 1)
	}
	_ = unix.Dup3(1, 50, 0)
	_, _ = unix.Write(1, []byte("changed\n"))
}
