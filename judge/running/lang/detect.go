package lang

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"assay/judge/internal/suggest"
	"assay/judge/running/config"
)

// Detect finds the language of the program at path. The override has priority, then the extension, then the #!
// line, and then the format of an executable. If several languages share an extension, the #! line decides, then
// their signs, and then their order in judge.toml.
//
// If there is no program at path, or the language is unknown, the error is an *UnusableError. A setter's program
// in the problem directory may include a script that builds it.
func (t *Toolbox) Detect(path, override string, origin ...Origin) (*config.Language, error) {
	info, err := statSource(path)
	if err != nil {
		return nil, err
	}
	if override != "" {
		return t.Language(override)
	}
	if info.IsDir() && slices.Contains(origin, BySetter) {
		if l := t.byScript(path); l != nil {
			return l, nil
		}
	}
	if info.IsDir() {
		return t.detectDir(path)
	}
	head, err := readHead(path)
	if err != nil {
		return nil, err
	}
	claim := t.languagesOf(extension(path))
	if l := byShebang(t.cfg.Languages, head); l != nil && (len(claim) == 0 || slices.Contains(claim, l)) {
		return l, nil
	}
	if len(claim) > 0 {
		return bySigns(claim, head), nil
	}
	if bytes.HasPrefix(head, []byte(elf.ELFMAG)) {
		for _, l := range t.cfg.Languages {
			if l.Executable {
				return l, nil
			}
		}
	}
	return nil, t.unknown(path, head)
}

// Language finds a language by its id or an alias. If it is unknown, the error is an *UnusableError.
func (t *Toolbox) Language(word string) (*config.Language, error) {
	if l, ok := t.cfg.Language(word); ok {
		return l, nil
	}
	hint := suggest.List(t.cfg.IDs())
	if near, ok := suggest.Closest(word, t.cfg.LanguageNames()); ok {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return nil, unusable("", hint, "unknown language %q", word)
}

// languagesOf returns the languages with an extension. If no language has exactly this extension, case is ignored.
func (t *Toolbox) languagesOf(ext string) []*config.Language {
	var exact, folded []*config.Language
	for _, l := range t.cfg.Languages {
		if slices.Contains(l.Extensions, ext) {
			exact = append(exact, l)
		} else if slices.ContainsFunc(l.Extensions, func(e string) bool { return strings.EqualFold(e, ext) }) {
			folded = append(folded, l)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	return folded
}

// bySigns returns the first language with a sign that occurs in head. If no sign occurs, or there is only one
// language, it returns the first language.
func bySigns(languages []*config.Language, head []byte) *config.Language {
	if len(languages) > 1 {
		for _, l := range languages {
			for _, sign := range l.Signs {
				if re, err := regexp.Compile(sign); err == nil && re.Match(head) {
					return l
				}
			}
		}
	}
	return languages[0]
}

// Sibling returns the first other language that claims the extension of a file, or nil if there is none.
func (t *Toolbox) Sibling(path string, l *config.Language) *config.Language {
	for _, other := range t.languagesOf(extension(path)) {
		if other != l {
			return other
		}
	}
	return nil
}

// byScript returns the first language with a script that the directory contains. It returns nil if there is none.
func (t *Toolbox) byScript(dir string) *config.Language {
	for _, l := range t.cfg.Languages {
		for _, name := range l.Scripts {
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() {
				return l
			}
		}
	}
	return nil
}

// byShebang finds the language of a #! line. It returns nil if there is no such line, or if no language uses the
// interpreter.
func byShebang(languages []*config.Language, head []byte) *config.Language {
	name := interpreter(head)
	if name == "" {
		return nil
	}
	for _, name := range []string{name, strings.TrimRight(name, "0123456789.")} {
		for _, l := range languages {
			if slices.Contains(l.Shebangs, name) {
				return l
			}
		}
	}
	return nil
}

// interpreter returns the base name of the interpreter in a #! line.
func interpreter(head []byte) string {
	rest, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		return ""
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) != "env" {
		return filepath.Base(words[0])
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") {
			return filepath.Base(w)
		}
	}
	return ""
}

// DetectStrict is like Detect for a caller that can ask the user. It rejects a directory with programs in several
// languages, even if only one of them has a file with an entry name.
func (t *Toolbox) DetectStrict(path, override string) (*config.Language, error) {
	if info, err := statSource(path); err == nil && info.IsDir() && override == "" {
		if have, _, err := t.languagesIn(path); err != nil || len(have) > 1 {
			return nil, cmp.Or(err, ambiguous(path, have))
		}
	}
	return t.Detect(path, override)
}

// detectDir finds the language of a directory. It is the only language with files in the directory or, if there
// are several, the only language with a file that has an entry name.
func (t *Toolbox) detectDir(path string) (*config.Language, error) {
	have, start, err := t.languagesIn(path)
	switch {
	case err != nil:
		return nil, err
	case len(have) == 1:
		return have[0], nil
	case len(start) == 1:
		return start[0], nil
	case len(have) == 0:
		return nil, undetectable(path, "name the file of the program, or choose its language with --lang", NoProgram)
	}
	return nil, ambiguous(path, have)
}

func ambiguous(path string, matches []*config.Language) error {
	return undetectable(path, "name one of its files, or choose a language: --lang "+strings.Join(ids(matches), ", --lang "),
		"the directory has programs in %d languages", len(matches))
}

// languagesIn returns the languages of the files in a directory, and the languages with a file there that has an
// entry name.
func (t *Toolbox) languagesIn(path string) (found, byEntry []*config.Language, err error) {
	count := map[*config.Language]int{}
	entries := map[*config.Language]int{}
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("read the program: %w", err)
		}
		if name != path && strings.HasPrefix(d.Name(), ".") {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		claim := t.languagesOf(extension(name))
		if len(claim) == 0 {
			return nil
		}
		l := claim[0]
		if len(claim) > 1 { // languages that share an extension are handled as for a single file
			head, err := readHead(name)
			if err != nil {
				return err
			}
			l = bySigns(claim, head)
		}
		count[l]++
		if slices.Contains(l.Entry, d.Name()) && filepath.Dir(name) == filepath.Clean(path) {
			entries[l]++
		}
		return nil
	})
	for _, l := range t.cfg.Languages {
		if count[l] > 0 {
			found = append(found, l)
		}
		if entries[l] > 0 {
			byEntry = append(byEntry, l)
		}
	}
	return found, byEntry, err
}

func ids(languages []*config.Language) []string {
	all := make([]string, len(languages))
	for i, l := range languages {
		all[i] = l.ID
	}
	return all
}

// NoLanguage is the start of the error text for a file with an unknown extension. NoProgram is the start of the
// error text for a directory that contains only such files.
const (
	NoLanguage = "no language has the extension"
	NoProgram  = "the directory has no program in a known language"
)

// unknown returns an error that explains why no language was found for a file.
func (t *Toolbox) unknown(path string, head []byte) error {
	ext := extension(path)
	for _, l := range t.cfg.Languages {
		if ext != "" && slices.Contains(l.Headers, ext) {
			return unusable(path, "submit the source file, or the directory that contains both", "is a header of %s, not a program", l.Name)
		}
	}
	hint := "choose a language with --lang; " + suggest.List(t.cfg.IDs())
	switch {
	case interpreter(head) != "":
		return undetectable(path, hint, "no language has the interpreter %q of its #! line", interpreter(head))
	case bytes.IndexByte(head, 0) >= 0:
		if err := checkExecutable(path, head); err != nil {
			return err
		}
		return undetectable(path, hint, "is neither a text nor a program for this machine")
	case ext != "":
		return undetectable(path, hint, NoLanguage+" .%s", ext)
	}
	return undetectable(path, hint, "is a text whose language is unknown: neither its name nor a #! line determines it")
}

// headSize is the maximum number of bytes read to detect a file's language. Signs may be anywhere in them.
const headSize = 64 << 10

// readHead reads the beginning of a file.
func readHead(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	defer f.Close()
	head := make([]byte, headSize)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, fmt.Errorf("read the program: %w", err)
	}
	return head[:n], nil
}

// machines maps Go's architectures to ELF machines.
var machines = map[string]elf.Machine{
	"386": elf.EM_386, "amd64": elf.EM_X86_64, "arm": elf.EM_ARM, "arm64": elf.EM_AARCH64,
	"loong64": elf.EM_LOONGARCH, "mips64le": elf.EM_MIPS, "ppc64le": elf.EM_PPC64, "riscv64": elf.EM_RISCV, "s390x": elf.EM_S390,
}

// checkExecutable rejects executables that this machine cannot run. It accepts a file that is not an executable.
func checkExecutable(path string, data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte("MZ\x90\x00")):
		return unusable(path, "submit the source instead", "is a program for Windows")
	case bytes.HasPrefix(data, []byte{0xcf, 0xfa, 0xed, 0xfe}):
		return unusable(path, "submit the source instead", "is a program for macOS")
	case !bytes.HasPrefix(data, []byte(elf.ELFMAG)):
		return nil
	case len(data) < 20:
		return unusable(path, "check that it was copied completely", "is a damaged executable")
	}
	order := elf.Data(data[elf.EI_DATA])
	half := func(at int) uint16 {
		if order == elf.ELFDATA2MSB {
			return uint16(data[at])<<8 | uint16(data[at+1])
		}
		return uint16(data[at+1])<<8 | uint16(data[at])
	}
	machine, kind := elf.Machine(half(18)), elf.Type(half(16))
	if here, known := machines[runtime.GOARCH]; known && machine != here {
		return unusable(path, "submit the source, or build it for this machine",
			"is an executable for another machine: %s, and this one is %s", machineWords(machine), machineWords(here))
	}
	if kind != elf.ET_EXEC && kind != elf.ET_DYN {
		return unusable(path, "link it first, or submit the source", "is an object file, not a program")
	}
	return nil
}

func machineWords(m elf.Machine) string { return strings.TrimPrefix(m.String(), "EM_") }

// siblings returns a hint for a missing file: the most similar name of an existing file in the same directory.
func siblings(path string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near, ok := suggest.Closest(filepath.Base(path), names); ok {
		return fmt.Sprintf("did you mean %q?", filepath.Join(filepath.Dir(path), near))
	}
	return ""
}
