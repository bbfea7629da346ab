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

// The folders of a backup.
const (
	backupTables = "tables"
	backupBlobs  = "blobs"
)

// unfinished ends the name of a backup that is being made: one that was interrupted keeps it.
const unfinished = ".unfinished"

// backupCalled makes a backup of a name, and says where: only in the folder of the backups, for a
// token that reaches the server over the network is not to choose where on its machine.
func (s *Server) backupCalled(ctx context.Context, blobs *blob.Folder, name string) (dir string, err error) {
	at := s.backupDir()
	_, notNightly := time.Parse(backupName, name)
	if !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) || strings.HasPrefix(name, ".") || strings.HasSuffix(name, unfinished) || notNightly == nil {
		return "", &judge.Misuse{Err: fmt.Errorf("%.200q is not the name of a backup, such as monday: on the server's machine all are in the folder %s\n    another folder is for judge.toml to say: backup_dir in the table [server]", name, at)}
	}
	if err := os.MkdirAll(at, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the backups: %w", err)
	}
	dir = filepath.Join(at, name)
	return dir, s.backup(ctx, blobs, dir)
}

// backup writes the tables and every blob that they name into a new folder, and reads it all
// back. Nothing stays after an error; of one that is interrupted, a folder whose name says so.
func (s *Server) backup(ctx context.Context, blobs *blob.Folder, dir string) (err error) {
	if _, err := os.Lstat(dir); err == nil {
		return &judge.Misuse{Err: fmt.Errorf("make a backup: %s is there already: name a new folder", dir)}
	}
	part := dir + unfinished
	if err := os.Mkdir(part, 0o700); err != nil {
		return &judge.Misuse{Err: fmt.Errorf("make a backup: %w", err)}
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
	err = eachNamed(ctx, s.store, blobs, func(d blob.Digest) error {
		err := blobs.Share(d, to)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the blob %s, which the database names, is missing: the backup is not whole", d)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := readBack(ctx, part, s.o.Version); err != nil {
		return fmt.Errorf("read the backup back: %w", err)
	}
	return os.Rename(part, dir)
}

// readBack restores the tables of a backup into a database beside them, which it removes, and
// reads every blob that they name.
func readBack(ctx context.Context, dir, version string) (err error) {
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
	return eachNamed(ctx, restored, blobs, func(d blob.Digest) error {
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

// eachNamed calls do for each blob that a database names, and for what manifests among them
// name.
func eachNamed(ctx context.Context, st *store.Store, blobs *blob.Folder, do func(blob.Digest) error) error {
	named, err := st.BlobsNamed(ctx)
	if err != nil {
		return err
	}
	done := map[blob.Digest]bool{}
	once := func(all ...blob.Digest) error {
		for _, d := range all {
			if done[d] {
				continue
			}
			if err := errors.Join(ctx.Err(), do(d)); err != nil {
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
		inside, err := contents(blobs, d)
		if err == nil {
			err = once(inside...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contents are the blobs that a manifest names.
func contents(blobs *blob.Folder, manifest blob.Digest) (all []blob.Digest, err error) {
	data, err := blobs.Read(manifest, bundle.MaxManifest)
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

// ownAgain makes a restored database another one than that of the backup, whose shared blobs it must not
// touch: its own are in its data directory, from where the next start copies them if it shares blobs.
func ownAgain(ctx context.Context, o store.Options) (err error) {
	s, err := store.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return errors.Join(s.SetSetting(ctx, sharedKey, ""), s.SetSetting(ctx, databaseKey, newDatabaseID()))
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
	o := store.Options{DSN: database, Dir: data, Version: version}
	if _, err := store.Restore(ctx, filepath.Join(dir, backupTables), o); err != nil {
		return err
	}
	if err := ownAgain(ctx, o); err != nil {
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
