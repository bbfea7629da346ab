package mutate

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"assay/judge/internal/pattern"
)

// Mutants for which a compiler generates the same code count as one mutant. A mutant is dropped if its code equals
// that of the original program (trivial compiler equivalence: Papadakis and others, 2015).

// fingerprint is a hash of the code that a compiler generated for a copy of the program, for example for a mutant.
// The zero value means unknown.
type fingerprint [sha256.Size]byte

// copyName returns the name of a copy in files and symbols.
func copyName(id int) string { return fmt.Sprintf("m%04d_", id) }

var copyNames = pattern.New(`m\d{4}_`)

// fingerprints hashes the files that a build of several copies of the program has left in dir. These files are
// either assembly, in which function names contain the copy's name, or a directory of class files for each copy.
func fingerprints(dir string) (map[string]fingerprint, error) {
	found := map[string]map[string]string{} // by copy and symbol
	put := func(id, name, body string) {
		if found[id] == nil {
			found[id] = map[string]string{}
		}
		found[id][name] += body + "\n"
	}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		ext := path.Ext(name)
		if err != nil || d.IsDir() || ext != ".s" && ext != ".class" {
			return err
		}
		data, err := fs.ReadFile(os.DirFS(dir), name)
		if err != nil {
			return err
		}
		if ext == ".s" {
			splitAssembly(string(data), put)
		} else if id := copyNames().FindString(name); id != "" {
			put(id, path.Base(name), string(bytes.ReplaceAll(data, []byte(id), []byte("self"))))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what was built: %w", err)
	}
	prints := map[string]fingerprint{}
	for id, symbols := range found {
		var all []string
		for name, body := range symbols {
			all = append(all, fmt.Sprintf("%q %q", name, body))
		}
		slices.Sort(all)
		prints[id] = sha256.Sum256([]byte(strings.Join(all, "\n")))
	}
	return prints, nil
}

var (
	label      = pattern.New(`^([A-Za-z_.$][\w.$@]*):`)
	localLabel = pattern.New(`\.L[\w.$]+`)
	// ignoredAssembly matches assembly lines that do not affect behavior, such as lines for the layout of code or for
	// debuggers.
	ignoredAssembly = pattern.New(
		`^\s*(?:\.(?:cfi_\w+|globl|local|type|size|p2align|align|section|text|data|bss|weak|hidden|file|loc|ident|set\s+\.L\w+,)\b|#|$)`,
	)
	data   = pattern.New(`^\s*\.(?:string|ascii|asciz|byte|short|value|word|long|int|quad|octa|zero|float|double)\b`)
	rustID = pattern.New(`(_ZN[\w.$]*m\d{4}_[\w.$]*?)17h[0-9a-f]{16}E`)
)

// splitAssembly splits assembler text by the symbols of each copy. It replaces the copy's own name, and labels, with
// text that is the same for all copies.
func splitAssembly(text string, put func(id, name, body string)) {
	type chunk struct {
		name  string
		lines []string
	}
	var chunks []*chunk
	constants := map[string]string{}
	at, constant := &chunk{}, (*chunk)(nil)
	keep := func() {
		if constant != nil {
			constants[constant.name] = strings.Join(constant.lines, "\n")
			constant = nil
		}
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		m := label().FindStringSubmatch(line)
		switch {
		case m != nil && !strings.HasPrefix(m[1], ".L"):
			keep()
			at = &chunk{name: m[1]}
			chunks = append(chunks, at)
		case m != nil && i+1 < len(lines) && data().MatchString(lines[i+1]) && !strings.Contains(lines[i+1], ".L"):
			keep()
			constant = &chunk{name: m[1]}
		case strings.HasPrefix(strings.TrimSpace(line), ".comm"):
			keep()
			name, _, _ := strings.Cut(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), ".comm")), ",")
			chunks = append(chunks, &chunk{name: name, lines: []string{line}})
		case constant != nil && data().MatchString(line) && !strings.Contains(line, ".L"):
			constant.lines = append(constant.lines, line)
		case ignoredAssembly().MatchString(line):
		default:
			keep()
			at.lines = append(at.lines, line)
		}
	}
	keep()
	for _, c := range chunks {
		id := copyNames().FindString(c.name)
		if id == "" || strings.HasPrefix(c.name, "_GLOBAL__") {
			continue // _GLOBAL__ sets the variables of all copies, but has the name of only one
		}
		numbers := map[string]string{}
		own := func(text string) string {
			return strings.ReplaceAll(rustID().ReplaceAllString(text, "${1}E"), id, "self")
		}
		body := localLabel().ReplaceAllStringFunc(own(strings.Join(c.lines, "\n")), func(name string) string {
			if value, is := constants[name]; is {
				return own(value)
			}
			if numbers[name] == "" {
				numbers[name] = fmt.Sprintf("@%d", len(numbers))
			}
			return numbers[name]
		})
		put(id, own(c.name), body)
	}
}

// tokenFingerprint hashes the tokens of a mutant.
func (s *Source) tokenFingerprint(m *Mutant) fingerprint {
	var all []string
	for _, t := range s.family.Lexis.tokens(s.mutantText(m)) {
		all = append(all, t.text)
	}
	return sha256.Sum256([]byte(strings.Join(all, "\x00")))
}
