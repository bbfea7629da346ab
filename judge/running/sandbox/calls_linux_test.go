//go:build amd64 || arm64

package sandbox

import (
	"bufio"
	"os/exec"
	"testing"
)

func TestAlarmed(t *testing.T) {
	for script, want := range map[string]bool{
		"echo ready; read line":                   false,
		"trap : ALRM; echo ready; read line":      true,
		"trap : INT; echo ready; read line":       false,
		"trap : RTMIN+3; echo ready; read line":   true,
		"(trap : ALRM; echo ready; read line); :": true,
	} {
		c := exec.CommandContext(t.Context(), "bash", "-c", script)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Skip(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(script, err)
		}
		if got := (&place{pid: c.Process.Pid}).alarmed(); got != want {
			t.Errorf("%s: alarmed = %v, want %v", script, got, want)
		}
		in.Close()
		_ = c.Wait() // reading the end of the input is no success
	}
}
