package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/store"
)

// The folders of a backup.
const (
	backupTables = "tables"
	backupBlobs  = "blobs"
)

// maxManifest is the most bytes of a manifest that are read.
const maxManifest = 64 << 20

// backup writes the tables and every blob that they name into a new folder, of which
// nothing stays after an error.
func (s *Server) backup(ctx context.Context, blobs *blob.Folder, dir string) (err error) {
	if !filepath.IsAbs(dir) {
		return &judge.Misuse{Err: fmt.Errorf("the folder of a backup is named from the root on, not %q", dir)}
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return &judge.Misuse{Err: fmt.Errorf("make a backup: %w", err)}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	if _, err := s.store.Backup(ctx, filepath.Join(dir, backupTables)); err != nil {
		return err
	}
	named, err := s.store.BlobsNamed(ctx)
	if err != nil {
		return err
	}
	to, err := blob.Open(filepath.Join(dir, backupBlobs), 0)
	if err != nil {
		return err
	}
	for d, isManifest := range named {
		if err := copyBlob(blobs, to, d); err != nil {
			return err
		}
		if !isManifest {
			continue
		}
		inside, err := contents(blobs, d)
		if err != nil {
			return err
		}
		for _, d := range inside {
			if err := copyBlob(blobs, to, d); err != nil {
				return err
			}
		}
	}
	return nil
}

// contents are the blobs that a manifest names.
func contents(blobs *blob.Folder, manifest blob.Digest) (all []blob.Digest, err error) {
	data, err := blobs.Read(manifest, maxManifest)
	if err != nil {
		return nil, err
	}
	m, err := bundle.ParseManifest("the bundle "+string(manifest), data)
	if err != nil {
		return nil, err
	}
	for _, e := range m.Blobs() {
		all = append(all, e.Digest)
	}
	return all, nil
}

func copyBlob(from, to *blob.Folder, d blob.Digest) error {
	f, err := from.Find(d)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the blob %s, which the database names, is missing: the backup is not whole", d)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return to.Put(d, info.Size(), io.Reader(f))
}

// Restore makes the folder of data of a backup. The database must be empty, and so must the
// folder.
func Restore(ctx context.Context, dir, data, database, version string) error {
	if entries, err := os.ReadDir(data); err == nil && len(entries) > 0 {
		return &judge.Misuse{Err: fmt.Errorf("%s is not empty: a backup is restored into a new folder", data)}
	}
	for _, part := range []string{backupTables, backupBlobs} {
		if _, err := os.Stat(filepath.Join(dir, part)); err != nil {
			return &judge.Misuse{Err: fmt.Errorf("%s is not a backup: %w", dir, err)}
		}
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("make the folder of data: %w", err)
	}
	if _, err := store.Restore(ctx, filepath.Join(dir, backupTables), store.Options{DSN: database, Dir: data, Version: version}); err != nil {
		return err
	}
	blobs, err := blob.Open(filepath.Join(data, "blobs"), 0)
	if err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Join(dir, backupBlobs), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		digest, err := blob.Parse(filepath.Base(filepath.Dir(path)) + filepath.Base(path))
		if err != nil {
			return nil // nothing of ours
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		return blobs.Put(digest, info.Size(), f)
	})
}
