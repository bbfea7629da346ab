package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/server"
	"assay/judge/workspace"
)

// publishCommand returns the command that a server runs to publish problems. The server's own process builds and
// runs nothing.
func publishCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:    "publish",
		Short:  "publish the problems of the contest directory, or the bundled ones",
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := c.childContext(cmd.Context())
			defer stop()
			return ignoreCanceled(ctx, c.publish(ctx))
		},
	}
}

// childContext returns the context of a process that a server started. The context ends at EOF on standard input. Ctrl-C
// at a terminal reaches both processes, and only the server handles it.
func (c *console) childContext(ctx context.Context) (context.Context, context.CancelFunc) {
	// The signals are caught, not ignored: programs started by the child would inherit ignored signals.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
	ctx, stop := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, c.in)
		stop()
	}()
	return ctx, stop
}

// parentClient returns a client for the server that started this process.
func parentClient() (*client.Client, error) {
	address, err := client.ParseAddress(os.Getenv(server.ServerVariable))
	if err != nil {
		return nil, err
	}
	return client.New(client.Options{Address: address, Token: os.Getenv(server.TokenVariable), Version: cli.Version()})
}

// publishRunOptions returns the settings for programs that generate test cases.
func publishRunOptions() workspace.RunOptions {
	return workspace.RunOptions{Jobs: max(1, runtime.NumCPU()-1), RequiredIsolation: os.Getenv("ASSAY_REQUIRE")}
}

func (c *console) publish(ctx context.Context) error {
	api, err := parentClient()
	if err != nil {
		return err
	}
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	return errors.Join(c.publishAll(ctx, api, contest), contest.Close())
}

// publishAll publishes the problems of a contest directory. If there are none, it publishes the bundled problems.
func (c *console) publishAll(ctx context.Context, api *client.Client, contest *workspace.Workspace) error {
	names, err := contest.OwnProblems()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if names, err = contest.BundledProblems(); err != nil {
			return err
		}
	}
	log := c.log().With("from", "publish")
	for _, name := range names {
		id, sent, perr := publishOne(ctx, api, contest, name)
		if ctx.Err() != nil { // the other problems are published at the next start
			return ctx.Err()
		}
		if perr != nil {
			log.Error("publish a problem", "problem", name, "error", perr)
			err = errors.Join(err, fmt.Errorf("publish %s: %w", name, perr))
			continue
		}
		log.Info("published a problem", "problem", name, "bundle", id, "blobs", sent)
	}
	return err
}

func publishOne(ctx context.Context, api *client.Client, contest *workspace.Workspace, name string) (id blob.Digest, sent int, err error) {
	at, err := contest.Locate(name)
	if err != nil {
		return "", 0, err
	}
	return cli.Publish(ctx, api, contest, at, "", client.NewProblem{}, publishRunOptions())
}
