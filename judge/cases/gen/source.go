package gen

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
)

// hashParts returns the SHA-256 of the sources of some parts, with their paths, arguments, and protocols. Go test
// files are omitted because they are not built.
func hashParts(parts ...*judge.SetterProgram) (string, error) {
	sum := sha256.New()
	for _, p := range parts {
		if p == nil {
			fmt.Fprintln(sum, "none")
			continue
		}
		fmt.Fprintf(sum, "%q %q\n", p.Args, p.Protocol)
		err := filepath.WalkDir(p.Path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			rel, err := filepath.Rel(p.Path, path)
			if err != nil {
				return err
			}
			digest, err := hashFile(path)
			if err != nil {
				return err
			}
			fmt.Fprintf(sum, "%q %s\n", filepath.ToSlash(rel), digest)
			return nil
		})
		if err != nil {
			return "", fmt.Errorf("read the sources: %w", err)
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// hashFile returns the SHA-256 of a file's content in hexadecimal.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// hashBytes returns the SHA-256 of data in hexadecimal.
func hashBytes(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
