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

// fromFolder makes relative paths absolute. Paths in judge.toml are relative to its directory, and paths in flags
// are relative to the current directory. Empty paths stay empty.
func fromFolder(dir string, paths []*string) {
	for _, path := range paths {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(dir, *path)
		}
	}
}

// overlay replaces settings of judge.toml with the flags that were given.
func overlay(cmd *cobra.Command, set *config.Server, over config.Server) {
	for name, to := range map[string]struct{ set, over *string }{
		"listen": {&set.Listen, &over.Listen}, "url": {&set.URL, &over.URL}, "tls": {&set.TLS, &over.TLS}, "cert": {&set.Cert, &over.Cert},
		"key": {&set.Key, &over.Key}, "data": {&set.Data, &over.Data}, "database": {&set.Database, &over.Database},
		"queue": {&set.Queue, &over.Queue}, "queue-credentials": {&set.QueueCredentials, &over.QueueCredentials},
		"id": {&set.ID, &over.ID}, "blobs": {&set.Blobs, &over.Blobs},
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

// logName matches names of log files, including rotated ones: log, a.log, a.log.1, out.txt.
var logName = regexp.MustCompile(`(^|\.)(log|out)(\.|$)`)

// holds reports whether a directory contains a user's files. It ignores files of a shell, a desktop or a new disk,
// and logs of this command.
func holds(entries []fs.DirEntry) bool {
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		name := e.Name()
		return !strings.HasPrefix(name, ".") && name != "lost+found" && !(e.Type().IsRegular() && logName.MatchString(name))
	})
}

// serveOptions reads judge.toml. In an empty directory, it first creates the file. It removes the file again if
// the server cannot run there.
func (c *console) serveOptions(change func(*config.Server)) (o server.Options, refused error) {
	if _, err := config.FindRoot("."); errors.Is(err, fs.ErrNotExist) {
		entries, err := os.ReadDir(".")
		if err != nil {
			return o, err
		}
		if holds(entries) {
			return o, &judge.Misuse{
				Err: errors.New("this directory has no judge.toml and is not empty\n    run the server in a contest directory, or in an empty one"),
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
				if refused != nil {
					_ = os.Remove(path) // the caller reports the first error
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

// hidden returns an error if judged programs could read the server's data. On this machine, they can read system
// directories and toolchain directories. The check ignores file permissions: one rule is easier to remember, and a
// contest directory also contains other users' files.
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
		{o.Data, "choose another data directory: --data DIR, or data in judge.toml"},
		{backups, "choose another directory for backups: backup_dir in judge.toml"},
		{o.Root, "it has secret test cases: run the server in a directory elsewhere"},
		{o.Blobs, "choose another directory for shared files: blobs in judge.toml"},
	} {
		if kept.dir == "" || kept.dir == server.BlobsInQueue {
			continue
		}
		if err := sandbox.Unseen(kept.dir, visible); err != nil {
			return unseen(err, kept.hint)
		}
	}
	return nil
}

// unseen adds a remedy to an error about a directory that is visible in the sandbox.
func unseen(err error, hint string) error {
	if _, is := errors.AsType[*sandbox.SeenError](err); is {
		return &judge.Misuse{Err: fmt.Errorf("%w\n    %s", err, hint)}
	}
	return err
}
