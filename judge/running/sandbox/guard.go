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

// Main must be the first statement of main, and of TestMain in the tests of
// whatever uses a Sandbox. It returns at once, unless this process is one that
// the sandbox started from its own binary; then it never returns.
func Main() {
	mainZygote()
	if len(os.Args) == 1 && os.Args[0] == guardName {
		guardMain()
	}
	mainCalled.Store(true)
}

// mainCalled tells that this binary can be started as a guard.
var mainCalled atomic.Bool

// guard is a process that outlives this one for a moment, to kill the groups of plain
// processes that nobody else would: where there is no isolation, a judge that is
// killed cannot end them itself.
type guard struct {
	mu    sync.Mutex
	tell  *os.File // nil if there is no guard
	holds bool     // whether a process can be made to wait until the guard knows of it
}

// guardName is what a guard has for its first argument.
const guardName = "assay-sandbox-guard"

// theGuard starts the one guard of this process, when it is needed first.
var theGuard = sync.OnceValue(func() *guard {
	if !mainCalled.Load() {
		return &guard{}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return &guard{}
	}
	defer r.Close()
	p, err := os.StartProcess(ownBinary(), []string{guardName}, &os.ProcAttr{Dir: "/", Files: []*os.File{r}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		w.Close()
		return &guard{}
	}
	_ = p.Release() // it ends after this process
	return &guard{tell: w, holds: canHold && mayHold()}
})

// mayHold tries whether processes can be held: there are machines that let nobody do it.
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

// say sends one line; a guard that is gone guards nothing.
func (g *guard) say(what byte, group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tell != nil {
		_, _ = fmt.Fprintf(g.tell, "%c%d\n", what, group)
	}
}

// guardMain learns which groups live, and kills them when the judge is gone.
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

// startGuarded starts a process in a group of its own, which can be killed whole, and
// which ends with the judge. The caller must call release when the group has ended;
// until then it keeps to its thread, as the kernel ends the process with that.
func startGuarded(cmd *exec.Cmd) (release func(), err error) { return theGuard().start(cmd) }

// start has the process wait, where it can, until the guard knows of it. Elsewhere a judge
// that is killed in the moment between leaves behind what the process has started until then.
func (g *guard) start(cmd *exec.Cmd) (release func(), err error) {
	unlock := keepThread(cmd)
	if g.holds {
		hold(cmd.SysProcAttr)
	}
	if err := cmd.Start(); err != nil {
		unlock()
		return func() {}, err
	}
	g.say('+', cmd.Process.Pid)
	if g.holds {
		letGo(cmd.Process.Pid)
	}
	return func() {
		g.say('-', cmd.Process.Pid)
		unlock()
	}, nil
}
