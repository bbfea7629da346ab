package arena

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// LogFile is a log that is being written. It contains only complete lines, unless the machine fails during a
// write.
type LogFile struct {
	Path string

	file    *os.File
	size    int64 // total size of the complete lines, in bytes
	pending bytes.Buffer
	synced  time.Time
	sink    func(line []byte) error // also receives each line; may be nil
}

// The timeout and the interval for locking a log. A killed judge may leave behind a child process that holds the
// log open until that process exits.
const (
	lockTimeout  = 2 * time.Second
	lockInterval = 20 * time.Millisecond
)

// OpenLog opens a log and reads it. It creates the log if there is none, and removes an incomplete last line.
func OpenLog(path string) (*LogFile, *Log, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	for start := time.Now(); lock(file); time.Sleep(lockInterval) {
		if time.Since(start) > lockTimeout {
			file.Close()
			return nil, nil, &InUseError{path}
		}
	}
	held, err := ReadLog(file, path)
	if err == nil {
		var info fs.FileInfo
		if info, err = file.Stat(); err == nil && info.Size() != held.Size {
			err = file.Truncate(held.Size)
		}
	}
	if err == nil {
		_, err = file.Seek(held.Size, io.SeekStart)
	}
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("open the log: %w", err)
	}
	return &LogFile{Path: path, file: file, size: held.Size}, held, nil
}

// openTempLog creates a log in an unnamed temporary file, from which games can be loaded.
func openTempLog() (*LogFile, *Log, error) {
	file, err := os.CreateTemp("", "assay-games-*")
	if err != nil {
		return nil, nil, fmt.Errorf("make a file for games: %w", err)
	}
	again, err := os.Open(file.Name())
	if err = errors.Join(err, os.Remove(file.Name())); err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("make a file for games: %w", err)
	}
	return &LogFile{file: file}, &Log{source: &source{path: file.Name(), reader: again}}, nil
}

// addGame adds the record of a game, which consists of head, moves, and tail. It returns the offset of the record
// in the log. The record is written to the file by flush.
func (l *LogFile) addGame(head *gameHead, moves []byte, tail *gameTail) (at int64, err error) {
	start := l.pending.Len()
	at = l.size + int64(start)
	first, err1 := json.Marshal(head)
	last, err2 := json.Marshal(tail)
	if err := errors.Join(err1, err2); err != nil {
		return at, fmt.Errorf("write the log: %w", err)
	}
	l.pending.WriteString(`{"game":`)
	l.pending.Write(first[:len(first)-1])
	l.pending.WriteByte(',')
	l.pending.Write(moves)
	l.pending.Write(last[1:])
	l.pending.WriteString("}\n")
	return at, l.sendToSink(start)
}

// sendToSink passes the line that was added to the sink.
func (l *LogFile) sendToSink(start int) error {
	if l.sink == nil {
		return nil
	}
	if err := l.sink(l.pending.Bytes()[start:]); err != nil {
		return fmt.Errorf("pass on a record: %w", err)
	}
	return nil
}

// add adds a record, which flush writes to the file.
func (l *LogFile) add(r *Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write the log: %w", err)
	}
	start := l.pending.Len()
	l.pending.Write(line)
	l.pending.WriteByte('\n')
	return l.sendToSink(start)
}

// syncInterval is the interval between syncs of the log, which protect it against a failure of the machine. If only
// the judge fails, nothing is lost.
const syncInterval = 2 * time.Second

// InUseError means that another judge is writing the log.
type InUseError struct{ Path string }

// Error includes a remedy.
func (e *InUseError) Error() string {
	return fmt.Sprintf("the log %s is being written by another judge\n    wait until it has finished, or name another log", e.Path)
}

// LogError means that a log cannot be written. Its earlier content is intact.
type LogError struct {
	Path string // empty if there is no log
	Err  error
}

// Error reports that nothing is lost, and a remedy.
func (e *LogError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("the games of the event cannot be stored: %v\n    free space in %s", e.Err, os.TempDir())
	}
	return fmt.Sprintf("the log %s cannot be written: %v\n    nothing is lost: free space, and repeat the command", e.Path, e.Err)
}

// Unwrap returns the error of the system.
func (e *LogError) Unwrap() error { return e.Err }

func (l *LogFile) flush() error {
	if l.pending.Len() == 0 {
		return nil
	}
	n, err := l.file.Write(l.pending.Bytes())
	if err != nil {
		// Remove the incomplete line, and keep the complete lines before it.
		whole := bytes.LastIndexByte(l.pending.Bytes()[:n], '\n') + 1
		_ = l.file.Truncate(l.size + int64(whole))
		l.pending.Reset()
		return &LogError{l.Path, err}
	}
	l.size += int64(n)
	l.pending.Reset()
	if now := time.Now(); l.Path != "" && now.Sub(l.synced) > syncInterval {
		l.synced = now
		if err := l.file.Sync(); err != nil && !errors.Is(err, os.ErrInvalid) {
			return &LogError{l.Path, err}
		}
	}
	return nil
}

// Close closes the log.
func (l *LogFile) Close() error {
	err := l.flush()
	if err2 := l.file.Close(); err == nil && err2 != nil {
		err = &LogError{l.Path, err2}
	}
	return err
}
