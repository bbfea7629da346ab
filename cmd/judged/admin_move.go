package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/server"
)

func (a *admin) move() *cobra.Command {
	var p server.MovePlan
	cmd := &cobra.Command{
		Use:   "move --database URL",
		Short: "move the data of a running server to another database",
		Long: `Move copies the data of a running server to an empty database, and compares all of it. For
the last rows it stops writes for some seconds: pages and the API then answer that the data is
being moved, and workers and programs try again. Afterwards the server accepts nothing until it is
restarted with the lines for judge.toml that the command prints.

If the command is interrupted, the server goes on with its old database, and the same command can
be repeated. Other servers of the database must be stopped first.`,
		Example: "  judged admin move --database postgres://judge@db/judge\n  judged admin move --database data --replace",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if p.Database == "" {
				return &judge.UsageError{Err: errors.New("name the new database: --database postgres://USER@HOST/NAME, or --database data")}
			}
			if p.Blobs != server.InDataDir && p.Blobs != server.BlobsInQueue {
				here, err := os.Getwd()
				if err != nil {
					return fmt.Errorf("find the current directory: %w", err)
				}
				makeAbsolute(here, []*string{&p.Blobs})
			}
			api, err := a.api()
			if err != nil {
				return err
			}
			data, err := a.dataDir()
			if err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			check := p
			check.DryRun = true
			m, err := requestMove(ctx, api, data, check)
			if err == nil && !p.DryRun {
				fmt.Fprintf(a.err, "copying %s; the server stays available\n", judge.Quantity(m.Rows, "row"))
				m, err = requestMove(ctx, api, data, p)
			}
			if err != nil {
				return err
			}
			printMove(a.out, m, p.Blobs != "")
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&p.Database, "database", "", "the new database: postgres://..., or data: SQLite in the data directory")
	f.StringVar(&p.Blobs, "blobs", "", "move the files, too: to a `DIR` on a shared disk, to queue, the object store of the "+
		"cluster, or to data, the data directory")
	f.StringVar(&p.Queue, "queue", "", "nats://a,nats://b of the new cluster")
	f.BoolVar(&p.Replace, "replace", false, "replace the old data of a database from which the data was moved away")
	f.BoolVar(&p.DryRun, "dry-run", false, "only check whether the data can be moved")
	return cmd
}

// requestMove hands a plan to the server of a data directory, and requests the move.
func requestMove(ctx context.Context, api *client.Client, dataDir string, p server.MovePlan) (client.MoveResult, error) {
	remove, err := server.WriteMovePlan(dataDir, p)
	if err != nil {
		return client.MoveResult{}, err
	}
	defer remove()
	return api.MoveData(ctx)
}

// printMove prints the result of a move. It counts the files only if the plan moves them, too.
func printMove(out io.Writer, m client.MoveResult, blobs bool) {
	moved := judge.Quantity(m.Tables, "table") + " with " + judge.Quantity(m.Rows, "row")
	if m.DryRun {
		fmt.Fprintf(out, "the move is possible: %s\nlines for the [server] table of judge.toml:\n", moved)
	} else {
		if blobs {
			moved += " and " + judge.Quantity(m.Blobs, "file")
		}
		fmt.Fprintf(out, "moved %s; writes were stopped for %.1f s\n", moved, m.Stopped)
		if m.Missing > 0 {
			fmt.Fprintf(out, "missing before the move, although the database names them: %s\n", judge.Quantity(m.Missing, "file"))
		}
		fmt.Fprintln(out, "next: restart the server now with these lines in the [server] table of judge.toml; until then it accepts nothing:")
	}
	for _, line := range m.Lines {
		fmt.Fprintln(out, "   ", line)
	}
}
