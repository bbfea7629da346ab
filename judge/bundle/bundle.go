// Package bundle freezes a problem under one id: its directory, its generated cases, and all findings that affect
// verdicts. Laid out on any machine, a bundle is a problem directory that is judged like the original.
//
// The id is the SHA-256 of the manifest (see Manifest.Bytes), which contains the SHA-256 of every file. So the id
// does not depend on the path or name of the directory, the times of its files, or the order in which they are
// listed. A bundle does not contain built programs, contestants' solutions, hidden files, or files that editors
// and interpreters leave behind.
//
// A bundle file, <problem>.bundle, is an uncompressed tar archive. The same problem and configuration give the
// same bytes:
//
//	manifest             its SHA-256 is the id
//	config               the languages and limits that apply; not part of the id
//	blobs/<sha256>       each content once, by digest
//
// The package does not judge, build, or examine anything. Package workspace does.
package bundle

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
)

// Extension is the extension of a bundle file.
const Extension = ".bundle"

// IsBundleFile reports whether path has the extension of a bundle file.
func IsBundleFile(path string) bool { return filepath.Ext(path) == Extension }

// ProblemName returns the problem's name for a bundle file, which is the file name without the extension.
func ProblemName(path string) string { return strings.TrimSuffix(filepath.Base(path), Extension) }

// damagedHint is the remedy for every error in a bundle file.
const damagedHint = "get the bundle again, or freeze the problem again with: judge bundle"

// Bundle is a frozen problem.
type Bundle struct {
	Manifest *Manifest
	Findings *Findings
	Config   []byte // encoded by package config

	path  string // file or directory, for messages
	open  func(Entry) (io.ReadCloser, error)
	close func() error
}

// Findings contains the findings about a problem that must not be determined again, because the result could differ
// on another machine.
type Findings struct {
	Format int `json:"format"` // FindingsFormat
	// TimeLimitUS is the time limit determined for a package that sets none, and TimeLimitFrom describes how it
	// was determined.
	TimeLimitUS   int64  `json:"time_limit_us,omitempty"`
	TimeLimitFrom string `json:"time_limit_from,omitempty"`
	// Dropped lists the graders of a package that cannot be built, with the reasons. File names in Dropped and
	// ProblemErrors are paths in the directory.
	Dropped judge.ProblemErrors `json:"dropped_graders,omitempty"`
	// Reference is the path of the package's submission that serves as the reference solution.
	Reference string `json:"reference,omitempty"`
	// Faults lists the errors in the directory that do not prevent judging.
	Faults judge.ProblemErrors `json:"faults,omitempty"`
	// Languages lists the ids of the languages of the setter's programs.
	Languages []string `json:"languages,omitempty"`
}

// FindingsFormat is the version of Findings. It increases when a field changes its meaning, or when a new field
// changes verdicts.
const FindingsFormat = 1

// encode returns the content of FindingsFile.
func (f *Findings) encode() ([]byte, error) {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", FindingsFile, err)
	}
	return append(data, '\n'), nil
}

// parseFindings parses the output of encode.
func parseFindings(file string, data []byte) (*Findings, error) {
	f := &Findings{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, &judge.ProblemError{File: file, Text: FindingsFile + " of the bundle cannot be read", Hint: damagedHint}
	}
	if f.Format > FindingsFormat || f.Format < 1 {
		return nil, &judge.ProblemError{
			File: file,
			Text: fmt.Sprintf("the bundle has the format %d; this judge knows formats up to %d", f.Format, FindingsFormat),
			Hint: "update the judge: a newer one made this bundle",
		}
	}
	paths := []string{f.Reference}
	for _, fault := range slices.Concat(f.Dropped, f.Faults) {
		if fault == nil {
			return nil, &judge.ProblemError{
				File: file, Text: FindingsFile + " of the bundle has a fault that says nothing", Hint: damagedHint,
			}
		}
		paths = append(paths, fault.File)
	}
	for _, path := range paths {
		if err := checkPath(path); path != "" && path != "." && err != nil {
			return nil, &judge.ProblemError{File: file, Text: FindingsFile + " of the bundle: " + err.Error(), Hint: damagedHint}
		}
	}
	if f.TimeLimitUS < 0 {
		return nil, &judge.ProblemError{File: file, Text: FindingsFile + " of the bundle: the time limit is below 0", Hint: damagedHint}
	}
	return f, nil
}

// Open opens one of the manifest's blobs. It does not check the bytes.
func (b *Bundle) Open(e Entry) (io.ReadCloser, error) { return b.open(e) }

// Close closes the bundle's file.
func (b *Bundle) Close() error { return b.close() }

// fault returns an error about the bundle's file.
func (b *Bundle) fault(text string, args ...any) *judge.ProblemError {
	return &judge.ProblemError{File: b.path, Text: fmt.Sprintf(text, args...), Hint: damagedHint}
}
