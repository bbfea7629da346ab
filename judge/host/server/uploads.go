package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"assay/judge/blob"
	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// PreparedUpload is the result of preparing an upload, in the file PreparedFile next to the archive. It contains the
// published bundle, or the reason why there is none. The file ReportFile contains the output of the verification
// as text.
type PreparedUpload struct {
	Bundle blob.Digest `json:"bundle,omitempty"`
	Reason string      `json:"reason,omitempty"`
}

// PrepareFailed is the message shown to the uploader if the server failed to prepare an upload.
const PrepareFailed = "the server could not prepare the package. The package is not at fault: " +
	"ask an administrator to look at the server's log, then upload it again"

// The names of the files next to an uploaded archive.
const (
	PreparedFile = "prepared.json"
	ReportFile   = "report.txt"
)

// The limits of preparing an upload.
const (
	uploadCheckEvery = 5 * time.Second // interval between two checks for uploads
	prepareTimeout   = 2 * time.Hour
	maxReport        = 1 << 20 // maximum size of the stored report in bytes
	maxReason        = 4 << 10
)

// prepareUploads converts uploaded packages to bundles, one at a time. It uses a child process, because the packages are
// not trusted.
func (s *Server) prepareUploads(ctx context.Context, blobs *blob.Dir, holder string) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.uploaded:
		case <-time.After(uploadCheckEvery):
		}
		for ctx.Err() == nil {
			more, err := s.nextUpload(ctx, blobs, holder)
			if err != nil && ctx.Err() == nil {
				s.o.Log.Error("prepare an upload", "error", err)
			}
			if err != nil || !more {
				break
			}
		}
	}
}

// nextUpload prepares the oldest waiting upload. It returns false if there is none.
func (s *Server) nextUpload(ctx context.Context, blobs *blob.Dir, holder string) (bool, error) {
	u, err := s.store.NextUpload(ctx)
	if err != nil || u == nil {
		return false, err
	}
	if _, err := s.store.AcquireLease(ctx, store.UploadLease, holder, prepareTimeout+time.Minute); err != nil {
		if errors.Is(err, store.ErrNotLeader) { // another server prepares uploads
			err = nil
		}
		return false, err
	}
	defer func() { _ = s.store.ReleaseLease(context.WithoutCancel(ctx), store.UploadLease, holder) }() // otherwise its term must end first
	if u, err = s.store.NextUpload(ctx); err != nil || u == nil {                                      // another server has prepared it
		return false, err
	}
	report, err := s.prepare(ctx, blobs, u)
	if ctx.Err() != nil { // it will be prepared after the next start
		return false, ctx.Err()
	}
	refusal, told := errors.AsType[*intake.Refusal](err)
	switch u.State = store.UploadFailed; {
	case told:
		u.Reason = refusal.Text
	case err != nil:
		u.Reason = PrepareFailed
		s.o.Log.Error("prepare an upload", "upload", u.ID, "problem", u.Problem, "error", err)
	default:
		u.State = store.UploadDone
	}
	if len(report) > 0 {
		u.Report = blob.DigestOf(report)
		err := s.store.RecordBlobs(ctx, store.Blob{Digest: u.Report, Size: int64(len(report)), Kind: "report"})
		if err == nil {
			err = blobs.Put(u.Report, int64(len(report)), bytes.NewReader(report))
		}
		if err != nil {
			return false, err
		}
	}
	s.o.Log.Info("prepared an upload", "upload", u.ID, "problem", u.Problem, "bundle", u.Bundle, "reason", u.Reason)
	return true, s.store.EndUpload(ctx, u)
}

// prepare prepares an upload, and returns the output of the verification. If the upload does not become a bundle,
// prepare returns the reason as an error.
func (s *Server) prepare(ctx context.Context, blobs *blob.Dir, u *store.Upload) (report []byte, err error) {
	dir := filepath.Join(s.data, "uploads", u.ID)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	f, err := blobs.Find(u.Archive)
	if err != nil {
		return nil, &intake.Refusal{Text: "the archive is no longer on the server: upload it again"}
	}
	info, err := f.Stat()
	f.Close()
	if err != nil {
		return nil, err
	}
	archive := filepath.Join(dir, u.Problem+".zip")
	if err := blobs.Link(u.Archive, info.Size(), archive, false); err != nil {
		return nil, err
	}
	if err := s.runPreparer(ctx, u, archive); err != nil && ctx.Err() != nil {
		return nil, err
	} else if err != nil {
		s.o.Log.Warn("the program that prepares uploads failed", "upload", u.ID, "error", err)
	}
	if report, err = head(filepath.Join(dir, ReportFile), maxReport); err != nil {
		return nil, err
	}
	said, err := head(filepath.Join(dir, PreparedFile), maxReport)
	if err != nil {
		return report, err
	}
	var p PreparedUpload
	if len(said) == 0 {
		return report, errors.New("the program that prepares packages ended early, or took longer than two hours")
	}
	if err := json.Unmarshal(said, &p); err != nil {
		return report, fmt.Errorf("read the outcome of the upload: %w", err)
	}
	if p.Bundle == "" {
		return report, &intake.Refusal{Text: cmp.Or(p.Reason[:min(len(p.Reason), maxReason)], "no bundle was made")}
	}
	u.Bundle = p.Bundle
	return report, nil
}

// runPreparer runs the program that prepares an upload. The program publishes the bundle as the account that
// uploaded the archive.
func (s *Server) runPreparer(ctx context.Context, u *store.Upload, archive string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	account, err := s.store.Account(ctx, u.Account)
	if err != nil {
		return err
	}
	scopes := []string{string(client.Publish)}
	if auth.Can(intake.ServerRole(account), auth.ManageAccounts, auth.State{}) {
		scopes = append(scopes, string(client.Admin)) // an administrator may change every problem
	}
	text, hash := auth.NewToken()
	t, err := s.store.NewToken(ctx, u.Account, hash, "the server's, to publish "+u.Problem, scopes, time.Now().Add(24*time.Hour))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.store.RevokeToken(context.WithoutCancel(ctx), t.ID)) }()
	return s.runProcess(
		ctx, "program that prepares uploads", s.o.PrepareCommand(archive, u.Verify),
		ServerVariable+"="+client.Address{URL: s.Address(), Pin: s.pin}.String(), TokenVariable+"="+text,
	)
}

// head returns up to most bytes from the start of a file. It returns nil if the file does not exist.
func head(path string, maxBytes int64) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxBytes))
}
