//go:build unix

package sandbox

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// Main must be called at the start of main, and of TestMain in tests that use a Sandbox. In a process that the
// sandbox started from its own binary, Main never returns. In other processes, it returns at once.
func Main() {
	mainZygote()
	if len(os.Args) == 1 && os.Args[0] == guardName {
		guardMain()
	}
	mainCalled.Store(true)
}

// mainCalled reports whether this process has called Main. If so, its binary can be started as a guard.
var mainCalled atomic.Bool

// guard is a process that outlives the judge for a moment. It then kills the process groups of programs that run
// without isolation, because nothing else would end them if the judge is killed.
type guard struct {
	mu    sync.Mutex
	pipe  *os.File // nil if there is no guard
	holds bool     // whether a process can be held until the guard knows it
}

// guardName is the first argument of a guard process.
const guardName = "assay-sandbox-guard"

// theGuard starts the only guard of this process on first use.
var theGuard = sync.OnceValue(func() *guard {
	if !mainCalled.Load() {
		return &guard{}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return &guard{}
	}
	defer r.Close()
	attr := &os.ProcAttr{Dir: "/", Files: []*os.File{r}, Sys: &syscall.SysProcAttr{Setsid: true}}
	p, err := os.StartProcess(ownBinary(), []string{guardName}, attr)
	if err != nil {
		w.Close()
		return &guard{}
	}
	_ = p.Release() // the guard exits after this process
	return &guard{pipe: w, holds: canHold && mayHold()}
})

// mayHold reports whether processes can be held. Some machines forbid this to all users.
func mayHold() bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr := &syscall.SysProcAttr{}
	hold(attr)
	p, err := os.StartProcess(ownBinary(), []string{guardName}, &os.ProcAttr{Dir: "/", Sys: attr})
	if err != nil {
		return false
	}
	_ = p.Kill()
	_, _ = p.Wait()
	return true
}

// send sends one line to the guard. It ignores errors, because the judge cannot do anything if the guard has
// exited.
func (g *guard) send(what byte, group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe != nil {
		_, _ = fmt.Fprintf(g.pipe, "%c%d\n", what, group)
	}
}

// guardMain records which groups are alive, and kills them when the judge exits.
func guardMain() {
	signal.Ignore()
	lives := map[int]bool{}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		number, begins := strings.CutPrefix(lines.Text(), "+")
		if group, err := strconv.Atoi(strings.TrimPrefix(number, "-")); err == nil && group > 1 {
			lives[group] = begins
		}
	}
	for group, still := range lives {
		if still {
			_ = syscall.Kill(-group, syscall.SIGKILL)
		}
	}
	os.Exit(0)
}

// startGuarded starts a process in its own process group, which can be killed as a whole and ends with the judge.
// The caller must call release when the group has ended. Until then the caller stays on its thread, because the
// kernel kills the process when that thread ends.
func startGuarded(cmd *exec.Cmd) (release func(), err error) { return theGuard().start(cmd) }

// start starts cmd. If possible, it holds the process until the guard knows the process group. If processes cannot
// be held and the judge is killed before that, the process and its children survive.
func (g *guard) start(cmd *exec.Cmd) (release func(), err error) {
	unlock := keepThread(cmd)
	if g.holds {
		hold(cmd.SysProcAttr)
	}
	if err := cmd.Start(); err != nil {
		unlock()
		return func() {}, err
	}
	g.send('+', cmd.Process.Pid)
	if g.holds {
		letGo(cmd.Process.Pid)
	}
	return func() {
		g.send('-', cmd.Process.Pid)
		unlock()
	}, nil
}
