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
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// The intervals at which the server checks whether a backup is due. The first check is some time after the start.
// A failed backup is retried after a while.
const (
	backupFirst = 10 * time.Minute
	backupLook  = time.Minute
	backupAgain = time.Hour
)

// backupName is the time format of nightly backup names: the time at which the backup started.
const backupName = "2006-01-02T150405Z"

// nightly makes a backup each night. If the machine was off, it makes one after the next start. If there are
// several servers, only one does this.
func (s *Server) nightly(ctx context.Context, blobs *blob.Dir) {
	lead := store.NewLongLead(s.store, store.BackupLead, s.instance, backupAgain)
	defer lead.Resign(ctx)
	for pause := backupFirst; ; pause = backupLook {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		_, err := lead.Hold(ctx)
		if err := s.othersBackup(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Error("look for the backup of another server", "error", err)
		}
		if errors.Is(err, store.ErrNotLeader) {
			continue
		}
		if now := time.Now(); s.backupDue(now) {
			s.backupNow(ctx, blobs, now)
		}
	}
}

// backupKey is the setting that contains the time of the last nightly backup by any server.
const backupKey = "last_backup"

// othersBackup reads the time of the last nightly backup, which another server may have made, from the database.
func (s *Server) othersBackup(ctx context.Context) error {
	text, err := s.setting(ctx, backupKey)
	if err != nil || text == "" || s.alone() {
		return err
	}
	at, err := time.Parse(backupName, text)
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
	at := s.backupAt(now)
	if at.After(now) {
		at = at.AddDate(0, 0, -1)
	}
	s.backups.Lock()
	defer s.backups.Unlock()
	return s.backups.last.Before(at) && now.Sub(s.backups.tried) >= backupAgain
}

// backupAt returns the time at which a backup is due on the given day.
func (s *Server) backupAt(day time.Time) time.Time {
	clock, _ := time.Parse("15:04", s.o.Backup) // package config has checked it
	return time.Date(day.Year(), day.Month(), day.Day(), clock.Hour(), clock.Minute(), 0, 0, day.Location())
}

// backupNow makes a nightly backup, and removes the oldest nightly backups if there are more than the limit.
func (s *Server) backupNow(ctx context.Context, blobs *blob.Dir, now time.Time) {
	err := s.backupRoom()
	if err == nil {
		err = s.backup(ctx, blobs, filepath.Join(s.backupDir(), now.UTC().Format(backupName)))
	}
	if err != nil && ctx.Err() != nil {
		return
	}
	if err != nil {
		s.o.Log.Error("make the nightly backup", "error", err)
	} else {
		if err := s.store.SetSetting(ctx, backupKey, now.UTC().Format(backupName)); err != nil {
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
	if err := s.lookAtBackups(); err != nil {
		s.o.Log.Error("check the nightly backups", "error", err)
	}
}

// backupRoom returns an error if the disk is nearly full.
func (s *Server) backupRoom() error {
	if err := os.MkdirAll(s.backupDir(), 0o700); err != nil {
		return err
	}
	free, err := s.freeDisk()
	if err == nil && free < desk.RoomForUploads {
		err = fmt.Errorf("the disk has only %d MiB left, and a backup needs %d MiB: free some space, or set backup_dir to a directory on another disk", free>>20, int64(desk.RoomForUploads)>>20)
	}
	return err
}

func (s *Server) backupDir() string {
	if filepath.IsAbs(s.o.BackupDir) {
		return s.o.BackupDir
	}
	return filepath.Join(s.data, cmp.Or(s.o.BackupDir, "backups"))
}

// lookAtBackups finds the existing nightly backups. It removes interrupted ones, and the oldest ones if there are
// more than the limit. It ignores backups with names chosen by a user.
func (s *Server) lookAtBackups() error {
	entries, err := os.ReadDir(s.backupDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var made []time.Time
	for _, e := range entries {
		name, cut := strings.CutSuffix(e.Name(), unfinished)
		at, perr := time.Parse(backupName, name)
		switch {
		case perr != nil:
		case cut:
			err = errors.Join(err, os.RemoveAll(filepath.Join(s.backupDir(), e.Name())))
		default:
			made = append(made, at)
		}
	}
	slices.SortFunc(made, func(a, b time.Time) int { return cmp.Compare(b.UnixNano(), a.UnixNano()) })
	for len(made) > max(s.o.BackupKeep, 1) {
		old := made[len(made)-1]
		if rerr := os.RemoveAll(filepath.Join(s.backupDir(), old.Format(backupName))); rerr != nil {
			err = errors.Join(err, rerr)
			break
		}
		made = made[:len(made)-1]
	}
	s.backups.Lock()
	defer s.backups.Unlock()
	if s.backups.kept = len(made); len(made) > 0 && (s.alone() || made[0].After(s.backups.last)) {
		s.backups.last = made[0]
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
	b := web.Backups{On: s.o.Backup != "", Folder: s.backupDir(), Last: s.backups.last, Keep: s.o.BackupKeep, Kept: s.backups.kept, Failed: s.backups.failed}
	if s.backups.wrong != nil {
		b.Wrong = s.backups.wrong.Error()
	}
	if b.Next = s.backupAt(now); b.Next.Before(now) {
		b.Next = b.Next.AddDate(0, 0, 1)
	}
	return b
}
