package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/queue"
	"assay/judge/host/server"
	"assay/judge/host/worker"
	"assay/judge/running/sandbox"
)

func workerCommand(c *console) *cobra.Command {
	w := &workerOptions{console: c}
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "judge submissions for a server",
		Long: `Worker judges submissions for a server. It needs one connection to the server, and accepts
no connections itself. The first time it joins with a code from "judged admin worker add".
After that, the key in its data directory is enough.

On SIGTERM or Ctrl-C it takes no more jobs, finishes the running ones, and stops. On a second signal
it releases them to other workers at once.

` + exitHelp,
		Example: "  judged worker --join 'https://judge.example/#2mzqkvxgjm...'\n  judged worker",
		RunE:    func(cmd *cobra.Command, _ []string) error { return w.run(cmd.Context()) },
	}
	f := cmd.Flags()
	f.StringVar(&w.join, "join", "", "the `ADDRESS` with the code to join")
	f.StringVar(&w.data, "data", "worker", "the data `DIR` for key, caches and results")
	f.IntVar(&w.slots, "slots", 0, "number of jobs at once (0: one less than the processor cores)")
	f.BoolVar(&w.calibrate, "calibrate", false,
		"measure the speed of this machine, report it to the server, and exit; later the idle worker repeats the measurement each hour")
	f.StringVar(
		&w.require, "require", cmp.Or(os.Getenv("ASSAY_REQUIRE"), sandbox.Isolated),
		"isolated: refuse a machine without isolation; any: also judge without isolation, where programs may do everything that the worker may",
	)
	systemdFlag(cmd, c, "judged-worker.service")
	return cmd
}

type workerOptions struct {
	*console
	join, data, require string
	slots               int
	calibrate           bool
	seed                []byte
	logger              *slog.Logger
}

func (w *workerOptions) run(ctx context.Context) (err error) {
	w.logger = w.log().With("from", "worker")
	begin := context.WithCancel
	child := false
	if address := os.Getenv(server.JoinVariable); address != "" {
		w.join, child, begin = address, true, w.childContext
	}
	ctx, stop := begin(ctx)
	defer stop()
	address, err := w.serverAddress()
	if err != nil && !w.calibrate {
		return err
	}
	lock, err := w.lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	var public string
	if w.seed, public, err = queue.ReadKey(filepath.Join(w.data, "key")); err != nil {
		return err
	}
	api, err := w.client(address)
	if err != nil {
		return err
	}
	speed, err := worker.ReadSpeed(w.data)
	if err != nil && !w.calibrate {
		return err
	}
	lower := w.slots == 0
	switch {
	case lower && speed != nil && !w.calibrate:
		w.slots = min(max(speed.Slots, 1), worker.DefaultSlots())
	case lower:
		w.slots = worker.DefaultSlots()
	}
	runner, err := w.newRunner(api)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, runner.Close()) }()
	if w.calibrate {
		if speed, err = w.calibrateMachine(ctx, runner, lower); err != nil {
			return err
		}
		if w.printSpeed(speed); api == nil || !speed.Reliable() {
			return nil
		}
	}
	ready := make(chan *worker.Worker, 1)
	if !child && !w.calibrate {
		w.handleSignals(ready, stop)
	}
	defer func() { err = ignoreCanceled(ctx, err) }()
	offer := *runner.Capabilities()
	offer.Speed = speed
	welcome, err := w.greet(ctx, api, address.Code, public, offer)
	if err != nil {
		return err
	}
	if w.calibrate {
		fmt.Fprintf(w.out, "reported to %s; a run takes %.2f times as long as on the first machine of the class %s\n",
			address.URL, welcome.SpeedFactor, welcome.Class)
		return client.WriteLogins(w.addressFile(), client.Logins{address.URL: {Pin: address.Pin}})
	}
	for _, text := range welcome.Notes {
		w.logger.Warn(text)
	}
	if err := runner.Scale(welcome.Scale); err != nil {
		return err
	}
	return w.work(ctx, api, runner, address, welcome, offer, ready)
}

// lock creates the data directory if needed, and locks it against other workers.
func (w *workerOptions) lock() (io.Closer, error) {
	var err error
	if w.data, err = filepath.Abs(w.data); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(w.data, 0o700); err != nil {
		return nil, &judge.UsageError{Err: fmt.Errorf("create the data directory: %w", err)}
	}
	return server.LockDir(filepath.Join(w.data, "lock"), "worker")
}
