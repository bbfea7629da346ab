package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/worker"
	"assay/judge/running/sandbox"
)

// newRunner checks this machine, and returns a runner for it.
func (w *workerOptions) newRunner(api *client.Client) (*worker.Runner, error) {
	w.logger.Info("checking the sandbox and the toolchains of this machine")
	runner, err := worker.NewRunner(worker.RunnerOptions{
		Dir: w.data, Cache: os.Getenv("ASSAY_CACHE"), Slots: w.slots, Blobs: blobFetcher{api}, Version: cli.Version(),
		RequiredIsolation: w.require, OnMessage: func(text string) { w.logger.Warn(text) },
	})
	if errors.Is(err, sandbox.ErrUnavailable) {
		return nil, fmt.Errorf(
			"%w\nto judge without isolation, where submissions may do everything that the worker may: --require any, or ASSAY_REQUIRE=any",
			err,
		)
	}
	if err != nil {
		return nil, visibilityError(err, "choose another data directory with --data DIR; ASSAY_CACHE, if set, is the directory of caches")
	}
	return runner, nil
}

// work runs jobs of the server until the worker stops.
func (w *workerOptions) work(
	ctx context.Context, api *client.Client, runner *worker.Runner, address client.Address, welcome *client.Welcome, offer job.Capabilities,
	ready chan<- *worker.Worker,
) error {
	member, err := w.joinQueue(ctx, address, welcome)
	if err != nil {
		return err
	}
	defer member.Close()
	var works *worker.Worker
	o := worker.Options{
		Name: welcome.Worker, Dir: w.data, Queue: worker.QueueOf(member), Runner: runner, Slots: w.slots,
		Note: func(text string) { w.logger.Warn(text) }, Info: func(text string) { w.logger.Info(text) },
	}
	if offer.Speed != nil {
		o.Measure = func(ctx context.Context) {
			if !w.checkClass(ctx, api, runner, offer) {
				works.Drain()
			}
		}
	}
	if works, err = worker.New(o); err != nil {
		return err
	}
	ready <- works
	w.logger.Info("worker is ready", "worker", welcome.Worker, "class", welcome.Class, "slots", w.slots, "server", address.URL)
	err = works.Run(ctx)
	if errors.Is(err, queue.ErrRefused) {
		return &judge.UsageError{Err: err}
	}
	return err
}

// handleSignals handles signals. The first signal drains a worker that is ready, and the second stops it. A worker that is
// not ready stops at once.
func (w *workerOptions) handleSignals(ready <-chan *worker.Worker, stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		select {
		case works := <-ready:
			w.logger.Info("taking no more jobs; a second signal releases the running ones")
			works.Drain()
			<-signals
		default:
		}
		stop()
	}()
}
