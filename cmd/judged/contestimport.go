package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/host/contestpackage"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
)

// contest returns the command for contests.
func (a *admin) contest() *cobra.Command {
	cmd := &cobra.Command{Use: "contest", Short: "import and export contest packages, follow other judging systems"}
	var n client.ContestImport
	var source store.ExternalSource
	load := a.subcommand("import <directory, ZIP or URL>", "import a contest package, and print login sheets for its new accounts",
		func(ctx context.Context, api *client.Client, args []string) error {
			use := func(files *contestpackage.Files) error {
				media, err := packageMedia(ctx, api, files, n.DryRun)
				if err != nil {
					return err
				}
				n.Files, n.Media = files.Texts, media
				return a.importContest(ctx, api, n)
			}
			if source.URL = args[0]; strings.HasPrefix(source.URL, "https://") || strings.HasPrefix(source.URL, "http://") {
				return fetchContest(ctx, &source, use)
			}
			return contestFiles(args[0], use)
		})
	load.Args = cobra.ExactArgs(1)
	load.Flags().StringVar(&n.Contest, "contest", "", "the `NAME` of the contest in addresses (default: the id in contest.yaml)")
	load.Flags().BoolVar(&n.DryRun, "dry-run", false, "print what the import would do, and change nothing")
	load.Flags().StringVar(&source.Login, "username", "", "the `NAME` of the account for the URL (default: none)")
	load.Flags().StringVar(&source.SecretFile, "secret-file", "", "the `FILE` with the password of that account")
	load.Long = `Import reads a package in the ICPC Contest Package Format: contest, problems, groups, organizations, teams,
persons, and accounts, as JSON or YAML. It also reads the files groups.tsv, teams2.tsv, institutions2.tsv
and accounts.tsv. A package need not have all of them. Pictures and documents are read if they have default
filenames, such as organizations/u1/logo.56x56.png, teams/7/photo.jpg or contest/problemset.pdf. A URL is that of
a ZIP archive, which ends in .zip, or of a contest in a Contest API, such as
https://cds.example/api/contests/spring-2026, whose pictures are left out.

Everything is imported, or nothing: each error is printed with its file and line. Objects are known by
their ids, so importing again updates them. What the package does not say stays unchanged, and nothing is
deleted. Problems are linked to published problems by their ids.

The report has a line for each object: added, changed, missing (the contest has it, the package does
not) or skipped. Accounts without a password get one. Passwords are printed once, on login sheets.`
	cmd.AddCommand(load, a.exportContest(), a.shadowContest())
	return cmd
}

// contestFiles calls use with the files of a package.
func contestFiles(path string, handle func(*contestpackage.Files) error) error {
	info, err := os.Stat(path)
	if err != nil {
		return &judge.UsageError{Err: err}
	}
	var root fs.FS
	if info.IsDir() {
		root = os.DirFS(path)
	} else {
		archive, err := zip.OpenReader(path)
		if err != nil {
			return &judge.UsageError{Err: fmt.Errorf("read the contest package %s: %w\n    it must be a directory or a ZIP archive", path, err)}
		}
		defer archive.Close()
		root = archive
	}
	all, err := contestpackage.Collect(root)
	return usePackage(path, all, err, handle)
}

// fetchContest fetches a contest package from a URL, and calls the function use with its files.
func fetchContest(ctx context.Context, source *store.ExternalSource, handle func(*contestpackage.Files) error) (err error) {
	if source.SecretFile != "" {
		if source.SecretFile, err = filepath.Abs(source.SecretFile); err != nil {
			return err
		}
	}
	all, err := shadow.Fetch(ctx, source)
	if err != nil {
		return &judge.UsageError{Err: fmt.Errorf("read the contest package %s: %w", source.URL, err)}
	}
	return usePackage(source.URL, all, nil, handle)
}

// usePackage calls the function use with the files of a package. If the files are too large for one request,
// usePackage returns an error instead. It reports errors in the package in the same way as the server.
func usePackage(name string, files *contestpackage.Files, err error, handle func(*contestpackage.Files) error) error {
	const most = 5 << 20
	size := 0
	if err == nil {
		for _, data := range files.Texts {
			size += len(data)
		}
		if size > most {
			return &judge.UsageError{Err: fmt.Errorf("the files of the contest package have %d bytes; the most is %d", size, most)}
		}
		err = handle(files)
	}
	if faults, is := errors.AsType[judge.ProblemErrors](err); is {
		return &judge.UsageError{Err: fmt.Errorf("read the contest package %s: %w", name, faults)}
	}
	return err
}

// packageMedia returns the pictures and documents of a package, and uploads them unless it is a dry run.
func packageMedia(
	ctx context.Context, api *client.Client, files *contestpackage.Files, dryRun bool,
) (media []client.PackageFile, err error) {
	inspected, err := files.Inspect()
	if err != nil {
		return nil, err
	}
	var sources []client.Source
	for _, f := range inspected {
		b := client.Blob{Digest: f.Digest, Size: f.Size}
		media = append(media, client.PackageFile{Path: f.Path(), Blob: b})
		sources = append(sources, client.Source{Blob: b, Open: func() (io.ReadCloser, error) {
			data, err := files.Read(f.Path())
			return io.NopCloser(bytes.NewReader(data)), err
		}})
	}
	if !dryRun {
		_, err = api.Upload(ctx, sources)
	}
	return media, err
}

func (a *admin) importContest(ctx context.Context, api *client.Client, n client.ContestImport) error {
	report, err := api.ImportContest(ctx, n)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	count := map[string]int{}
	for _, l := range report.Lines {
		count[l.State]++
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", l.State, l.Kind, l.ID, l.Note)
	}
	err = w.Flush()
	for _, note := range report.Notes {
		fmt.Fprintf(a.out, "note: %s\n", note)
	}
	fmt.Fprintf(a.out, "contest %s: %d added, %d changed, %d unchanged, %d missing, %d skipped\n", report.Contest, count["added"],
		count["changed"], report.Unchanged, count["missing"], count["skipped"])
	if n.DryRun {
		fmt.Fprintln(a.out, "This was a dry run: nothing was changed.")
		return err
	}
	return errors.Join(err, a.printCredentials(ctx, api, report.Created))
}
