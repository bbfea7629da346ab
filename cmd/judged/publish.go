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

// publishCommand is what a server starts beside itself: the server's own process builds
// and runs nothing.
func publishCommand(c *console) *cobra.Command {
	return &cobra.Command{
		Use:    "publish",
		Short:  "publish the problems of the contest; of the house, where it has none",
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := c.child(cmd.Context())
			defer stop()
			return endedAsTold(ctx, c.publish(ctx))
		},
	}
}

// child is the context of a process that a server started. The server ends it, by the end of
// its input: Ctrl-C at a terminal is sent to both, and is the server's to obey.
func (c *console) child(ctx context.Context) (context.Context, context.CancelFunc) {
	// Caught and not ignored: what is ignored is so in the programs that a child starts, too.
	signal.Notify(make(chan os.Signal, 1), os.Interrupt, syscall.SIGTERM)
	ctx, stop := context.WithCancel(ctx)
	go func() {
		_, _ = io.Copy(io.Discard, c.in)
		stop()
	}()
	return ctx, stop
}

// starter is the way to the server that started this process.
func starter() (*client.Client, error) {
	address, err := client.ParseAddress(os.Getenv(server.ServerVariable))
	if err != nil {
		return nil, err
	}
	return client.New(client.Options{Address: address, Token: os.Getenv(server.TokenVariable), Version: cli.Version()})
}

// publishing is how programs run that make cases of a problem.
func publishing() workspace.Running {
	return workspace.Running{Jobs: max(1, runtime.NumCPU()-1), Require: os.Getenv("ASSAY_REQUIRE")}
}

func (c *console) publish(ctx context.Context) error {
	api, err := starter()
	if err != nil {
		return err
	}
	contest, err := cli.Find()
	if err != nil {
		return err
	}
	return errors.Join(c.publishAll(ctx, api, contest), contest.Close())
}

// publishAll publishes the problems of a contest; those of the house, where it has none.
func (c *console) publishAll(ctx context.Context, api *client.Client, contest *workspace.Workspace) error {
	names, err := contest.Own()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if names, err = contest.Lent(); err != nil {
			return err
		}
	}
	log := c.log().With("from", "publish")
	for _, name := range names {
		id, sent, perr := publishOne(ctx, api, contest, name)
		if ctx.Err() != nil { // at the next start they are published
			return ctx.Err()
		}
		if perr != nil {
			log.Error("a problem is not published", "problem", name, "error", perr)
			err = errors.Join(err, fmt.Errorf("publish %s: %w", name, perr))
			continue
		}
		log.Info("problem is published", "problem", name, "bundle", id, "blobs", sent)
	}
	return err
}

func publishOne(ctx context.Context, api *client.Client, contest *workspace.Workspace, name string) (id blob.Digest, sent int, err error) {
	at, err := contest.Locate(name)
	if err != nil {
		return "", 0, err
	}
	return cli.Publish(ctx, api, contest, at, "", client.NewProblem{}, publishing())
}
