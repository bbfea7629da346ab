//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
)

// explainUnseen returns a *judge.NotVisibleError instead of a *judge.ExecError, if the command exists on the host in a
// place that programs do not see. Files in the command's mounts may belong to a submission. So the names in them
// are not looked up on the host, and a submission cannot find out which files exist there.
func (s *Sandbox) explainUnseen(c *judge.Command, err error) error {
	refused, ok := errors.AsType[*judge.ExecError](err)
	if !ok || s.report.Level == None || slices.ContainsFunc(c.Mounts, func(m judge.Mount) bool { return under(c.Argv[0], m.At) }) {
		return err
	}
	if !strings.Contains(refused.Reason, "no such file") && !strings.Contains(refused.Reason, "does not exist") {
		return err
	}
	can, _ := splitShowable(s.readOnly)
	l := executableTracer{shown: slices.Concat(baseSystem, can)}
	l.follow(onHost(c))
	if len(l.hidden) == 0 {
		return err
	}
	e := &judge.NotVisibleError{Argv0: c.Argv[0], Chain: l.chain[:l.needed], Hidden: l.hidden}
	e.Reserved = slices.ContainsFunc(l.hidden, func(dir string) bool { return under(dir, Scratch) || under(dir, "/var"+Scratch) })
	return e
}

// onHost returns the command's file on the host: its path, or the file found on the PATH of the command or,
// failing that, of the judge.
func onHost(c *judge.Command) string {
	name := c.Argv[0]
	if filepath.IsAbs(name) {
		return name
	}
	list := ""
	for _, e := range c.Env {
		if v, ok := strings.CutPrefix(e, "PATH="); ok {
			list = v
		}
	}
	for _, dir := range append(filepath.SplitList(list), filepath.SplitList(os.Getenv("PATH"))...) {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && filepath.IsAbs(dir) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// executableTracer finds the files that are needed to execute a file.
type executableTracer struct {
	shown  []string // paths that programs see
	chain  []string // files, each followed by the next one that is needed
	hidden []string // directories of those files that are not visible
	needed int      // length of the part of chain that ends with the last invisible file
}

// maxLinks is the maximum number of links and interpreters that are followed.
const maxLinks = 16

// follow examines a file, then the target of a link, and then its interpreter.
func (l *executableTracer) follow(path string) {
	for range maxLinks {
		info, err := os.Lstat(path)
		if path == "" || err != nil {
			return
		}
		l.record(path)
		next := ""
		if info.Mode()&os.ModeSymlink != 0 {
			if next, err = os.Readlink(path); err != nil {
				return
			}
			if !filepath.IsAbs(next) {
				next = filepath.Join(filepath.Dir(path), next)
			}
		} else {
			if real, err := filepath.EvalSymlinks(path); err == nil && real != path { // a parent directory is a link
				l.record(real)
			}
			next = interpreter(path)
		}
		path = next
	}
}

// record records a file. If programs cannot see the file, it also records the directory that must be made visible.
func (l *executableTracer) record(path string) {
	l.chain = append(l.chain, path)
	if slices.ContainsFunc(l.shown, func(dir string) bool { return under(path, dir) }) {
		return
	}
	l.needed = len(l.chain)
	dir := filepath.Dir(path)
	home, _ := os.UserHomeDir()
	if above := filepath.Dir(dir); filepath.Base(dir) == "bin" && above != "/" && above != home && filepath.Dir(above) != "/home" {
		dir = above // a tool's libraries are beside its bin directory
	}
	if !slices.ContainsFunc(l.hidden, func(known string) bool { return under(dir, known) }) {
		l.hidden = append(l.hidden, dir)
	}
}

// interpreter returns the interpreter of a script or of a dynamically linked program. It returns the empty string
// if there is none.
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256)
	n, _ := f.ReadAt(head, 0)
	if line, script := bytes.CutPrefix(head[:n], []byte("#!")); script {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		if words := bytes.Fields(line); len(words) > 0 {
			return string(words[0])
		}
		return ""
	}
	file, err := elf.NewFile(f)
	if err != nil {
		return ""
	}
	for _, p := range file.Progs {
		if p.Type == elf.PT_INTERP {
			name := make([]byte, min(p.Filesz, 4096))
			if _, err := p.ReadAt(name, 0); err == nil {
				return string(bytes.TrimRight(name, "\x00"))
			}
		}
	}
	return ""
}

// under reports whether path is dir or lies in it.
func under(path, dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }
