package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/bundle"
	"assay/judge/host/store"
)

// The subdirectories of a backup.
const (
	backupTables = "tables"
	backupBlobs  = "blobs"
)

// unfinishedSuffix is the suffix of a backup directory while the backup is being written. It stays if the backup is
// interrupted.
const unfinishedSuffix = ".unfinished"

// makeBackup makes a backup with the given name and returns its directory. The directory is always inside the
// configured backup directory, because a client with a token must not choose another place on the machine.
func (s *Server) makeBackup(ctx context.Context, blobs *blob.Dir, name string) (dir string, err error) {
	root := s.backupDir()
	_, notNightly := time.Parse(backupNameFormat, name)
	if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") ||
		strings.HasSuffix(name, unfinishedSuffix) ||
		notNightly == nil {
		return "", &judge.UsageError{
			Err: fmt.Errorf(
				"%.200q is not a valid name of a backup: use a name such as monday\n"+
					"    backups are in the directory %s, which backup_dir in the [server] table of judge.toml sets",
				name, root,
			),
		}
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return "", fmt.Errorf("create the directory of backups: %w", err)
	}
	dir = filepath.Join(root, name)
	return dir, s.backup(ctx, blobs, dir)
}

// backup writes the tables, and every blob that they refer to, to a new directory, and verifies the whole backup.
// After an error it removes the directory. An interrupted backup leaves a directory with the suffix unfinished.
func (s *Server) backup(ctx context.Context, blobs *blob.Dir, dir string) (err error) {
	if _, err := os.Lstat(dir); err == nil {
		return &judge.UsageError{Err: fmt.Errorf("make a backup: %s exists already: choose another name", dir)}
	}
	part := dir + unfinishedSuffix
	if err := os.Mkdir(part, 0o700); err != nil {
		return &judge.UsageError{Err: fmt.Errorf("make a backup: %w", err)}
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(part))
		}
	}()
	if _, err := s.store.Backup(ctx, filepath.Join(part, backupTables)); err != nil {
		return err
	}
	to, err := blob.Open(filepath.Join(part, backupBlobs), 0)
	if err != nil {
		return err
	}
	err = eachReferenced(ctx, s.store, blobs, func(d blob.Digest) error {
		err := blobs.CopyTo(d, to)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the blob %s is missing, but the database refers to it: the backup is not complete", d)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := verifyBackup(ctx, part, s.o.Version); err != nil {
		return fmt.Errorf("read the backup back: %w", err)
	}
	return os.Rename(part, dir)
}

// verifyBackup verifies the backup in dir. It restores the backup's tables to a temporary database inside dir, and
// reads every blob that they refer to.
func verifyBackup(ctx context.Context, dir, version string) (err error) {
	scratch := filepath.Join(dir, "read-back")
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	o := store.Options{Dir: scratch, Version: version}
	if err := os.Mkdir(scratch, 0o700); err != nil {
		return err
	}
	if _, err := store.Restore(ctx, filepath.Join(dir, backupTables), o); err != nil {
		return err
	}
	restored, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, restored.Close()) }()
	blobs, err := blob.Open(filepath.Join(dir, backupBlobs), 0)
	if err != nil {
		return err
	}
	return eachReferenced(ctx, restored, blobs, func(d blob.Digest) error {
		f, err := blobs.Find(d)
		if err != nil {
			return err
		}
		defer f.Close()
		sum := sha256.New()
		if _, err := io.Copy(sum, f); err != nil {
			return err
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != string(d) {
			return fmt.Errorf("the blob %s is damaged: it has the digest %s", d, got)
		}
		return nil
	})
}

// eachReferenced calls do for each blob that the database refers to, and for each blob listed in a referenced manifest.
func eachReferenced(ctx context.Context, st *store.Store, blobs *blob.Dir, visit func(blob.Digest) error) error {
	named, err := st.ReferencedBlobs(ctx)
	if err != nil {
		return err
	}
	done := map[blob.Digest]bool{}
	once := func(all ...blob.Digest) error {
		for _, d := range all {
			if done[d] {
				continue
			}
			if err := errors.Join(ctx.Err(), visit(d)); err != nil {
				return err
			}
			done[d] = true
		}
		return nil
	}
	for d, isManifest := range named {
		if err := once(d); err != nil {
			return err
		}
		if !isManifest {
			continue
		}
		inside, err := manifestBlobs(blobs, d)
		if err == nil {
			err = once(inside...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// manifestBlobs returns the blobs listed in a manifest.
func manifestBlobs(blobs *blob.Dir, manifest blob.Digest) (digests []blob.Digest, err error) {
	data, err := blobs.Read(manifest, bundle.MaxManifest)
	if err != nil {
		return nil, err
	}
	m, err := bundle.ParseManifest("the bundle "+string(manifest), data)
	if err != nil {
		return nil, err
	}
	for _, e := range m.Blobs() {
		digests = append(digests, e.Digest)
	}
	return digests, nil
}

// renewIdentity gives a restored database a new identity, so that it does not use the shared blobs of the original
// database. The blobs from the backup are in the data directory. If the server is configured to share blobs, its
// next start copies them to the shared blobs.
func renewIdentity(ctx context.Context, o store.Options) (err error) {
	s, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return errors.Join(s.SetSetting(ctx, sharedBlobsKey, ""), s.SetSetting(ctx, databaseIDKey, newDatabaseID()))
}

// Restore creates a data directory from a backup. The database and the directory must be empty.
func Restore(ctx context.Context, dir, dataDir, database, version string) error {
	if entries, err := os.ReadDir(dataDir); err == nil && len(entries) > 0 {
		return &judge.UsageError{Err: fmt.Errorf("%s is not empty: restore the backup into a new directory", dataDir)}
	}
	for _, part := range []string{backupTables, backupBlobs} {
		if _, err := os.Stat(filepath.Join(dir, part)); err != nil {
			return &judge.UsageError{Err: fmt.Errorf("%s is not a backup: %w", dir, err)}
		}
	}
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return fmt.Errorf("create the data directory: %w", err)
	}
	o := store.Options{DSN: database, Dir: dataDir, Version: version}
	if _, err := store.Restore(ctx, filepath.Join(dir, backupTables), o); err != nil {
		return err
	}
	if err := renewIdentity(ctx, o); err != nil {
		return err
	}
	blobs, err := blob.Open(filepath.Join(dataDir, "blobs"), 0)
	if err != nil {
		return err
	}
	return filepath.WalkDir(filepath.Join(dir, backupBlobs), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		digest, err := blob.Parse(filepath.Base(filepath.Dir(path)) + filepath.Base(path))
		if err != nil {
			return nil // a file of another program
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
