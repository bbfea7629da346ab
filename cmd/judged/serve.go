package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"assay/judge/host/auth"
	"assay/judge/host/demo"
	"assay/judge/host/server"
	"assay/judge/running/config"
)

func serveCommand(c *console) *cobra.Command {
	var over config.Server
	var acceptLoss, acceptStale, tryOut bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "run a server that takes submissions and has them judged",
		Long: `Serve takes submissions at one address and has them judged by its own worker and by all
others that join. It runs in a contest directory, or in an empty one, where it creates
judge.toml. All its data is in the directory data. When it starts, it publishes the
problems of the contest directory. If there are none, it publishes the bundled problems.

Settings are in the [server] table of judge.toml. Flags override them.

` + exitHelp,
		Example: "  judged serve\n  judged serve --demo\n  judged serve --listen :8080 --tls self\n" +
			"  judged serve --database postgres://judge@db/judge --queue nats://a,nats://b,nats://c",
	}
	f := cmd.Flags()
	f.StringVar(&over.Listen, "listen", "", "listen on this `ADDRESS` (default in judge.toml: 127.0.0.1:8080)")
	f.StringVar(&over.URL, "url", "", "the public `URL` of the server")
	f.StringVar(&over.TLS, "tls", "", "self: use a self-signed certificate")
	f.StringVar(&over.Cert, "cert", "", "the `FILE` with the certificate")
	f.StringVar(&over.Key, "key", "", "the `FILE` with the key of the certificate")
	f.StringVar(&over.Data, "data", "", "the data `DIR` (default in judge.toml: data)")
	f.StringVar(&over.Database, "database", "", "postgres://... (default: SQLite in the data directory)")
	f.StringVar(&over.Queue, "queue", "", "nats://a,nats://b of a cluster (default: embedded, in the data directory)")
	f.StringVar(&over.QueueCredentials, "queue-credentials", "", "the credentials `FILE` from the operator of the cluster")
	f.StringVar(&over.ID, "id", "", "the `NAME` of this server among those that share a database (default: the name of the machine)")
	f.StringVar(&over.Blobs, "blobs", "", "where servers share files: a `DIR` on a shared disk, or queue for the object "+
		"store of the cluster (default: the data directory)")
	f.StringVar(&over.Name, "name", "", "the display name of the server")
	f.IntVar(&over.Workers, "workers", 1, "1: run a worker on this machine; 0: run none")
	f.StringVar(&over.Metrics, "metrics", "", "the address for Prometheus (default in judge.toml: 127.0.0.1:9100); empty: none")
	f.BoolVar(&tryOut, "demo", false, "serve a demo contest with 8 teams and 200 submissions: in this directory if it is "+
		"empty, otherwise in a temporary one")
	f.BoolVar(&acceptLoss, "accept-loss", false, "start with a database that has lost submissions")
	f.BoolVar(&acceptStale, "accept-stale", false, "start with a database whose data was moved to another one")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		here, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("find the current directory: %w", err)
		}
		makeAbsolute(here, paths(&over))
		change := func(set *config.Server) { applyFlags(cmd, set, over) }
		if tryOut {
			return ignoreCanceled(ctx, c.serveDemo(ctx, change))
		}
		o, err := c.serveOptions(change)
		if err != nil {
			return err
		}
		o.AcceptLoss, o.AcceptStale = acceptLoss, acceptStale
		return ignoreCanceled(ctx, c.serve(ctx, o, nil))
	}
	systemdFlag(cmd, c, "judged.service")
	return cmd
}

// ignoreCanceled returns nil if err is the error of ctx. In that case, the command was stopped while it waited for
// its database or its server. Otherwise, ignoreCanceled returns err.
func ignoreCanceled(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// serve runs a server until ctx ends. It prints logins, if there are any.
func (c *console) serve(ctx context.Context, o server.Options, logins []auth.Credentials) error {
	s, err := server.Start(ctx, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s serves at %s\n", o.Name, s.URL().URL)
	if s.AdminToken != "" {
		fmt.Fprintf(c.out, "log in as administrator:  judge login %s --token %s\n", s.URL(), s.AdminToken)
	}
	if s.SetupURL != "" {
		fmt.Fprintf(c.out, "or in a browser, within one hour:  %s\n", s.SetupURL)
	}
	if len(logins) > 0 {
		fmt.Fprintf(c.out, "log in to %s/c/%s as\n", s.URL().URL, demo.Slug)
	}
	for _, l := range logins {
		fmt.Fprintf(c.out, "  %-8s %s  %s\n", l.Login, l.Password, l.Name)
	}
	if err := notify("READY=1"); err != nil {
		o.Log.Warn("notify systemd that the server is ready", "error", err)
	}
	<-ctx.Done()
	fmt.Fprintln(c.out, "ending")
	_ = notify("STOPPING=1") // systemd also notices when the process exits
	s.Stop()
	return nil
}
