package gen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/strict"
)

// ManifestFile is the name of the manifest in the directory of a group's generated cases.
const ManifestFile = "manifest.toml"

// A Manifest lists a group's generated cases, with hashes of their sources and files.
type Manifest struct {
	// Sources is the SHA-256 of the sources of the generator, the validator, and the reference solution that made
	// the cases. If it differs from that of the current sources, the cases may be out of date.
	Sources string `toml:"sources"`
	ProgramHashes
	Cases []ManifestCase `toml:"case"`
}

// A ManifestCase is one generated case.
type ManifestCase struct {
	Name string `toml:"name"`
	Line string `toml:"line"`
	Seed string `toml:"seed"`
	In   string `toml:"in"`  // SHA-256 of the input file
	Ans  string `toml:"ans"` // SHA-256 of the answer file
}

// ReadManifest reads the manifest in a directory of cases. If there is none, it returns an empty manifest.
func ReadManifest(dir string) (*Manifest, judge.ProblemErrors) {
	file := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return &Manifest{}, nil
	}
	if err != nil {
		return nil, judge.ProblemErrors{{File: file, Text: err.Error()}}
	}
	return parseManifest(file, data)
}

func parseManifest(file string, data []byte) (*Manifest, judge.ProblemErrors) {
	var m Manifest
	doc, faults := strict.Decode(file, data, &m)
	if doc == nil || len(faults) > 0 {
		return nil, faults
	}
	for i, e := range m.Cases {
		if !filepath.IsLocal(e.Name) || strings.ContainsAny(e.Name, `/\`) {
			faults = append(faults, doc.Fault(
				fmt.Sprintf("case[%d].name", i), fmt.Sprintf("%q cannot be the name of a case", e.Name),
				"restore it with: judge generate",
			))
		}
	}
	return &m, faults
}

// entry returns the entry with a name, or nil if there is none.
func (m *Manifest) entry(name string) *ManifestCase {
	for i := range m.Cases {
		if m.Cases[i].Name == name {
			return &m.Cases[i]
		}
	}
	return nil
}

// format formats the manifest as a file with one block per case, in judging order. So a changed case changes only
// its own lines.
func (m *Manifest) format() []byte {
	var b strings.Builder
	b.WriteString("# Made by `judge generate`; do not edit. `judge generate --check` proves that\n" +
		"# the files beside this one are what the generator lines make.\n")
	fmt.Fprintf(&b, "sources = %q\n", m.Sources)
	fmt.Fprintf(&b, "generator = %q\nvalidator = %q\nreference = %q\n", m.Generator, m.Validator, m.Reference)
	for _, e := range m.Cases {
		fmt.Fprintf(
			&b, "\n[[case]]\nname = %s\nline = %s\nseed = %q\nin   = %q\nans  = %q\n", quote(e.Name), quote(e.Line),
			e.Seed, e.In, e.Ans,
		)
	}
	return []byte(b.String())
}

// quote formats a TOML string.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			b.WriteRune('\\')
			b.WriteRune(c)
		case c < ' ' || c == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, c)
		default:
			b.WriteRune(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
