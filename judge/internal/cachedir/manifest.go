package cachedir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// manifestName is a file in each entry that says which files it has:
//
//	assay cache 1 BYTES FILES
//	file HASH STAMP NAME
//	link TARGET NAME
//	end
//
// Names and targets are quoted. The manifest's own time is when the entry was asked
// for last.
const (
	manifestName = ".manifest"
	manifestHead = "assay cache 1"
	manifestEnd  = "end"
)

// touchAfter is how old a manifest's time must be for it to be set again.
const touchAfter = time.Minute

// Stamp changes when a file does: its size and time, and where the system tells them
// the time of its last change of any kind, which no program can set, and its number.
func Stamp(info fs.FileInfo) string {
	changed, number := changeOf(info)
	return fmt.Sprintf("%d,%d,%d,%d", info.Size(), info.ModTime().UnixNano(), changed, number)
}

// seal writes the manifest of a directory, and returns how much the directory takes.
func seal(dir string) (sums, error) {
	var lines bytes.Buffer
	size := sums{files: 1} // the manifest
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		size.count(info)
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			fmt.Fprintf(&lines, "link %q %q\n", target, name)
			return err
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a directory", path)
		}
		hash, stamp, err := hashFile(path)
		fmt.Fprintf(&lines, "file %s %s %q\n", hash, stamp, name)
		return err
	})
	if err != nil {
		return sums{}, err
	}
	size.bytes += inBlocks(int64(lines.Len()) + 100)
	text := fmt.Sprintf("%s %d %d\n%s%s\n", manifestHead, size.bytes, size.files, &lines, manifestEnd)
	return size, os.WriteFile(filepath.Join(dir, manifestName), []byte(text), 0o644)
}

// hashFile hashes a file, with its stamp of before, so that what changes meanwhile
// is noticed.
func hashFile(path string) (hash, stamp string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", "", err
	}
	sum := sha256.New()
	_, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), Stamp(info), err
}

// readManifest reads the lines between head and end; nothing of a manifest that is
// not whole.
func readManifest(dir string) (head string, lines []string, ok bool) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return "", nil, false
	}
	lines = strings.Split(string(data), "\n")
	n := len(lines)
	if n < 3 || !strings.HasPrefix(lines[0], manifestHead+" ") || lines[n-2] != manifestEnd || lines[n-1] != "" {
		return "", nil, false
	}
	return lines[0], lines[1 : n-2], true
}

// whole reports whether an entry is as it was made. Files that only look changed, as in
// a cache that was copied, are looked into, and remembered as they look now.
func (s *Cache) whole(dir string) bool {
	head, lines, ok := readManifest(dir)
	if !ok {
		return false
	}
	changed := false
	for i, line := range lines {
		now, ok := checkLine(dir, line)
		if !ok {
			return false
		}
		changed = changed || now != line
		lines[i] = now
	}
	manifest := filepath.Join(dir, manifestName)
	if changed {
		if tmp, done, err := s.Temp(); err == nil { // else it is looked into again next time
			text := strings.Join(append(append([]string{head}, lines...), manifestEnd, ""), "\n")
			if file := filepath.Join(tmp, manifestName); os.WriteFile(file, []byte(text), 0o644) == nil {
				_ = os.Rename(file, manifest)
			}
			done()
		}
	}
	if info, err := os.Stat(manifest); err == nil && time.Since(info.ModTime()) > touchAfter {
		now := time.Now()
		_ = os.Chtimes(manifest, now, now) // in a cache that is read-only nothing is removed either
	}
	return true
}

// checkLine checks one line of a manifest, and returns it as it should be.
func checkLine(dir, line string) (now string, ok bool) {
	kind, rest, _ := strings.Cut(line, " ")
	first, rest, _ := strings.Cut(rest, " ")
	switch kind {
	case "file":
		stamp, quoted, _ := strings.Cut(rest, " ")
		name, err := strconv.Unquote(quoted)
		if err != nil || !filepath.IsLocal(name) {
			return "", false
		}
		path := filepath.Join(dir, name)
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() {
			return "", false
		}
		if Stamp(info) == stamp {
			return line, true
		}
		size, _, _ := strings.Cut(stamp, ",")
		if size != strconv.FormatInt(info.Size(), 10) {
			return "", false
		}
		hash, stamp, err := hashFile(path)
		return fmt.Sprintf("file %s %s %s", hash, stamp, quoted), err == nil && hash == first
	case "link":
		target, err := strconv.QuotedPrefix(line[len("link "):])
		if err != nil {
			return "", false
		}
		name, err := strconv.Unquote(strings.TrimPrefix(line[len("link ")+len(target):], " "))
		if err != nil || !filepath.IsLocal(name) {
			return "", false
		}
		leads, err := os.Readlink(filepath.Join(dir, name))
		return line, err == nil && strconv.Quote(leads) == target
	}
	return "", false
}
