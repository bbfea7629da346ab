package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
)

// archiveDirs lists the archives of a contest and the directories into which they are extracted.
var archiveDirs = []struct{ part, dir string }{
	{"package", "."}, {"submissions", "submissions"}, {"scoreboard", "scoreboard"}, {"full-scoreboard", "full-scoreboard"},
}

// exportContest returns the command that writes the archives of a contest.
func (a *admin) exportContest() *cobra.Command {
	var contest string
	cmd := a.subcommand("export <directory>", "write a contest package, the submissions, and the scoreboard of a contest",
		func(ctx context.Context, api *client.Client, args []string) error {
			if contest == "" {
				return &judge.UsageError{Err: errors.New("name the contest with --contest, as in its address")}
			}
			if all, err := os.ReadDir(args[0]); err == nil && len(all) > 0 {
				return &judge.UsageError{Err: fmt.Errorf("%s has files already: name an empty or new directory", args[0])}
			}
			for _, e := range archiveDirs {
				n, err := extractArchive(ctx, api, contest, e.part, filepath.Join(args[0], e.dir))
				if err != nil {
					return err
				}
				fmt.Fprintf(a.out, "%s: %d files in %s\n", e.part, n, filepath.Join(args[0], e.dir))
			}
			return nil
		})
	cmd.Args = cobra.ExactArgs(1)
	cmd.Flags().StringVar(&contest, "contest", "", "the `NAME` of the contest in addresses (required)")
	cmd.Long = `Export writes what the server has of a contest into a new directory.

The files in the directory itself are a contest package: contest, problems, groups, organizations, teams,
persons, and accounts without passwords. Importing the package changes nothing on the same server. On
another server with the same problems, the import makes the same contest. The directory also has scoreboard.json,
awards.json and event-feed.ndjson, as the Contest API has them for a judge, and results.tsv.

The directory submissions has a directory for each problem and language. Each has a directory for each
submission of a team, as JPlag reads them, and a file info.csv, which Dolos reads.

The directory scoreboard has pages of the scoreboard as the public sees it now, full-scoreboard as the jury
sees it. They need no server and have no scripts.`
	return cmd
}

// extractArchive extracts a contest archive into dir, and returns the number of files.
func extractArchive(ctx context.Context, api *client.Client, contest, part, dir string) (n int, err error) {
	failed := func(err error) error { return fmt.Errorf("export the %s of %s: %w", part, contest, err) }
	from, err := api.ExportContest(ctx, contest, part)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	archive, err := os.CreateTemp("", "assay-export-*.zip")
	if err != nil {
		return 0, failed(err)
	}
	defer func() { err = errors.Join(err, archive.Close(), os.Remove(archive.Name())) }()
	size, err := io.Copy(archive, from)
	if err != nil {
		return 0, failed(err)
	}
	z, err := zip.NewReader(archive, size)
	if err != nil {
		return 0, failed(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, failed(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, failed(err)
	}
	defer root.Close()
	for _, f := range z.File {
		if err := extractFile(root, f); err != nil {
			return n, failed(err)
		}
		n++
	}
	return n, nil
}

// extractFile extracts a file of an archive.
func extractFile(root *os.Root, f *zip.File) error {
	if !fs.ValidPath(f.Name) {
		return fmt.Errorf("the server sent a file with an invalid name: %q", f.Name)
	}
	if err := root.MkdirAll(path.Dir(f.Name), 0o700); err != nil {
		return err
	}
	from, err := f.Open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}
