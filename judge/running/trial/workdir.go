package trial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"assay/judge"
	"assay/judge/internal/forceremove"
	"assay/judge/internal/tail"
)

// A program runs in its private scratch directory, or in a directory with the files that it may read. These are
// the files of the case and, if requested by Setup, the submission's own files. If submissions may not write
// files, no program may write to the directory with these files. The scratch directory still exists for the
// language runtime.

// filesDir is the path of the directory with a program's files inside the sandbox.
const filesDir = "/files"

// How much a program may add to the directory with its files. In bytes, the limit is that of the scratch directory
// or of the output, but at least minRoom. The program may add at most maxFiles files.
const (
	minRoom  = 64 << 20
	maxFiles = 10_000
)

// readOnlyDir is a directory that programs cannot change, so that all cases without their own files can share it.
type readOnlyDir struct {
	mu   sync.Mutex
	path string
}

// leftovers lists directories that could not be removed.
type leftovers struct {
	mu     sync.Mutex
	errors []error
}

// remove removes a directory in which a program has run. A failure does not affect verdicts: the error is reported
// at the end.
func (r *leftovers) remove(dir string) {
	if err := forceremove.All(dir); err != nil {
		r.mu.Lock()
		r.errors = append(r.errors, fmt.Errorf("a program's files cannot be removed: %w", err))
		r.mu.Unlock()
	}
}

// runDirectory is the directory for one run of a program.
type runDirectory struct {
	dir    string // if empty, the scratch directory is used
	remove func()
	before map[string]fs.FileInfo // the content before the run, if it is needed
}

// stderrTail contains the end of what a program wrote to standard error, and the total length.
type stderrTail struct {
	tail.Buffer
	count int64
}

func (h *stderrTail) Write(p []byte) (int, error) {
	h.count += int64(len(p))
	return h.Buffer.Write(p)
}

// countsAll reports whether the output limit applies to everything that a program writes.
func (b *Batch) countsAll() bool { return b.setter.Problem != nil && b.setter.Problem.AllOutput }

// countAll adds the size of standard error and of written files to the size of the output in x, if the output
// limit applies to everything that a program writes.
func (b *Batch) countAll(x *judge.Exec, stderr *stderrTail, runDir *runDirectory) {
	if !b.countsAll() {
		return
	}
	x.Output += stderr.count + runDir.changedSize()
	if x.Killed == judge.NoResource && b.Limits.Output > 0 && x.Output > b.Limits.Output {
		x.Killed = judge.Output // this decides the verdict
	}
}

// snapshot records the content of the directory.
func (at *runDirectory) snapshot() error {
	at.before = map[string]fs.FileInfo{}
	return at.walk(func(name string, info fs.FileInfo) { at.before[name] = info })
}

// walk calls f for each file in the directory.
func (at *runDirectory) walk(f func(name string, info fs.FileInfo)) error {
	return filepath.WalkDir(at.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			f(path, info)
		}
		return err
	})
}

// changedSize returns the total size of the files that the program created or changed. Files that the program has hidden
// are not counted.
func (at *runDirectory) changedSize() (size int64) {
	if at.before == nil {
		return 0
	}
	_ = at.walk(func(name string, info fs.FileInfo) {
		old := at.before[name]
		if old == nil || old.Size() != info.Size() || !old.ModTime().Equal(info.ModTime()) {
			size += info.Size()
		}
	})
	return size
}

// command returns the command for the program with the case's arguments, and the place where it runs. The caller
// must call the place's done function after the run.
func (b *Batch) command(c *judge.Case, limits judge.Limits) (cmd *judge.Command, runDir runDirectory, err error) {
	cmd = b.program.Command(limits, c.Args...)
	files := c.Files
	inFile, outFile := b.files()
	if inFile != "" {
		files = append(slices.Clone(files), judge.CaseFile{Name: inFile, Path: c.In})
	}
	frozen := outFile == "" && b.setter.Problem != nil && b.setter.Problem.NoFiles
	if len(files) == 0 && outFile == "" && !frozen && !b.setter.ShowSource {
		return cmd, runDirectory{remove: func() {}}, nil
	}
	if runDir, err = b.workDir(files, frozen); err != nil {
		return nil, runDir, err
	}
	if b.countsAll() && !frozen { // the scratch directory has its own limit
		if err := runDir.snapshot(); err != nil {
			runDir.remove()
			return nil, runDir, fmt.Errorf("look at the case's files: %w", err)
		}
	}
	shown := judge.Mount{Host: runDir.dir, At: filesDir, Writable: !frozen}
	if !frozen {
		shown.Bytes, shown.Files = max(limits.Scratch, limits.Output, minRoom), maxFiles
	}
	cmd.Mounts = append(cmd.Mounts, shown)
	cmd.Dir = filesDir
	return cmd, runDir, nil
}

// files returns the names of the files that the program uses instead of standard input and output.
func (b *Batch) files() (in, out string) {
	if p := b.setter.Problem; p != nil {
		return p.InFile, p.OutFile
	}
	return "", ""
}

// workDir creates the directory in which a program runs on a case. If readOnly is set, the program cannot change the
// directory. Then all cases without files share one directory.
func (b *Batch) workDir(files []judge.CaseFile, readOnly bool) (runDir runDirectory, err error) {
	if !readOnly {
		runDir.dir, err = b.layOutAll(files)
		runDir.remove = func() { b.leftovers.remove(runDir.dir) }
		return runDir, err
	}
	if len(files) == 0 {
		b.readOnly.mu.Lock()
		defer b.readOnly.mu.Unlock()
		if b.readOnly.path == "" {
			b.readOnly.path, err = b.layOutReadOnly(nil)
		}
		return runDirectory{dir: b.readOnly.path, remove: func() {}}, err
	}
	runDir.dir, err = b.layOutReadOnly(files)
	runDir.remove = func() { b.leftovers.remove(runDir.dir) }
	return runDir, err
}

// copyWritten copies a file that the program wrote to its directory. If the file does not exist, it copies nothing.
// The program may have created a link, or an endless file. Bytes beyond the limit are counted but not copied.
func (at *runDirectory) copyWritten(name string, to io.Writer, limit int64) (size int64, err error) {
	_ = os.Chmod(at.dir, 0o700) // a program that runs as our user may have removed our right to read it
	root, err := os.OpenRoot(at.dir)
	if err != nil {
		return 0, fmt.Errorf("read what the program wrote: %w", err)
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, nil
	}
	_ = root.Chmod(name, 0o600)
	f, err := root.Open(name)
	if err != nil {
		return 0, nil // the file was replaced
	}
	defer f.Close()
	var from io.Reader = f
	if limit > 0 {
		from = io.LimitReader(f, limit+1)
	}
	if _, err = io.Copy(to, from); err != nil {
		return 0, fmt.Errorf("read what the program wrote: %w", err)
	}
	return info.Size(), nil
}

// layOutReadOnly is like layOutAll, but removes the write permission from the directory. So no program can write to
// it even if the sandbox cannot prevent writing.
func (b *Batch) layOutReadOnly(files []judge.CaseFile) (dir string, err error) {
	if dir, err = b.layOutAll(files); err == nil {
		err = os.Chmod(dir, 0o555)
	}
	return dir, err
}

// layOutAll creates a directory with the submission's own files. The given files replace files of the same name.
func (b *Batch) layOutAll(files []judge.CaseFile) (dir string, err error) {
	dir, err = os.MkdirTemp(b.TempDir, "assay-files-*")
	if err != nil {
		return "", fmt.Errorf("lay out the case's files: %w", err)
	}
	if b.setter.ShowSource {
		if err = copySource(b.Source, dir); err == nil {
			err = makeWritable(dir)
		}
		if err != nil {
			err = fmt.Errorf("lay out the submission's files: %w", err)
		}
	}
	if err == nil {
		err = copyCaseFiles(dir, files)
	}
	if err != nil {
		return "", errors.Join(err, forceremove.All(dir))
	}
	return dir, nil
}

// makeWritable allows the program, which runs as another user, to change the files as in its usual directory. The
// files are copies.
func makeWritable(dir string) error {
	return filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.Type()&os.ModeSymlink != 0 {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o777)
		}
		return os.Chmod(path, 0o666)
	})
}

// copyCaseFiles copies a case's files.
func copyCaseFiles(dir string, files []judge.CaseFile) error {
	if err := os.Chmod(dir, 0o777); err != nil {
		return fmt.Errorf("lay out the case's files: %w", err)
	}
	for _, f := range files {
		if !filepath.IsLocal(f.Name) {
			return &judge.ProblemError{File: f.Path, Text: fmt.Sprintf("the case's file %q is not inside the working directory", f.Name)}
		}
		data := f.Data
		if data == nil {
			var err error
			if data, err = os.ReadFile(f.Path); err != nil {
				return unreadable(f.Path, "file", err)
			}
		}
		var err error
		path := filepath.Join(dir, f.Name)
		if err = os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
			if err = os.WriteFile(path, data, 0o666); err == nil {
				err = os.Chmod(path, 0o666)
			}
		}
		if err != nil {
			return fmt.Errorf("lay out the case's files: %w", err)
		}
	}
	return nil
}
