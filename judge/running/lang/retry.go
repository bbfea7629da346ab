package lang

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"time"

	"assay/judge"
)

// retryFactor is the factor by which the wall time limit is increased for a build that the machine delayed.
const retryFactor = 3

// runRetrying runs a build command. If the command exceeds its wall time on an overloaded machine, it is run again
// with a longer limit. If it exceeds that limit too, the error is a failure of the machine. Because waits for a
// CPU do not count as wall time (see package sandbox), such delays are caused by disks. A build that sleeps is not
// retried.
func (t *Toolbox) runRetrying(ctx context.Context, c *judge.Command, log *head) (judge.Exec, error) {
	before := log.mark()
	c.Stdout, c.Stderr = log, log
	x, err := t.runner.Run(ctx, c)
	if err != nil || !t.delayedByMachine(x) {
		return x, err
	}
	log.cut(before)
	again := *c
	again.Limits.Wall *= retryFactor
	x, err = t.runner.Run(ctx, &again)
	if err == nil && t.delayedByMachine(x) {
		return x, &judge.BusyError{
			Detail: fmt.Sprintf("the compiler got only %v of CPU time in %v", x.CPU.Round(time.Millisecond), again.Limits.Wall),
		}
	}
	return x, err
}

// delayedByMachine reports whether a build exceeded its wall time limit on a machine that is so busy that this may be the
// cause.
func (t *Toolbox) delayedByMachine(x judge.Exec) bool {
	return x.Killed == judge.WallTime && t.overloaded()
}

// overloaded reports whether the load of this machine is so high that a program that does not run may only be
// waiting for a CPU or a disk. It returns false if the system does not report the load.
func overloaded() bool {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return false
	}
	var load float64
	n, _ := fmt.Sscan(string(data), &load)
	return n == 1 && load > 2*float64(runtime.NumCPU())
}
