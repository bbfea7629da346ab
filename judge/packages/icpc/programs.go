package icpc

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/problem"
)

// languages maps file extensions to the format's language codes. For other extensions, the judge's own table is
// used.
var languages = map[string]string{
	"adb": "ada", "ads": "ada", "a68": "algol68", "apl": "apl", "sh": "bash", "c": "c", "cob": "cobol",
	"cc": "cpp", "cpp": "cpp", "cxx": "cpp", "c++": "cpp", "C": "cpp", "cr": "crystal", "cs": "csharp", "d": "d",
	"dart": "dart", "ex": "elixir", "erl": "erlang", "f90": "fortran", "fs": "fsharp", "ss": "gerbil", "go": "go",
	"hs": "haskell", "java": "java", "js": "javascript", "jl": "julia", "kt": "kotlin", "lisp": "lisp", "cl": "lisp",
	"lua": "lua", "nim": "nim", "m": "objectivec", "ml": "ocaml", "odin": "odin", "pas": "pascal", "pm": "perl",
	"pl": "perl", "php": "php", "py2": "python2", "py": "python3", "py3": "python3", "rkt": "racket", "rb": "ruby",
	"rs": "rust", "scala": "scala", "sim": "simula", "st": "smalltalk", "sno": "snobol", "swift": "swift",
	"ts": "typescript", "vb": "visualbasic", "zig": "zig", "awk": "awk", "bash": "bash", "mjs": "javascript",
	// Extensions that the format does not list, but that packages use.
	"R": "r", "r": "r", "plg": "prolog", "prolog": "prolog", "f95": "fortran", "f": "fortran", "p": "pascal", "scm": "scheme",
}

// KnownLanguage reports whether the format knows the language of any file of the submission.
func (p *Package) KnownLanguage(s *problem.Submission) bool {
	return slices.ContainsFunc(p.sources("submissions/"+s.Name), func(name string) bool {
		_, known := languages[extension(name)]
		return known
	})
}

// nonPrograms contains the extensions of files that are often found beside programs but are not programs.
var nonPrograms = map[string]bool{
	"h": true, "hh": true, "hpp": true, "hxx": true, "mli": true, "txt": true, "md": true, "tex": true, "pdf": true,
	"bin": true, "exe": true, "o": true, "obj": true, "out": true, "class": true, "jar": true, "pyc": true, "hi": true,
	"a": true, "so": true, "bak": true, "orig": true, "swp": true, "log": true, "yaml": true, "yml": true, "toml": true,
	"json": true, "in": true, "ans": true, "zip": true, "gz": true, "ipynb": true, "csv": true, "dat": true, "html": true,
	"cbp": true, "depend": true, "layout": true, "iml": true, "xml": true, "gitignore": true, "vscode": true,
	"expect": true, "lock": true, "mod": true, "sum": true, "dSYM": true, "cmake": true, "diff": true, "patch": true, "disabled": true,
}

// nonProgramNames lists the names of such files.
var nonProgramNames = []string{
	"makefile", "cmakelists.txt", "readme", "license", "__pycache__", "a.out", "todo", "notes", "cargo.lock",
	"compile_flags.txt", "target", "node_modules", "obj", "bin", "submissions.yaml",
}

// isNonProgram reports whether name, in a directory of programs, is not the name of a program.
func isNonProgram(name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#") {
		return true
	}
	return nonPrograms[extension(name)] || slices.Contains(nonProgramNames, strings.ToLower(name))
}

func extension(name string) string { return strings.TrimPrefix(path.Ext(name), ".") }

// programs lists the programs in a directory: files, and directories that contain a source or a script.
func (p *Package) programs(dir string) (paths []string) {
	entries := p.list(dir)
	for _, e := range entries {
		name := path.Join(dir, e.Name)
		switch {
		case isNonProgram(e.Name) || p.isBuilt(dir, e, entries):
		case e.Dir && p.holdsProgram(name), !e.Dir && p.isProgram(name):
			paths = append(paths, name)
		}
	}
	return paths
}

// validators lists the programs in a directory of validators. If the directory contains scripts that build or run
// its files, as in DOMjudge's packages, the directory itself is the program.
func (p *Package) validators(dir string) []string {
	if p.isFile(path.Join(dir, "build")) || p.isFile(path.Join(dir, "run")) {
		return []string{dir}
	}
	return p.programs(dir)
}

// isBuilt reports whether a file was compiled for any machine from a source beside it, such as sol from sol.cpp.
func (p *Package) isBuilt(dir string, e entry, siblings []entry) bool {
	return !e.Dir && slices.Contains(executables, p.head(path.Join(dir, e.Name))) && slices.ContainsFunc(siblings, func(source entry) bool {
		_, known := languages[extension(source.Name)]
		return known && !source.Dir && strings.TrimSuffix(source.Name, path.Ext(source.Name)) == e.Name
	})
}

// executables lists the first bytes of executables for Linux and macOS.
var executables = []string{"\x7fELF", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe"}

// head returns the beginning of a file.
func (p *Package) head(name string) string {
	f, err := p.root.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	return string(head[:n])
}

// isProgram reports whether a file may be a program: it has a known extension, is executable, or begins with
// #!.
func (p *Package) isProgram(name string) bool {
	if _, known := languages[extension(name)]; known {
		return true
	}
	info, err := p.root.Stat(name)
	if err != nil || info.Size() == 0 {
		return false
	}
	if info.Mode()&0o111 != 0 {
		return true
	}
	head := p.head(name)
	return strings.HasPrefix(head, "#!") || head == "\x7fELF"
}

// holdsProgram reports whether a directory contains a program.
func (p *Package) holdsProgram(dir string) bool {
	for _, e := range p.list(dir) {
		name := path.Join(dir, e.Name)
		if isNonProgram(e.Name) {
			continue
		}
		if e.Dir && p.holdsProgram(name) || !e.Dir && p.isProgram(name) {
			return true
		}
	}
	return false
}

// readPrograms finds the validators.
func (p *Package) readPrograms(m *metadata) (faults judge.ProblemErrors) {
	p.readInputValidators()
	validator := p.outputValidator(m)
	switch {
	case validator == "" && (m.custom || m.interactive || m.multiPass):
		dir := "output_validator"
		if p.Format.isLegacy() {
			dir = "output_validators"
		}
		faults = append(faults, &judge.ProblemError{
			File: p.pathOf(dir), Text: "the problem needs an output validator, but has none",
			Hint: "add the program, or change the type in " + File,
		})
	case validator == "":
		p.Checker = judge.CheckerSpec{Name: "tokens", Args: m.validator}
	default:
		part := &judge.SetterProgram{Path: p.pathOf(validator), Args: m.validator, Protocol: "kattis"}
		if m.interactive {
			p.Interactor = part
		} else {
			p.Checker = judge.CheckerSpec{Program: part}
		}
	}
	p.ValidatorArgs = m.validator
	if p.holdsProgram("static_validator") {
		p.Static = &judge.SetterProgram{Path: p.pathOf(p.soleProgram("static_validator")), Protocol: "kattis"}
	}
	return faults
}

// outputValidator finds the output validator. It returns the empty string for the default one.
func (p *Package) outputValidator(m *metadata) string {
	old := p.validators("output_validators")
	hasNew := p.holdsProgram("output_validator")
	switch {
	case p.Format.isLegacy() && !m.custom:
		return ""
	case p.Format.isLegacy() && len(old) > 0, !hasNew && len(old) > 0:
		if !p.Format.isLegacy() {
			p.warn("output_validators", "this version of the format expects one validator, in output_validator/", "rename the directory")
		}
		if len(old) > 1 {
			p.warn(
				"output_validators",
				fmt.Sprintf("there are %d output validators; only %s is used", len(old), path.Base(old[0])),
				"remove the others",
			)
		}
		return old[0]
	case hasNew:
		return p.soleProgram("output_validator")
	}
	return ""
}

// soleProgram returns the program in a directory: the directory itself or, if it contains nothing else, its only
// subdirectory.
func (p *Package) soleProgram(dir string) string {
	var subs, files []string
	for _, e := range p.list(dir) {
		switch {
		case isNonProgram(e.Name):
		case e.Dir && p.holdsProgram(path.Join(dir, e.Name)):
			subs = append(subs, e.Name)
		case !e.Dir:
			files = append(files, e.Name)
		}
	}
	if len(files) == 0 && len(subs) == 1 {
		return path.Join(dir, subs[0])
	}
	return dir
}

// readInputValidators finds the programs and grammars that must accept every input.
func (p *Package) readInputValidators() {
	for _, dir := range []string{"input_validators", "input_format_validators"} {
		if slices.Equal(p.validators(dir), []string{dir}) {
			p.addInput(dir, false)
			continue
		}
		for _, e := range p.list(dir) {
			name := path.Join(dir, e.Name)
			switch ext := extension(e.Name); {
			case ext == "ctd" && !e.Dir:
				p.addInput(name, true)
			case ext == "viva":
				p.warn(name, "validators for VIVA are not supported", "write it as a program, or for checktestdata (.ctd)")
			case isNonProgram(e.Name):
			case e.Dir:
				if grammar := p.onlyGrammar(name); grammar != "" {
					p.addInput(grammar, true)
				} else if p.holdsProgram(name) {
					p.addInput(name, false)
				}
			case p.isProgram(name):
				p.addInput(name, false)
			}
		}
	}
	if len(p.Inputs) > 0 {
		p.Validator = &p.Inputs[0].SetterProgram
	}
}

// onlyGrammar finds the grammar in a directory that contains nothing else.
func (p *Package) onlyGrammar(dir string) string {
	found := ""
	for _, e := range p.list(dir) {
		switch {
		case extension(e.Name) == "ctd" && !e.Dir && found == "":
			found = path.Join(dir, e.Name)
		case !isNonProgram(e.Name):
			return ""
		}
	}
	return found
}

func (p *Package) addInput(name string, ctd bool) {
	base := path.Base(name)
	v := &problem.InputValidator{
		SetterProgram: judge.SetterProgram{Path: p.pathOf(name), Protocol: "kattis"},
		Name:          strings.TrimSuffix(base, path.Ext(base)),
	}
	if ctd {
		v.Protocol = judge.Checktestdata
	}
	for _, other := range p.Inputs {
		if other.Name == v.Name {
			p.warn(name, fmt.Sprintf("two input validators are called %q", v.Name), "rename one")
		}
	}
	p.Inputs = append(p.Inputs, v)
}

// Header returns a function that finds a header for a program of the package. It searches the program's directory,
// then include/, and then the whole package.
func (p *Package) Header(programPath string) func(name string) ([]byte, bool) {
	return func(name string) ([]byte, bool) {
		places := []string{path.Join(path.Dir(p.inside(programPath)), name), name}
		for _, e := range p.list("include") {
			places = append(places, path.Join("include", e.Name, name))
		}
		for _, place := range places {
			if data, err := p.read(place); err == nil {
				return data, true
			}
		}
		if found := p.find(".", path.Base(name), 0); found != "" {
			if data, err := p.read(found); err == nil {
				return data, true
			}
		}
		return nil, false
	}
}

// find finds the file called base below a directory. It skips data and submissions.
func (p *Package) find(dir, base string, depth int) string {
	if depth > 4 {
		return ""
	}
	for _, e := range p.list(dir) {
		name := path.Join(dir, e.Name)
		switch {
		case !e.Dir && e.Name == base:
			return name
		case e.Dir && name != "data" && name != "submissions":
			if found := p.find(name, base, depth+1); found != "" {
				return found
			}
		}
	}
	return ""
}
