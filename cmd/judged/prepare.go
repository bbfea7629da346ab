package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"assay/cmd/internal/cli"
	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/server"
	"assay/judge/host/workflow"
	"assay/judge/report"
	"assay/judge/workspace"
)

// prepareCommand returns the command that a server runs for an uploaded package. The server's own process opens no
// archives.
func prepareCommand(c *console) *cobra.Command {
	var verify bool
	cmd := &cobra.Command{
		Use:    "prepare <archive>",
		Short:  "publish an uploaded package, and write the outcome beside its archive",
		Hidden: true,
	}
	cmd.Flags().BoolVar(&verify, "verify", true, "publish it only if it has no problem errors")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ctx, stop := c.childContext(cmd.Context())
		defer stop()
		return ignoreCanceled(ctx, c.prepare(ctx, args[0], verify))
	}
	return cmd
}

// prepare prepares an uploaded archive, and writes the result to files next to the archive. It returns an error if
// this machine, rather than the package, is at fault.
func (c *console) prepare(ctx context.Context, archive string, verify bool) (err error) {
	api, err := parentClient()
	if err != nil {
		return err
	}
	contest, err := cli.FindContest()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, contest.Close()) }()
	p := &uploadPreparation{api: api, contest: contest, archive: archive}
	bundle, err := p.publish(ctx, verify)
	if ctx.Err() != nil { // the package is prepared after the server's next start
		return ctx.Err()
	}
	prepared := server.PreparedUpload{Bundle: bundle}
	if blame := judge.BlameOf(err); err != nil && blame != judge.Setter && blame != judge.Caller {
		prepared.Reason = server.PrepareFailed
		c.log().Error("prepare a package", "package", filepath.Base(archive), "error", err)
	} else if err != nil {
		prepared.Reason = p.withoutPaths(err.Error())
		c.log().Info("a package is not published", "from", "prepare", "package", filepath.Base(archive), "error", err)
	}
	data, err := json.Marshal(prepared)
	if err != nil {
		return err
	}
	beside := filepath.Dir(archive)
	return errors.Join(
		os.WriteFile(filepath.Join(beside, server.ReportFile), []byte(p.withoutPaths(p.report.String())), 0o600),
		os.WriteFile(filepath.Join(beside, server.PreparedFile), data, 0o600))
}

// A uploadPreparation is an archive that is being published.
type uploadPreparation struct {
	api      *client.Client
	contest  *workspace.Workspace
	archive  string
	location *workspace.Location // nil before it is unpacked
	report   bytes.Buffer
}

// publish verifies a package on the server's workers, and publishes it.
func (p *uploadPreparation) publish(ctx context.Context, verify bool) (id blob.Digest, err error) {
	if err := p.contest.Start(publishRunOptions()); err != nil {
		return "", err
	}
	if p.location, err = p.contest.Locate(p.archive); err != nil {
		return "", err
	}
	if verify {
		if err := p.verify(ctx); err != nil {
			return "", err
		}
	}
	slug := strings.TrimSuffix(filepath.Base(p.archive), ".zip")
	id, _, err = cli.Publish(ctx, p.api, p.contest, p.location, slug, client.NewProblem{}, publishRunOptions())
	return id, err
}

// verify writes the report.
func (p *uploadPreparation) verify(ctx context.Context) error {
	out := report.Terminal(&p.report, report.TerminalOptions{Width: 100})
	var opening []judge.Event
	v, faults, err := p.location.StartVerification(ctx, workspace.VerifyOptions{}, func(e judge.Event) { opening = append(opening, e) })
	if err != nil {
		return err
	}
	ok := false
	if faults > 0 {
		for _, e := range append(opening, &judge.VerifyFinished{Faults: faults}) {
			out.Event(e)
		}
	} else if ok, err = cli.VerifyOnServer(ctx, p.api, p.location, v, workflow.VerifyOptions{}, out.Event); err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	if !ok {
		return &judge.UsageError{Err: errors.New("the verification found problem errors, so the package is not published: see its report")}
	}
	return nil
}

// withoutPaths removes the names of this machine's directories from a text.
func (p *uploadPreparation) withoutPaths(text string) string {
	text = strings.ReplaceAll(text, filepath.Dir(p.archive)+string(filepath.Separator), "")
	if p.location != nil {
		above := filepath.Dir(p.location.Dir) + string(filepath.Separator)
		text = strings.ReplaceAll(strings.ReplaceAll(text, above, ""), cli.DisplayPath(above)+string(filepath.Separator), "")
	}
	return text
}
