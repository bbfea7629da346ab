package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/host/server"
	"assay/judge/problem/scaffold"
	"assay/judge/running/config"
	"assay/judge/running/lang"
	"assay/judge/running/sandbox"
	"assay/judge/workspace"
)

// paths returns pointers to the settings that are paths on this machine.
func paths(s *config.Server) []*string {
	all := []*string{&s.Data, &s.Cert, &s.Key, &s.QueueCredentials, &s.OIDC.SecretFile}
	if s.Blobs != server.BlobsInQueue {
		all = append(all, &s.Blobs)
	}
	return all
}

// makeAbsolute makes relative paths absolute. Paths in judge.toml are relative to its directory, and paths in flags
// are relative to the current directory. Empty paths stay empty.
func makeAbsolute(dir string, paths []*string) {
	for _, path := range paths {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
}

// applyFlags replaces settings of judge.toml with the flags that were given.
func applyFlags(cmd *cobra.Command, settings *config.Server, flags config.Server) {
	for name, to := range map[string]struct{ set, over *string }{
		"listen": {&settings.Listen, &flags.Listen}, "url": {&settings.URL, &flags.URL}, "tls": {&settings.TLS, &flags.TLS},
		"cert": {&settings.Cert, &flags.Cert},
		"key":  {&settings.Key, &flags.Key}, "data": {&settings.Data, &flags.Data}, "database": {&settings.Database, &flags.Database},
		"queue": {&settings.Queue, &flags.Queue}, "queue-credentials": {&settings.QueueCredentials, &flags.QueueCredentials},
		"id": {&settings.ID, &flags.ID}, "blobs": {&settings.Blobs, &flags.Blobs},
		"name": {&settings.Name, &flags.Name}, "metrics": {&settings.Metrics, &flags.Metrics},
	} {
		if cmd.Flags().Changed(name) {
			*to.set = *to.over
		}
	}
	if cmd.Flags().Changed("workers") {
		settings.Workers = flags.Workers
	}
}

// logName matches names of log files, including rotated ones: log, a.log, a.log.1, out.txt.
var logName = regexp.MustCompile(`(^|\.)(log|out)(\.|$)`)

// hasUserFiles reports whether a directory contains a user's files. It ignores files of a shell, a desktop or a new disk,
// and logs of this command.
func hasUserFiles(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := e.Name()
		return !strings.HasPrefix(name, ".") && name != "lost+found" && !(e.Type().IsRegular() && logName.MatchString(name))
	})
}

// serveOptions reads judge.toml. In an empty directory, it first creates the file. It removes the file again if
// the server cannot run there.
func (c *console) serveOptions(override func(*config.Server)) (o server.Options, invalid error) {
	if _, err := config.FindRoot("."); errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(".")
		if err != nil {
			return o, err
		}
		if hasUserFiles(entries) {
			return o, &judge.UsageError{
				Err: errors.New(
					"this directory has no judge.toml and is not empty\n    run the server in a contest directory, or in an empty one",
				),
			}
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
				if invalid != nil {
					_ = os.Remove(path) // the caller reports the first error
				}
			}
		}()
	}
	contest, err := cli.FindContest()
	if err != nil {
		return o, err
	}
	self, err := os.Executable()
	if err != nil {
		return o, fmt.Errorf("find this program: %w", err)
	}
	o = server.Options{
		Server: contest.Config.Server, Root: contest.Root, Source: contest.Config.Source, Version: cli.Version(), Log: c.log(),
		ChildOutput:    os.Stderr,
		WorkerCommand:  func(dir string) []string { return []string{self, "worker", "--data", dir} },
		PublishCommand: func() []string { return []string{self, "publish"} },
		PrepareCommand: func(archive string, verify bool) []string {
			return []string{self, "prepare", "--verify=" + strconv.FormatBool(verify), archive}
		},
	}
	if o.Root, err = filepath.Abs(o.Root); err != nil {
		return o, err
	}
	makeAbsolute(o.Root, paths(&o.Server))
	override(&o.Server)
	return o, checkHidden(contest, o)
}

// checkHidden returns an error if judged programs could read the server's data. On this machine, they can read system
// directories and toolchain directories. The check ignores file permissions: one rule is easier to remember, and a
// contest directory also contains other users' files.
func checkHidden(contest *workspace.Workspace, o server.Options) error {
	visible, err := lang.Locate(contest.Config, contest.Cache)
	if err != nil {
		return err
	}
	backups := o.BackupDir
	if !filepath.IsAbs(backups) {
		backups = filepath.Join(o.Data, backups)
	}
	for _, kept := range []struct{ dir, hint string }{
		{o.Data, "choose another data directory: --data DIR, or data in judge.toml"},
		{backups, "choose another directory for backups: backup_dir in judge.toml"},
		{o.Root, "it has secret test cases: run the server in a directory elsewhere"},
		{o.Blobs, "choose another directory for shared files: blobs in judge.toml"},
	} {
		if kept.dir == "" || kept.dir == server.BlobsInQueue {
			continue
		}
		if err := sandbox.CheckHidden(kept.dir, visible); err != nil {
			return visibilityError(err, kept.hint)
		}
	}
	return nil
}

// visibilityError adds a remedy to an error about a directory that is visible in the sandbox.
func visibilityError(err error, hint string) error {
	if _, is := errors.AsType[*sandbox.ExposedDirError](err); is {
		return &judge.UsageError{Err: fmt.Errorf("%w\n    %s", err, hint)}
	}
	return err
}
