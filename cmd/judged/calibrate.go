package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/worker"
)

// loadCommand returns the command that runs a load. Workers run it in their sandbox to measure the machine.
func loadCommand(c *console) *cobra.Command {
	return &cobra.Command{Use: "load <name>", Short: "run a load that measures a machine", Hidden: true,
		RunE: func(_ *cobra.Command, args []string) error {
			if !worker.RunLoad(args[0], c.out) {
				return &judge.UsageError{Err: fmt.Errorf("there is no load %q", args[0])}
			}
			return nil
		}}
}

// calibrateMachine measures this machine. If lower is set, it may reduce the number of slots.
func (w *workerOptions) calibrateMachine(ctx context.Context, runner *worker.Runner, lower bool) (*job.Speed, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return runner.Calibrate(ctx, lower, self, "load")
}

// printSpeed prints a measurement.
func (w *workerOptions) printSpeed(s *job.Speed) {
	for _, load := range worker.LoadNames() {
		fmt.Fprintf(w.out, "%-12s %7.1f ms\n", load, s.Loads[load])
	}
	fmt.Fprintf(w.out, "lowest CPU time of 5 runs; a usual run takes up to %.1f %% more\n", 100*s.Spread)
	fmt.Fprintf(w.out, "with all slots busy (%d) a run takes %.2f times as long\n", s.Slots, s.BusyFactor)
	if s.Doubt != "" {
		fmt.Fprintf(w.out, "the measurement is not reliable: %s; it is not saved\n    measure again while nothing else runs\n", s.Doubt)
	}
}

// maxDrift is the factor by which a machine's speed must change to be logged.
const maxDrift = 1.1

// checkClass measures this machine again, and reports whether the server still accepts it for its class. A
// measurement that is unreliable or cannot be sent changes nothing.
func (w *workerOptions) checkClass(ctx context.Context, api *client.Client, runner *worker.Runner, offer job.Capabilities) bool {
	before, err1 := worker.ReadSpeed(w.data)
	s, err := w.calibrateMachine(ctx, runner, false)
	if err = errors.Join(err1, err); err != nil {
		if ctx.Err() == nil {
			w.logger.Warn("measure this machine", "error", err)
		}
		return true
	}
	if !s.Reliable() {
		w.logger.Info("this machine cannot be measured at the moment", "reason", s.Doubt)
		return true
	}
	if f := s.Factor(before); before != nil && (f > maxDrift || f < 1/maxDrift) {
		w.logger.Warn(fmt.Sprintf("this machine takes %.2f times as much CPU time as before", f))
	}
	offer.Speed = s
	_, err = api.ReportCapabilities(ctx, offer)
	if refused, is := errors.AsType[*client.Error](err); is && refused.Status == http.StatusConflict {
		w.logger.Error("taking no more jobs", "reason", err)
		return false
	}
	return true
}
