package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/demo"
	"assay/judge/host/server"
	"assay/judge/problem/scaffold"
	"assay/judge/running/config"
	"assay/judge/running/lang"
	"assay/judge/running/sandbox"
	"assay/judge/workspace"
)

func serveCommand(c *console) *cobra.Command {
	var over config.Server
	var acceptLoss, tryOut bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "take submissions and have them judged",
		Long: `Serve takes submissions at one address and has them judged by a worker of its own, and by
every other that joins. It runs in a contest folder, or in an empty one, which it makes a
contest folder. Everything that it keeps is in the folder data. At its start it
publishes the problems of the contest; where there are none, those of the house.

What can be set has its keys in the table [server] of judge.toml; flags go before it.

` + exitHelp,
		Example: "  judged serve\n  judged serve --demo\n  judged serve --listen :8080 --tls self\n  judged serve --database postgres://judge@db/judge --queue nats://a,nats://b,nats://c",
	}
	f := cmd.Flags()
	f.StringVar(&over.Listen, "listen", "", "answer at this `ADDRESS` (judge.toml: 127.0.0.1:8080)")
	f.StringVar(&over.URL, "url", "", "the `URL` by which others reach the server")
	f.StringVar(&over.TLS, "tls", "", "self: with a certificate that the server makes itself")
	f.StringVar(&over.Cert, "cert", "", "the `FILE` of a certificate")
	f.StringVar(&over.Key, "key", "", "the `FILE` of its key")
	f.StringVar(&over.Data, "data", "", "keep everything in this `DIR` (judge.toml: data)")
	f.StringVar(&over.Database, "database", "", "postgres://...; not set, SQLite in the folder of data")
	f.StringVar(&over.Queue, "queue", "", "nats://a,nats://b of a cluster; not set, in the folder of data")
	f.StringVar(&over.QueueCredentials, "queue-credentials", "", "a `FILE` that the operator of the cluster gave")
	f.StringVar(&over.Name, "name", "", "what people see the server called")
	f.IntVar(&over.Workers, "workers", 1, "1: with a worker of its own on this machine; 0: none")
	f.StringVar(&over.Metrics, "metrics", "", "where Prometheus may ask (judge.toml: 127.0.0.1:9100); empty: nowhere")
	f.BoolVar(&tryOut, "demo", false, "with a contest of 8 teams and 200 submissions, to try things out: in this folder where it is empty, else in one that is removed at the end")
	f.BoolVar(&acceptLoss, "accept-loss", false, "start with a database that has lost submissions")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		here, err := os.Getwd()
		if err != nil {
			return fmt.Errorf("find the current folder: %w", err)
		}
		fromFolder(here, paths(&over))
		change := func(set *config.Server) { overlay(cmd, set, over) }
		if tryOut {
			return endedAsTold(ctx, c.demo(ctx, change))
		}
		o, err := c.serveOptions(change)
		if err != nil {
			return err
		}
		o.AcceptLoss = acceptLoss
		return endedAsTold(ctx, c.serve(ctx, o, nil))
	}
	systemdFlag(cmd, c, "judged.service")
	return cmd
}

// endedAsTold is err, but nil where it tells of the end of ctx: the command was told to end while
// it still waited, for its database or its server.
func endedAsTold(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// paths are the settings that name files and folders of this machine.
func paths(s *config.Server) []*string {
	return []*string{&s.Data, &s.Cert, &s.Key, &s.QueueCredentials, &s.OIDC.SecretFile}
}

// fromFolder makes relative paths absolute: those of judge.toml start from its folder, those of
// flags from the current one. Paths that are not set stay so.
func fromFolder(dir string, paths []*string) {
	for _, path := range paths {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
}

// overlay puts the flags that were given in the place of what judge.toml says.
func overlay(cmd *cobra.Command, set *config.Server, over config.Server) {
	for name, to := range map[string]struct{ set, over *string }{
		"listen": {&set.Listen, &over.Listen}, "url": {&set.URL, &over.URL}, "tls": {&set.TLS, &over.TLS}, "cert": {&set.Cert, &over.Cert},
		"key": {&set.Key, &over.Key}, "data": {&set.Data, &over.Data}, "database": {&set.Database, &over.Database},
		"queue": {&set.Queue, &over.Queue}, "queue-credentials": {&set.QueueCredentials, &over.QueueCredentials},
		"name": {&set.Name, &over.Name}, "metrics": {&set.Metrics, &over.Metrics},
	} {
		if cmd.Flags().Changed(name) {
			*to.set = *to.over
		}
	}
	if cmd.Flags().Changed("workers") {
		set.Workers = over.Workers
	}
}

// logName is what logs are called, also those that were put aside: log, a.log, a.log.1, out.txt.
var logName = regexp.MustCompile(`(^|\.)(log|out)(\.|$)`)

// holds says whether there is something in a folder that a server would be in the way of: not what
// a shell, a desktop or a fresh disk leaves there, such as the log of this very command.
func holds(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := e.Name()
		return !strings.HasPrefix(name, ".") && name != "lost+found" && !(e.Type().IsRegular() && logName.MatchString(name))
	})
}

// serveOptions reads judge.toml, which it writes in an empty folder, unless it may not serve there.
func (c *console) serveOptions(change func(*config.Server)) (o server.Options, refused error) {
	if _, err := config.FindRoot("."); errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(".")
		if err != nil {
			return o, err
		}
		if holds(entries) {
			return o, &judge.Misuse{Err: errors.New("this folder has no judge.toml and is not empty\n    serve in a contest folder, or in an empty one")}
		}
		contest, err := scaffold.Contest(".")
		if err != nil {
			return o, err
		}
		written, err := scaffold.Write(contest)
		if err != nil {
			return o, err
		}
		defer func() {
			for _, path := range written {
				if refused != nil {
					_ = os.Remove(path) // that it is refused is what the caller has to know
				}
			}
		}()
	}
	contest, err := cli.Find()
	if err != nil {
		return o, err
	}
	self, err := os.Executable()
	if err != nil {
		return o, fmt.Errorf("find this program: %w", err)
	}
	o = server.Options{
		Server: contest.Config.Server, Root: contest.Root, Source: contest.Config.Source, Version: cli.Version(), Log: c.log(), LogTo: os.Stderr,
		Child:     func(dir string) []string { return []string{self, "worker", "--data", dir} },
		Publisher: func() []string { return []string{self, "publish"} },
		Preparer: func(archive string, verify bool) []string {
			return []string{self, "prepare", "--verify=" + strconv.FormatBool(verify), archive}
		},
	}
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return o, err
	}
	fromFolder(o.Root, paths(&o.Server))
	change(&o.Server)
	return o, hidden(contest, o)
}

// hidden refuses to serve where the programs that are judged would see what the server keeps: on
// this machine they see, read-only, the system's folders and those of its tool chains. It does so
// also where the server is the machine's root and the rights of its files protect them: one rule
// is easier to know, and a contest folder has others' files as well.
func hidden(contest *workspace.Workspace, o server.Options) error {
	visible, err := lang.Locate(contest.Config, contest.Cache)
	if err != nil {
		return err
	}
	backups := o.BackupDir
	if !filepath.IsAbs(backups) {
		backups = filepath.Join(o.Data, backups)
	}
	for _, kept := range []struct{ dir, hint string }{
		{o.Data, "keep what the server has elsewhere: --data DIR, or data in judge.toml"},
		{backups, "have backups elsewhere: backup_dir in judge.toml"},
		{o.Root, "it has the secret cases of the contest's problems: serve in a folder elsewhere"},
	} {
		if err := sandbox.Unseen(kept.dir, visible); err != nil {
			return unseen(err, kept.hint)
		}
	}
	return nil
}

// unseen adds to an error that programs would see a folder what to do about it.
func unseen(err error, hint string) error {
	if _, is := errors.AsType[*sandbox.SeenError](err); is {
		return &judge.Misuse{Err: fmt.Errorf("%w\n    %s", err, hint)}
	}
	return err
}

// serve answers until it is told to end. Logins are those that people are told of at first.
func (c *console) serve(ctx context.Context, o server.Options, logins []auth.Slip) error {
	s, err := server.Start(ctx, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s serves at %s\n", o.Name, s.URL().URL)
	if s.First != "" {
		fmt.Fprintf(c.out, "log in as its admin:  judge login %s --token %s\n", s.URL(), s.First)
	}
	if s.Setup != "" {
		fmt.Fprintf(c.out, "or in a browser, within an hour:  %s\n", s.Setup)
	}
	if len(logins) > 0 {
		fmt.Fprintf(c.out, "log in to %s/c/%s as\n", s.URL().URL, demo.Slug)
	}
	for _, l := range logins {
		fmt.Fprintf(c.out, "  %-8s %s  %s\n", l.Login, l.Password, l.Name)
	}
	if err := notify("READY=1"); err != nil {
		o.Log.Warn("systemd is not told that the server is ready", "error", err)
	}
	<-ctx.Done()
	fmt.Fprintln(c.out, "ending")
	_ = notify("STOPPING=1") // it sees the end, too
	s.Stop()
	return nil
}
