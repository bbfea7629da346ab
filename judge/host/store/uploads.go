package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"assay/judge/blob"
	"assay/judge/host/store/internal/query"
)

// An UploadState is the state of an upload.
type UploadState string

// The states of an upload.
const (
	UploadWaiting UploadState = "waiting" // waiting, or being converted to a bundle
	UploadDone    UploadState = "done"    // published
	UploadFailed  UploadState = "failed"  // see Reason
)

// UploadLease is the leader lease for converting uploads to bundles.
const UploadLease = "uploads"

// An Upload is an uploaded problem package.
type Upload struct {
	ID      string // set by NewUpload
	Account string // id
	Login   string // username of the account; NewUpload ignores it
	Problem string // slug
	File    string // name of the uploaded file
	Verify  bool   // verify it before publishing
	Archive blob.Digest
	State   UploadState
	Reason  string
	Bundle  blob.Digest // may be empty
	Report  blob.Digest // text of the verification report; may be empty
	Made    time.Time
	Ended   time.Time // zero while waiting
}

// NewUpload stores an upload.
func (s *Store) NewUpload(ctx context.Context, u *Upload) error {
	u.ID = newID()
	return wrapError("keep an upload", s.write.InsertUpload(ctx, query.InsertUploadParams{
		ID: u.ID, Account: u.Account, Slug: u.Problem, File: sanitize(u.File), Verify: u.Verify, Archive: string(u.Archive), Made: s.now(),
	}))
}

// Upload reads an upload.
func (s *Store) Upload(ctx context.Context, id string) (*Upload, error) {
	r, err := s.read.GetUpload(ctx, id)
	return upload(r), wrapError("read the upload "+id, err)
}

// Uploads reads at most n uploads of a problem, newest first. If problem is empty, it reads those of all problems.
func (s *Store) Uploads(ctx context.Context, problem string, n int) ([]*Upload, error) {
	rows, err := s.read.ListUploads(ctx, problem, int32(n))
	return convertRows(rows, err, "read the uploads", upload)
}

// NextUpload reads the upload that has waited longest. It returns nil, nil if none is waiting.
func (s *Store) NextUpload(ctx context.Context) (*Upload, error) {
	r, err := s.read.NextUpload(ctx)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return upload(r), wrapError("read the next upload", err)
}

// EndUpload stores the outcome of an upload, once: its State, Reason, Bundle and Report. Afterwards the upload no
// longer refers to its archive.
func (s *Store) EndUpload(ctx context.Context, u *Upload) error {
	_, err := s.write.EndUpload(ctx, query.EndUploadParams{
		ID: u.ID, State: string(u.State), Reason: sanitize(u.Reason), Bundle: string(u.Bundle), Report: string(u.Report),
		Ended: nullInt(s.now()),
	})
	return wrapError("end the upload "+u.ID, err)
}

func upload(r query.Uploaded) *Upload {
	return &Upload{
		ID: r.ID, Account: r.Account, Login: r.Login, Problem: r.Slug, File: r.File, Verify: r.Verify,
		Archive: blob.Digest(r.Archive), State: UploadState(r.State),
		Reason: r.Reason, Bundle: blob.Digest(r.Bundle), Report: blob.Digest(r.Report), Made: fromMicros(r.Made),
		Ended: fromMicros(r.Ended.Int64),
	}
}
