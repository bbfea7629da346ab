package lang

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"assay/judge"
)

// patience is how many times the limit on the clock a build gets that the machine kept waiting.
const patience = 3

// patiently runs a build command. Where the time on the clock is up on a machine that is
// overloaded, it starts again and gets longer; if that does not do, it is the machine's
// failure. What a build waits for a processor does not count in the first place (see
// package sandbox), so this is about disks; and a build that sleeps is no reason for it.
func (t *Toolbox) patiently(ctx context.Context, c *judge.Command, log *head) (judge.Exec, error) {
	before := log.mark()
	c.Stdout, c.Stderr = log, log
	x, err := t.runner.Run(ctx, c)
	if err != nil || !t.starved(x) {
		return x, err
	}
	log.cut(before)
	again := *c
	again.Limits.Wall *= patience
	x, err = t.runner.Run(ctx, &again)
	if err == nil && t.starved(x) {
		return x, &judge.BusyError{
			Detail: fmt.Sprintf("the compiler got only %v of the processor in %v", x.CPU.Round(time.Millisecond), again.Limits.Wall),
		}
	}
	return x, err
}

// starved says whether a build may have run out of time on the clock for no fault of its own.
func (t *Toolbox) starved(x judge.Exec) bool { return x.Killed == judge.WallTime && t.busy() }

// overloaded says whether so much wants to run on this machine that a program which
// waits may only be waiting for its turn. Where the system does not tell, it is not.
func overloaded() bool {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return false
	}
	var load float64
	n, _ := fmt.Sscan(string(data), &load)
	return n == 1 && load > 2*float64(runtime.NumCPU())
}
