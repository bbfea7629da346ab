package sandbox

import (
	"os"
	"os/exec"

	"assay/judge"
)

// Main must be called at the start of main. On this system it does nothing.
func Main() {}

// startGuarded starts a process without a guard.
func startGuarded(cmd *exec.Cmd) (release func(), err error) { return func() {}, cmd.Start() }

func isHostRoot() bool { return false }

func endGroup(p *os.Process) { _ = p.Kill() }

// describe sets the fields of x for an ended process.
func describe(st *os.ProcessState, x *judge.Exec) {
	x.CPU = st.UserTime() + st.SystemTime()
	x.Exit = st.ExitCode()
}
