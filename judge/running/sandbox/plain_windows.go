package sandbox

import (
	"os"
	"os/exec"

	"assay/judge"
)

// Main must be the first statement of main. On this system it does nothing.
func Main() {}

// startGuarded starts a process.
func startGuarded(cmd *exec.Cmd) (release func(), err error) { return func() {}, cmd.Start() }

func isHostRoot() bool { return false }

func endGroup(p *os.Process) { _ = p.Kill() }

// describe fills x with the facts about an ended process.
func describe(st *os.ProcessState, x *judge.Exec) {
	x.CPU = st.UserTime() + st.SystemTime()
	x.Exit = st.ExitCode()
}
