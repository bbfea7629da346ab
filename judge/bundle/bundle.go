// Package bundle freezes a problem under one id: its directory and its generated cases, with
// all that was found out about it and changes verdicts. A bundle that is laid out anywhere
// is a problem directory that is judged as the first one was.
//
// The id is the SHA-256 of the manifest (see Manifest.Bytes), which has the SHA-256 of
// every file. So it does not depend on where the directory is, what it is called, when
// its files were written, or in which order they are listed. Not in a bundle are built
// programs, contestants' solutions, hidden files, and what editors and interpreters
// leave after.
//
// A bundle file, <problem>.bundle, is an uncompressed tar archive, the same bytes for
// the same problem and configuration:
//
//	manifest             its SHA-256 is the id
//	config               the languages and limits that count, which the id does not know
//	blobs/<sha256>       each content once, by digest
//
// The package does not judge, build or find out anything: package workspace does.
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

// Extension ends the name of a bundle file.
const Extension = ".bundle"

// Is reports whether a path is named as a bundle file is.
func Is(path string) bool { return filepath.Ext(path) == Extension }

// Name returns what the problem of a bundle file is called: the file's name.
func Name(path string) string { return strings.TrimSuffix(filepath.Base(path), Extension) }

// damagedHint is the way out of every fault of a bundle file.
const damagedHint = "get the bundle again, or freeze the problem again with: judge freeze"

// Bundle is a frozen problem.
type Bundle struct {
	Manifest *Manifest
	Frozen   *Frozen
	Config   []byte // package config knows what it says

	from  string // the file or directory, for faults
	open  func(Entry) (io.ReadCloser, error)
	close func() error
}

// Frozen is what was found out about a problem and must not be found out again, because
// on another machine it would be something else.
type Frozen struct {
	Format int `json:"format"` // FrozenFormat
	// TimeLimit is that of a package that sets none, and TimeLimitFrom how it was found.
	TimeLimitUS   int64  `json:"time_limit_us,omitempty"`
	TimeLimitFrom string `json:"time_limit_from,omitempty"`
	// Dropped says of graders of a package why they cannot be built. Their files, and those
	// of Faults, are paths in the directory.
	Dropped judge.Faults `json:"dropped_graders,omitempty"`
	// Reference is the submission of a package that says what is right, by path.
	Reference string `json:"reference,omitempty"`
	// Faults are those of the directory that do not stop the judging.
	Faults judge.Faults `json:"faults,omitempty"`
	// Languages are the ids of those in which the setter's programs are written.
	Languages []string `json:"languages,omitempty"`
}

// FrozenFormat is the version of Frozen. It rises when a field changes its meaning, or a
// new one changes verdicts.
const FrozenFormat = 1

// encode writes what was found out as the bytes of FrozenFile.
func (f *Frozen) encode() ([]byte, error) {
	data, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", FrozenFile, err)
	}
	return append(data, '\n'), nil
}

// parseFrozen reads what encode wrote.
func parseFrozen(file string, data []byte) (*Frozen, error) {
	f := &Frozen{}
	if err := json.Unmarshal(data, f); err != nil {
		return nil, &judge.Fault{File: file, Text: FrozenFile + " of the bundle cannot be read", Hint: damagedHint}
	}
	if f.Format > FrozenFormat || f.Format < 1 {
		return nil, &judge.Fault{
			File: file,
			Text: fmt.Sprintf("the bundle has the format %d; this judge knows formats up to %d", f.Format, FrozenFormat),
			Hint: "it was frozen by a newer judge: get that one",
		}
	}
	paths := []string{f.Reference}
	for _, fault := range slices.Concat(f.Dropped, f.Faults) {
		if fault == nil {
			return nil, &judge.Fault{File: file, Text: FrozenFile + " of the bundle has a fault that says nothing", Hint: damagedHint}
		}
		paths = append(paths, fault.File)
	}
	for _, path := range paths {
		if err := checkPath(path); path != "" && path != "." && err != nil {
			return nil, &judge.Fault{File: file, Text: FrozenFile + " of the bundle: " + err.Error(), Hint: damagedHint}
		}
	}
	if f.TimeLimitUS < 0 {
		return nil, &judge.Fault{File: file, Text: FrozenFile + " of the bundle: the time limit is below 0", Hint: damagedHint}
	}
	return f, nil
}

// Open opens the bytes of one of the manifest's blobs. They are not checked.
func (b *Bundle) Open(e Entry) (io.ReadCloser, error) { return b.open(e) }

// Close ends the use of the bundle's file.
func (b *Bundle) Close() error { return b.close() }

// fault is one of the bundle's file.
func (b *Bundle) fault(text string, args ...any) *judge.Fault {
	return &judge.Fault{File: b.from, Text: fmt.Sprintf(text, args...), Hint: damagedHint}
}
