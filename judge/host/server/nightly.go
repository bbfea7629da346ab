package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/judge/blob"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// The intervals at which the server checks whether a backup is due. The first check is some time after the start.
// A failed backup is retried after a while.
const (
	firstBackupCheck = 10 * time.Minute
	backupCheckEvery = time.Minute
	backupRetry      = time.Hour
)

// backupNameFormat is the time format of nightly backup names: the time at which the backup started.
const backupNameFormat = "2006-01-02T150405Z"

// nightlyBackups makes a backup each night. If the machine was off, it makes one after the next start. If there are
// several servers, only one does this.
func (s *Server) nightlyBackups(ctx context.Context, blobs *blob.Dir) {
	lead := store.NewLeaderLeaseWithTerm(s.store, store.BackupLease, s.instance, backupRetry)
	defer lead.Release(ctx)
	for pause := firstBackupCheck; ; pause = backupCheckEvery {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		_, err := lead.Acquire(ctx)
		if err := s.readLastBackup(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("look for the backup of another server", "error", err)
		}
		if errors.Is(err, store.ErrNotLeader) {
			continue
		}
		if now := time.Now(); s.backupDue(now) {
			s.runBackup(ctx, blobs, now)
		}
	}
}

// lastBackupKey is the setting that contains the time of the last nightly backup by any server.
const lastBackupKey = "last_backup"

// readLastBackup reads the time of the last nightly backup, which another server may have made, from the database.
func (s *Server) readLastBackup(ctx context.Context) error {
	text, err := s.setting(ctx, lastBackupKey)
	if err != nil || text == "" || s.isOnlyServer() {
		return err
	}
	at, err := time.Parse(backupNameFormat, text)
	s.backups.Lock()
	defer s.backups.Unlock()
	if at.After(s.backups.last) {
		s.backups.last = at
	}
	return err
}

// backupDue reports whether the newest backup is older than last night's backup time. It returns false for a while
// after a failed backup.
func (s *Server) backupDue(now time.Time) bool {
	at := s.backupTime(now)
	if at.After(now) {
		at = at.AddDate(0, 0, -1)
	}
	s.backups.Lock()
	defer s.backups.Unlock()
	return s.backups.last.Before(at) && now.Sub(s.backups.tried) >= backupRetry
}

// backupTime returns the time at which a backup is due on the given day.
func (s *Server) backupTime(day time.Time) time.Time {
	clock, _ := time.Parse("15:04", s.o.Backup) // package config has checked it
	return time.Date(day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute(), 0, 0, day.Location())
}

// runBackup makes a nightly backup, and removes the oldest nightly backups if there are more than the limit.
func (s *Server) runBackup(ctx context.Context, blobs *blob.Dir, now time.Time) {
	err := s.checkBackupDisk()
	if err == nil {
		err = s.backup(ctx, blobs, filepath.Join(s.backupDir(), now.UTC().Format(backupNameFormat)))
	}
	if err != nil && ctx.Err() != nil {
		return
	}
	if err != nil {
		s.o.Log.Error("make the nightly backup", "error", err)
	} else {
		if err := s.store.SetSetting(ctx, lastBackupKey, now.UTC().Format(backupNameFormat)); err != nil {
			s.o.Log.Error("note the nightly backup for other servers", "error", err)
		}
		s.o.Log.Info("the nightly backup is complete and verified", "directory", s.backupDir(), "after", time.Since(now).Round(time.Millisecond))
	}
	s.backups.Lock()
	s.backups.tried, s.backups.wrong = now, err
	if err != nil {
		s.backups.failed++
	}
	s.backups.Unlock()
	if err := s.findBackups(); err != nil {
		s.o.Log.Error("check the nightly backups", "error", err)
	}
}

// checkBackupDisk returns an error if the disk is nearly full.
func (s *Server) checkBackupDisk() error {
	if err := os.MkdirAll(s.backupDir(), 0o700); err != nil {
		return err
	}
	free, err := s.freeDisk()
	if err == nil && free < intake.MinDiskForUploads {
		err = fmt.Errorf(
			"the disk has only %d MiB left, and a backup needs %d MiB: free some space, or set backup_dir to a directory on another disk",
			free>>20, int64(intake.MinDiskForUploads)>>20,
		)
	}
	return err
}

func (s *Server) backupDir() string {
	if filepath.IsAbs(s.o.BackupDir) {
		return s.o.BackupDir
	}
	return filepath.Join(s.data, cmp.Or(s.o.BackupDir, "backups"))
}

// findBackups finds the existing nightly backups. It removes interrupted ones, and the oldest ones if there are
// more than the limit. It ignores backups with names chosen by a user.
func (s *Server) findBackups() error {
	entries, err := os.ReadDir(s.backupDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var times []time.Time
	for _, e := range entries {
		name, cut := strings.CutSuffix(e.Name(), unfinishedSuffix)
		at, perr := time.Parse(backupNameFormat, name)
		switch {
		case perr != nil:
		case cut:
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.backupDir(), e.Name())))
		default:
			times = append(times, at)
		}
	}
	slices.SortFunc(times, func(a, b time.Time) int { return cmp.Compare(b.UnixNano(), a.UnixNano()) })
	for len(times) > max(s.o.BackupKeep, 1) {
		old := times[len(times)-1]
		if rerr := os.RemoveAll(filepath.Join(s.backupDir(), old.Format(backupNameFormat))); rerr != nil {
			err = errors.Join(err, rerr)
			break
		}
		times = times[:len(times)-1]
	}
	s.backups.Lock()
	defer s.backups.Unlock()
	if s.backups.kept = len(times); len(times) > 0 && (s.isOnlyServer() || times[0].After(s.backups.last)) {
		s.backups.last = times[0]
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Backups returns the state of the nightly backups for administrators.
func (s *Server) Backups() web.Backups {
	now := time.Now()
	s.backups.Lock()
	defer s.backups.Unlock()
	b := web.Backups{
		On: s.o.Backup != "", Dir: s.backupDir(), Last: s.backups.last, Keep: s.o.BackupKeep, Kept: s.backups.kept,
		FailedCount: s.backups.failed,
	}
	if s.backups.wrong != nil {
		b.Error = s.backups.wrong.Error()
	}
	if b.Next = s.backupTime(now); b.Next.Before(now) {
		b.Next = b.Next.AddDate(0, 0, 1)
	}
	return b
}
