package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/queue"
	"assay/judge/host/server"
	"assay/judge/host/worker"
	"assay/judge/running/sandbox"
)

func workerCommand(c *console) *cobra.Command {
	w := &working{console: c}
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "judge submissions for a server",
		Long: `Worker judges what a server gives it. It needs one connection to the server, and nobody
needs to reach it. The first time it joins with a code, which "judged admin worker add"
gives; after that its key, in the folder of data, is enough.

When it is told to end (SIGTERM, Ctrl-C) it takes no more jobs and ends those that run; told again, it
gives them back at once.

` + exitHelp,
		Example: "  judged worker --join 'https://judge.example/#2mzqkvxgjm...'\n  judged worker",
		RunE:    func(cmd *cobra.Command, _ []string) error { return w.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&w.join, "join", "", "the `ADDRESS` with the code by which to join")
	f.StringVar(&w.data, "data", "worker", "keep key, caches and results in this `DIR`")
	f.IntVar(&w.slots, "slots", 0, "jobs at one time; 0 is one for each processor core but one")
	f.BoolVar(&w.calibrate, "calibrate", false, "measure how fast this machine is, tell the server, and end; from then on it is measured again each hour in which there is nothing to do")
	f.StringVar(&w.require, "require", cmp.Or(os.Getenv("ASSAY_REQUIRE"), sandbox.Isolated), "isolated: refuse a machine on which the sandbox cannot isolate; any: judge there, too, where programs may do all that the worker may")
	systemdFlag(cmd, c, "judged-worker.service")
	return cmd
}

type working struct {
	*console
	join, data, require string
	slots               int
	calibrate           bool
	seed                []byte
	logger              *slog.Logger
}

func (w *working) run(ctx context.Context) (err error) {
	w.logger = w.log().With("from", "worker")
	begin := context.WithCancel
	child := false
	if address := os.Getenv(server.JoinVariable); address != "" {
		w.join, child, begin = address, true, w.child
	}
	ctx, stop := begin(ctx)
	defer stop()
	address, err := w.address()
	if err != nil && !w.calibrate {
		return err
	}
	lock, err := w.lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	var public string
	if w.seed, public, err = queue.Key(filepath.Join(w.data, "key")); err != nil {
		return err
	}
	api, err := w.client(address)
	if err != nil {
		return err
	}
	speed, err := worker.Measured(w.data)
	if err != nil && !w.calibrate {
		return err
	}
	lower := w.slots == 0
	switch {
	case lower && speed != nil && !w.calibrate:
		w.slots = min(max(speed.Slots, 1), worker.Slots())
	case lower:
		w.slots = worker.Slots()
	}
	runner, err := w.runner(api)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	if w.calibrate {
		if speed, err = w.measure(ctx, runner, lower); err != nil {
			return err
		}
		if w.tellSpeed(speed); api == nil || !speed.Known() {
			return nil
		}
	}
	ready := make(chan *worker.Worker, 1)
	if !child && !w.calibrate {
		w.obey(ready, stop)
	}
	defer func() { err = endedAsTold(ctx, err) }()
	offer := *runner.Offer()
	offer.Speed = speed
	welcome, err := w.enter(ctx, api, address.Code, public, offer)
	if err != nil {
		return err
	}
	if w.calibrate {
		fmt.Fprintf(w.out, "%s is told; next to the first machine of the class %s a run takes %.2f times as long\n", address.URL, welcome.Class, welcome.Factor)
		return client.WriteLogins(w.file(), client.Logins{address.URL: {Pin: address.Pin}})
	}
	for _, text := range welcome.Notes {
		w.logger.Warn(text)
	}
	if err := runner.Scale(welcome.Scale); err != nil {
		return err
	}
	return w.work(ctx, api, runner, address, welcome, offer, ready)
}

// lock makes the directory of data, if it is not there, and keeps other workers out of it.
func (w *working) lock() (io.Closer, error) {
	var err error
	if w.data, err = filepath.Abs(w.data); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(w.data, 0o700); err != nil {
		return nil, &judge.Misuse{Err: fmt.Errorf("make the folder of data: %w", err)}
	}
	return server.Hold(filepath.Join(w.data, "lock"), "worker")
}

// runner looks at this machine, and returns what judges on it.
func (w *working) runner(api *client.Client) (*worker.Runner, error) {
	w.logger.Info("looking at the sandbox and the tool chains of this machine")
	runner, err := worker.NewRunner(worker.RunnerOptions{
		Dir: w.data, Cache: os.Getenv("ASSAY_CACHE"), Slots: w.slots, Blobs: blobs{api}, Version: cli.Version(), Require: w.require,
		Note: func(text string) { w.logger.Warn(text) },
	})
	if errors.Is(err, sandbox.ErrRefused) {
		return nil, fmt.Errorf("%w\nto judge here all the same, where what others submit may do all that the worker may: --require any, or ASSAY_REQUIRE=any", err)
	}
	if err != nil {
		return nil, unseen(err, "name another folder, with --data DIR; that of caches is in ASSAY_CACHE, where that is set")
	}
	return runner, nil
}

// work judges what the server gives this worker, until it is to end.
func (w *working) work(
	ctx context.Context, api *client.Client, runner *worker.Runner, address client.Address, welcome *client.Welcome, offer job.Offer,
	ready chan<- *worker.Worker,
) error {
	member, err := w.member(ctx, address, welcome)
	if err != nil {
		return err
	}
	defer member.Close()
	var works *worker.Worker
	o := worker.Options{
		Name: welcome.Worker, Dir: w.data, Queue: worker.FromMember(member), Judging: runner, Slots: w.slots,
		Note: func(text string) { w.logger.Warn(text) }, Info: func(text string) { w.logger.Info(text) },
	}
	if offer.Speed != nil {
		o.Measure = func(ctx context.Context) {
			if !w.stillFits(ctx, api, runner, offer) {
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
		return &judge.Misuse{Err: err}
	}
	return err
}

// obey ends the worker when the system says so: softly the first time, once it is ready.
func (w *working) obey(ready <-chan *worker.Worker, stop func()) {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		select {
		case works := <-ready:
			w.logger.Info("taking no more jobs; told to end once more, those that run are given back")
			works.Drain()
			<-signals
		default:
		}
		stop()
	}()
}
