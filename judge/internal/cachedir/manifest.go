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

// manifestName is a file in each entry that lists its files:
//
//	assay cache 1 BYTES FILES
//	file HASH STAMP NAME
//	link TARGET NAME
//	end
//
// Names and targets are quoted. The manifest's modification time is when the entry was last used.
const (
	manifestName = ".manifest"
	manifestHead = "assay cache 1"
	manifestEnd  = "end"
)

// touchAfter is the minimum age of a manifest's modification time before the time is updated.
const touchAfter = time.Minute

// Stamp returns a text that changes when a file changes. It contains the size and the modification time. If the
// system provides them, it also contains the inode number and the time of the last change of any kind, which
// programs cannot set.
func Stamp(info fs.FileInfo) string {
	changed, number := changeOf(info)
	return fmt.Sprintf("%d,%d,%d,%d", info.Size(), info.ModTime().UnixNano(), changed, number)
}

// seal writes the manifest of a directory, and returns the size of the directory.
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

// hashFile returns the hash of a file, and its stamp from before hashing, so that concurrent changes are detected.
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

// readManifest reads the head of a manifest and the lines up to the end. It returns false if the manifest is
// missing or incomplete.
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

// isIntact reports whether an entry is undamaged. If only the stamps of files differ, as in a copied cache, whole
// compares the contents and records the new stamps.
func (s *Cache) isIntact(dir string) bool {
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
		if tmp, done, err := s.Temp(); err == nil { // otherwise the next call compares the contents again
			text := strings.Join(append(append([]string{head}, lines...), manifestEnd, ""), "\n")
			if file := filepath.Join(tmp, manifestName); os.WriteFile(file, []byte(text), 0o644) == nil {
				_ = os.Rename(file, manifest)
			}
			done()
		}
	}
	if info, err := os.Stat(manifest); err == nil && time.Since(info.ModTime()) > touchAfter {
		now := time.Now()
		_ = os.Chtimes(manifest, now, now) // if the cache is read-only, nothing can be removed either
	}
	return true
}

// checkLine checks a line of a manifest against the file or link that it names. It returns the line with the
// current stamp.
func checkLine(dir, line string) (current string, ok bool) {
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
