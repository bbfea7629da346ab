//go:build amd64 || arm64

package sandbox_test

import (
	"runtime"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
)

// TestStartedProcessesWait checks that a process that reads does not wait for a CPU, and that processes wait if
// there are more of them than CPUs.
func TestStartedProcessesWait(t *testing.T) {
	for _, level := range sandbox.Levels() {
		box, err := sandbox.New(sandbox.Options{Workers: 1, Isolation: string(level), Pin: true})
		if err != nil {
			t.Logf("this machine does not give the level: %v", err)
			continue
		}
		t.Run(string(level), func(t *testing.T) {
			t.Cleanup(func() { box.Close() })
			start := func(argv ...string) judge.Process {
				p, err := box.Start(t.Context(), &judge.Command{Argv: argv, Env: []string{"PATH=/usr/bin:/bin"}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() {
					p.Kill()
					_, _ = p.Wait()
				})
				return p
			}
			reads := start("cat")
			for end := time.Now().Add(3 * time.Minute); ; {
				before := reads.CPUWait() // the process may have just started
				if time.Sleep(10 * time.Millisecond); reads.CPUWait() == before {
					break
				}
				if time.Now().After(end) {
					t.Fatal("one that reads waits for a processor")
				}
			}
			var spin []judge.Process
			for range 2 * runtime.NumCPU() {
				spin = append(spin, start("sh", "-c", "while :; do :; done"))
			}
			for i, p := range spin {
				begun := p.CPUWait()
				for end := time.Now().Add(3 * time.Minute); p.CPUWait() == begun; time.Sleep(time.Millisecond) {
					if time.Now().After(end) {
						t.Fatalf("process %d has not waited", i)
					}
				}
			}
		})
	}
}
