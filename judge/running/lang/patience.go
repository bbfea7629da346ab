package lang

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"assay/judge"
)

// How a build is told that waits by itself from one that the machine keeps waiting:
// the one gets little of the processor although it could have it.
const (
	working  = 20 // who got a 20th of the time on the clock as processor time was working
	patience = 10 // times the limit on the clock, for a build that was kept waiting
)

// patiently runs a build command. Where the time on the clock is up for a build that
// the machine kept waiting, it starts again and gets much longer; if that does not do,
// it is the machine's failure.
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
		return x, fmt.Errorf("the compiler got only %v of the processor in %v: this machine is too busy", x.CPU.Round(time.Millisecond), again.Limits.Wall)
	}
	return x, err
}

// starved says whether a build ran out of time on the clock for no fault of its own.
func (t *Toolbox) starved(x judge.Exec) bool {
	return x.Killed == judge.WallTime && (x.CPU >= x.Wall/working || t.busy())
}

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
