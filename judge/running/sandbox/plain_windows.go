package sandbox

import (
	"os"
	"os/exec"

	"assay/judge"
)

func ownGroup(*exec.Cmd) {}

func endGroup(p *os.Process) { _ = p.Kill() }

func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	_ = p.Release()
	return true
}

// lockDir locks nothing: every judge of the system sees all processes.
func lockDir(string) (unlock func()) { return func() {} }

// describe takes the facts from an ended process.
func describe(st *os.ProcessState, x *judge.Exec) {
	x.CPU = st.UserTime() + st.SystemTime()
	x.Exit = st.ExitCode()
}
