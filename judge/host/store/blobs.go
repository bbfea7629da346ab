package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// A Blob is the database record of a blob.
type Blob struct {
	Digest blob.Digest
	Size   int64
	Kind   string // its purpose when it was stored, for display
}

// RecordBlobs records blobs, so that CollectGarbage finds those that no row refers to. It must be called before the
// blobs are stored, and before a client learns that it need not upload them.
func (s *Store) RecordBlobs(ctx context.Context, blobs ...Blob) error {
	return s.tx(ctx, "note blobs", func(q *query.Queries) error {
		now := s.now()
		for _, b := range blobs {
			if err := q.PutBlob(ctx, query.PutBlobParams{Sha256: string(b.Digest), Size: b.Size, Kind: b.Kind, Stored: now}); err != nil {
				return err
			}
		}
		return nil
	})
}

// TemporaryBlob is the kind of blobs that CollectGarbage removes early if no row refers to them. It is for clients that
// upload only a little at a time.
const TemporaryBlob = "sent"

// ErrUploadQuota means that an account has uploaded too many bytes to which no row refers.
var ErrUploadQuota = errors.New("too many uploaded bytes are not used yet")

// RecordBlobUpload records that an account has uploaded the bytes of a blob, and may therefore refer to the blob from
// now on. The argument most is the maximum number of uploaded bytes of the account to which no row refers. Bytes to
// which rows referred at the last MarkReferenced do not count. Zero means no limit. If the limit is exceeded,
// RecordBlobUpload returns ErrUploadQuota.
func (s *Store) RecordBlobUpload(ctx context.Context, account string, b Blob, quota int64) error {
	return s.tx(ctx, "note a blob", func(q *query.Queries) error {
		if quota > 0 {
			n, err := q.SentUnnamed(ctx, account, string(b.Digest))
			if err != nil {
				return err
			}
			if n+b.Size > quota {
				return ErrUploadQuota
			}
		}
		if err := q.PutBlob(ctx, query.PutBlobParams{Sha256: string(b.Digest), Size: b.Size, Kind: b.Kind, Stored: s.now()}); err != nil {
			return err
		}
		return q.PutSender(ctx, account, string(b.Digest))
	})
}

// MarkReferenced finds the blobs uploaded by an account to which rows refer now. RecordBlobUpload no longer counts
// these blobs. The function contents returns the blobs listed in a manifest.
func (s *Store) MarkReferenced(ctx context.Context, account string, contents func(manifest blob.Digest) ([]blob.Digest, error)) error {
	sent, err := s.read.UnnamedOf(ctx, account)
	if err != nil {
		return wrapError("read what an account has sent", err)
	}
	referenced, err := s.allReferenced(ctx, contents)
	if err != nil {
		return err
	}
	return s.tx(ctx, "note what is named", func(q *query.Queries) error {
		for _, d := range sent {
			if _, isReferenced := referenced[blob.Digest(d)]; !isReferenced {
				continue
			}
			if err := q.NameSent(ctx, account, d); err != nil {
				return err
			}
		}
		return nil
	})
}

// seenInterval is the minimum time between two updates, by HasUploaded, of the time when a blob was last seen. It is much
// shorter than keepTemporary.
const seenInterval = 5 * time.Minute

// HasUploaded reports whether an account has uploaded the bytes of a blob. If so, no server removes the blob within the
// next 50 minutes, so the caller can store a row that refers to it. The caller must call HasUploaded before it checks
// that the bytes exist.
func (s *Store) HasUploaded(ctx context.Context, account string, d blob.Digest) (bool, error) {
	seen, err := s.read.SentAndSeen(ctx, account, string(d))
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil || s.now()-seen < seenInterval.Microseconds() {
		return err == nil, wrapError("look who sent a blob", err)
	}
	n, err := s.write.SeeSent(ctx, query.SeeSentParams{Now: s.now(), Sha256: string(d), Account: account})
	return n > 0, wrapError("note that a blob is wanted", err)
}

// blobBatch is the number of blobs per transaction, so that other writers need not wait for all blobs.
const blobBatch = 100

// HasUploadedEach reports for each blob whether the account has uploaded it. Uploaded blobs are kept as if they had just
// been uploaded, even if no row refers to them.
func (s *Store) HasUploadedEach(ctx context.Context, account string, digests []blob.Digest) (uploaded []bool, err error) {
	for batch := range slices.Chunk(digests, blobBatch) {
		before := uploaded
		err := s.tx(ctx, "look who sent blobs", func(q *query.Queries) error {
			uploaded = before // the transaction may be retried
			for _, d := range batch {
				n, err := q.SeeSent(ctx, query.SeeSentParams{Now: s.now(), Sha256: string(d), Account: account})
				if err != nil {
					return err
				}
				uploaded = append(uploaded, n == 1)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return uploaded, nil
}

// KnownBlobs returns the blobs that have been stored and not removed. Some of them may not be referred to by any
// row.
func (s *Store) KnownBlobs(ctx context.Context) ([]blob.Digest, error) {
	digests, err := s.read.KnownBlobs(ctx)
	return convertRows(digests, err, "read the known blobs", func(d string) blob.Digest { return blob.Digest(d) })
}

// ReferencedBlobs returns the blobs that rows refer to. The value is true for manifests of bundles. These list further
// blobs, which the caller must read from them.
func (s *Store) ReferencedBlobs(ctx context.Context) (map[blob.Digest]bool, error) {
	referenced := map[blob.Digest]bool{}
	note := func(digests ...string) {
		for _, d := range digests {
			if _, known := referenced[blob.Digest(d)]; !known && d != "" {
				referenced[blob.Digest(d)] = false
			}
		}
	}
	parts, err := s.read.NamedByParts(ctx)
	if err != nil {
		return nil, wrapError("read what blobs parts name", err)
	}
	note(parts...)
	problems, err := s.read.NamedByProblems(ctx)
	if err != nil {
		return nil, wrapError("read what blobs problems name", err)
	}
	for _, p := range problems {
		note(p.Config, p.Sheet)
	}
	judgements, err := s.read.NamedByJudgements(ctx)
	if err != nil {
		return nil, wrapError("read what blobs judgements name", err)
	}
	for _, j := range judgements {
		note(j.Config, j.Events)
	}
	submissions, err := s.read.NamedBySubmissions(ctx)
	if err != nil {
		return nil, wrapError("read what blobs submissions name", err)
	}
	for _, list := range submissions {
		var files []job.File
		if err := fromJSON("the files of a submission", list, &files); err != nil {
			return nil, err
		}
		for _, f := range files {
			note(string(f.Digest))
		}
	}
	if err := s.addLadderReferences(ctx, note); err != nil {
		return nil, err
	}
	uploads, err := s.read.NamedByUploads(ctx)
	if err != nil {
		return nil, wrapError("read what blobs uploads name", err)
	}
	for _, u := range uploads {
		note(u.Archive, u.Report)
	}
	answers, err := s.read.NamedByAnswers(ctx)
	if err != nil {
		return nil, wrapError("read what blobs answers name", err)
	}
	for _, a := range answers {
		note(a.Sha256, a.Events)
	}
	jobs, err := s.read.NamedByJobs(ctx)
	if err != nil {
		return nil, wrapError("read what blobs jobs name", err)
	}
	for _, spec := range jobs {
		var w job.Work
		if err := fromJSON("a job", spec, &w); err != nil {
			return nil, err
		}
		for _, d := range w.Blobs() {
			note(string(d))
		}
		referenced[w.Bundle] = true
	}
	files, err := s.read.NamedByMedia(ctx)
	if err != nil {
		return nil, wrapError("read what blobs the files of contests name", err)
	}
	note(files...)
	bundles, err := s.read.NamedByBundles(ctx)
	if err != nil {
		return nil, wrapError("read what blobs bundles name", err)
	}
	for _, b := range bundles {
		referenced[blob.Digest(b.Manifest)] = true
		note(b.Config)
	}
	return referenced, nil
}

// addLadderReferences notes the blobs of ladders, their bots and their games.
func (s *Store) addLadderReferences(ctx context.Context, add func(...string)) error {
	configs, err1 := s.read.NamedByLadders(ctx)
	records, err2 := s.read.NamedByEncounters(ctx)
	programs, err3 := s.read.NamedByBots(ctx)
	if err := errors.Join(err1, err2, err3); err != nil {
		return wrapError("read what blobs ladders name", err)
	}
	add(configs...)
	add(records...)
	for _, list := range programs {
		var files []job.File
		if err := fromJSON("the files of a bot", list, &files); err != nil {
			return err
		}
		for _, f := range files {
			add(string(f.Digest))
		}
	}
	return nil
}

// The times for which blobs without references are kept: blobs of kind TemporaryBlob, and all other blobs. The time starts
// when all bytes of the blob have been stored.
const (
	keepTemporary    = time.Hour
	keepUnreferenced = 48 * time.Hour
)

// CollectGarbage removes blobs that no row refers to and that were last seen 48 hours ago, or one hour ago if they
// are TemporaryBlob. It returns their number. The function contents returns the blobs listed in a manifest. The function
// remove deletes the bytes of a blob. It is called in the transaction that deletes the row, so a server that is
// about to store the blob again waits, and then finds the bytes missing. CollectGarbage also deletes expired
// sessions, invites that expired 90 days ago, workflows that ended 30 days ago with their results, and old data of
// the queue.
func (s *Store) CollectGarbage(ctx context.Context, contents func(manifest blob.Digest) ([]blob.Digest, error),
	remove func(blob.Digest) error) (removed int, err error) {
	// Read the old blobs before the references. If a row refers to one of them later, the blob is also marked as
	// seen, and is not removed.
	before, sentBefore := s.now()-keepUnreferenced.Microseconds(), s.now()-keepTemporary.Microseconds()
	old, err := s.read.BlobsSeenBefore(ctx, before, sentBefore)
	if err != nil {
		return 0, wrapError("read the old blobs", err)
	}
	referenced, err := s.allReferenced(ctx, contents)
	if err != nil {
		return 0, err
	}
	old = slices.DeleteFunc(old, func(d string) bool {
		_, known := referenced[blob.Digest(d)]
		return known
	})
	for batch := range slices.Chunk(old, blobBatch) {
		n := 0
		err := s.tx(ctx, "forget blobs", func(q *query.Queries) error {
			n = 0
			for _, d := range batch {
				deleted, err := q.DeleteBlob(ctx, query.DeleteBlobParams{Sha256: d, Before: before, SentBefore: sentBefore})
				if err == nil && deleted == 1 {
					err = remove(blob.Digest(d))
					n++
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return removed, err
		}
		removed += n
	}
	return removed, s.deleteOldRows(ctx)
}

// deleteOldRows deletes rows that are no longer needed.
func (s *Store) deleteOldRows(ctx context.Context) error {
	const invites, workflows = 90 * 24 * time.Hour, 30 * 24 * time.Hour
	return s.tx(ctx, "drop what has ended", func(q *query.Queries) error {
		ended := nullInt(s.now() - workflows.Microseconds())
		for _, forget := range []func(context.Context, sql.NullInt64) error{q.DeleteOldParts, q.DeleteOldJobsOfWorkflows, q.DeleteOldWorkflows} {
			if err := forget(ctx, ended); err != nil {
				return err
			}
		}
		if err := errors.Join(q.DeleteTurns(ctx), q.DeleteSessions(ctx, s.now()), q.DeleteSignOns(ctx, s.now())); err != nil {
			return err
		}
		return errors.Join(q.DeleteInvites(ctx, s.now()-invites.Microseconds()), q.DeleteInvitations(ctx, s.now()-invites.Microseconds()))
	})
}

// allReferenced returns the blobs that rows refer to, and the blobs listed in their manifests.
func (s *Store) allReferenced(
	ctx context.Context, contents func(manifest blob.Digest) ([]blob.Digest, error),
) (map[blob.Digest]bool, error) {
	referenced, err := s.ReferencedBlobs(ctx)
	if err != nil {
		return nil, err
	}
	for manifest, isReferenced := range referenced {
		if !isReferenced {
			continue
		}
		inside, err := contents(manifest)
		if err != nil {
			return nil, wrapError("read the manifest "+string(manifest), err)
		}
		for _, d := range inside {
			if _, known := referenced[d]; !known {
				referenced[d] = false
			}
		}
	}
	return referenced, nil
}

// RemoveBlobs immediately removes the given blobs, which Erase has returned. Otherwise it works like
// CollectGarbage, and keeps blobs that a row refers to. It also keeps a blob that another account has uploaded
// since Erase. After an interruption, the call can be repeated.
func (s *Store) RemoveBlobs(ctx context.Context, blobs []blob.Digest,
	contents func(manifest blob.Digest) ([]blob.Digest, error), remove func(blob.Digest) error) error {
	referenced, err := s.allReferenced(ctx, contents)
	if err != nil {
		return err
	}
	for _, d := range blobs {
		if d == "" {
			continue
		}
		err := s.tx(ctx, "forget a blob", func(q *query.Queries) error {
			if _, known := referenced[d]; known { // referred to by others, so no longer part of the erasure
				return q.SeeBlob(ctx, string(d), s.now())
			}
			if err := q.EraseBlob(ctx, string(d)); err != nil {
				return err
			}
			if n, err := q.CountBlob(ctx, string(d)); err != nil || n > 0 {
				return err
			}
			return remove(d)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
