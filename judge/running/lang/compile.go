package lang

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"assay/judge"
	"assay/judge/internal/cachedir"
	"assay/judge/running/config"
)

// maxBuildFiles is the maximum number of files and directories in a build directory that are examined.
const maxBuildFiles = 200_000

// key returns the hash of everything that affects a program: the cache format, the settings in judge.toml, the
// tools, the origin of the program, and the sources.
func (t *Toolbox) key(src *source, l *config.Language, chain *toolchain, origin Origin) (string, error) {
	h := sha256.New()
	def, err := json.Marshal([]any{cacheFormat, l, t.cfg.Env, chain.identity, chain.paths, origin, src.words})
	if err != nil {
		return "", fmt.Errorf("hash the language: %w", err)
	}
	hashPart(h, def)
	for _, f := range src.files {
		hashPart(h, []byte(f.name))
		hashPart(h, f.data)
	}
	kit, err := t.kitFiles(src, l)
	if err != nil {
		return "", err
	}
	for _, f := range kit {
		hashPart(h, []byte(f.name))
		hashPart(h, f.data)
	}
	return hex.EncodeToString(h.Sum(nil)[:20]), nil
}

func hashPart(h hash.Hash, part []byte) {
	fmt.Fprintf(h, "%d:", len(part))
	h.Write(part)
}

// kitFiles returns the kit's sources, in the layout for a program that imports the kit. It omits files with a name
// that the program's own files already use.
func (t *Toolbox) kitFiles(src *source, l *config.Language) ([]sourceFile, error) {
	if !src.importsKit(l) {
		return nil, nil
	}
	if t.kit == nil {
		return nil, errors.New("copy the kit: this judge was built without it")
	}
	var files []sourceFile
	err := fs.WalkDir(t.kit, ".", func(name string, d fs.DirEntry, err error) error {
		source := slices.Contains(slices.Concat(l.Extensions, l.Headers), extension(name))
		if err != nil || d.IsDir() || !source || strings.Contains(name, "_test.") {
			return err
		}
		data, err := fs.ReadFile(t.kit, name)
		if at := path.Join(l.Kit.At, name); !hasName(src.files, at) {
			files = append(files, sourceFile{at, data})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("copy the kit: %w", err)
	}
	return files, nil
}

// compile builds a program into a new directory of the cache. If it does not compile, the error is a
// *compileError.
func (t *Toolbox) compile(ctx context.Context, src *source, l *config.Language, chain *toolchain, origin Origin, dir string) error {
	words := maps.Clone(src.words)
	if mentionsVersion(l) {
		version, err := t.version(ctx, t.tools.probes, l, chain)
		if err != nil {
			return err
		}
		words[config.Version] = firstNumber().FindString(version)
	}
	work, done, err := t.cache.programs.Temp()
	if err != nil {
		return err
	}
	defer done()
	kit, err := t.kitFiles(src, l)
	if err != nil {
		return err
	}
	build := filepath.Join(work, "build")
	if err := t.writeSources(build, src, l, kit, words); err != nil {
		return err
	}
	wide := src.utf16Error()
	if wide != "" && len(l.Build) == 0 {
		return &compileError{log: wide}
	}
	log, err := t.runBuild(ctx, build, src, l, chain, words, origin)
	if failed, is := errors.AsType[*compileError](err); is && wide != "" {
		failed.log = wide + "\n" + failed.log
	}
	if err != nil {
		return err
	}
	if len(l.Result) == 0 {
		log = "" // such as "syntax OK", which is useless for a correct program
	}
	kept := &resultSaver{program: programIn(dir)}
	if len(l.Result) == 0 {
		err = kept.sources(slices.Concat(src.files, kit), l)
	} else {
		err = kept.results(build, l.Result)
	}
	if err == nil && mentions(l, config.Main) && words[config.Main] == "" {
		words[config.Main], err = src.startClass(kept.program)
	}
	if none, isNone := errors.AsType[*noResultError](err); isNone {
		return &compileError{log: strings.TrimPrefix(src.readable(log)+"\n"+none.Error(), "\n")}
	}
	if err != nil {
		return err
	}
	return (&entry{Words: words, Log: log}).write(dir)
}

// compileError means that a program does not compile, because of an error by the contestant.
type compileError struct {
	log     string
	command string // the command that failed; empty if all succeeded
	stopped judge.Resource
}

func (e *compileError) Error() string { return "it does not compile: " + e.log }

// hasName reports whether one of the files has the name.
func hasName(files []sourceFile, name string) bool {
	return slices.ContainsFunc(files, func(f sourceFile) bool { return f.name == name })
}

// writeSources writes the sources, and the files that the settings of the language add to them, to the directory build.
func (t *Toolbox) writeSources(build string, src *source, l *config.Language, kit []sourceFile, words map[string]string) error {
	files := slices.Concat(src.files, kit)
	add := func(more map[string]string) {
		for _, name := range slices.Sorted(maps.Keys(more)) {
			if !hasName(files, name) {
				files = append(files, sourceFile{name, []byte(fill(more[name], words))})
			}
		}
	}
	add(l.Files)
	if len(kit) > 0 {
		add(l.Kit.Files)
	}
	if err := makeWritable(build); err != nil {
		return fmt.Errorf("copy the sources: %w", err)
	}
	mode := fs.FileMode(0o644)
	if len(l.Scripts) > 0 {
		mode = 0o755 // it is unknown what a script may run
	}
	for _, f := range files {
		if err := writeUnder(build, f.name, f.data, mode); err != nil {
			return fmt.Errorf("copy the sources: %w", err)
		}
	}
	return nil
}

// writeUnder writes a file below dir. New directories are accessible to all users. The name may come from an
// untrusted configuration.
func writeUnder(dir, name string, data []byte, mode fs.FileMode) error {
	if !filepath.IsLocal(name) {
		text := fmt.Sprintf("the file %q would be outside of the build directory", name)
		return &judge.ProblemError{File: config.FileName, Text: text, Hint: "file and files must name files in it"}
	}
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if err := os.MkdirAll(filepath.Join(dir, at), 0o777); err != nil {
			return err
		}
		if err := os.Chmod(filepath.Join(dir, at), 0o777); err != nil {
			return err
		}
	}
	full := filepath.Join(dir, name)
	if err := os.WriteFile(full, data, mode); err != nil {
		return err
	}
	return os.Chmod(full, mode)
}

// runBuild runs the build commands. If one fails, the error is a *compileError.
func (t *Toolbox) runBuild(
	ctx context.Context, build string, src *source, l *config.Language, chain *toolchain,
	words map[string]string, origin Origin,
) (text string, err error) {
	most := t.cfg.Built
	mounts := []judge.Mount{{Host: build, At: buildDir, Writable: true, Bytes: most.Size, Files: int64(most.Files)}}
	shared := l.Cache != ""
	var ready seed
	if shared {
		// Builds of setters and builds of contestants have separate caches, so neither sees what a compiler wrote
		// for the other. Both caches start from the prepared cache, which was made before any program was built.
		if ready, err = t.prepared(ctx, l, chain, words); err != nil {
			return "", err
		}
		keep, done, err := t.cache.ownCache(l.ID+"-"+string(origin), ready, time.Now())
		if err != nil {
			return "", err
		}
		defer done()
		mounts = append(
			mounts,
			judge.Mount{Host: keep, At: l.Cache, Writable: true, Bytes: t.cache.ownLimits.Bytes, Files: int64(t.cache.ownLimits.Files)},
		)
	}
	log := head{maxLines: src.lines}
	for _, command := range l.Build {
		p := judge.Program{Argv: chain.command(command, words, src.sources), Env: chain.environment(words, t.cfg.Env, l.Env, l.BuildEnv)}
		c := p.Command(t.cfg.Build)
		c.Dir, c.Mounts, c.Locks = buildDir, mounts, true
		before := log.mark()
		x, err := t.runRetrying(ctx, c, &log)
		if err == nil && shared && x.Killed == judge.Output {
			// Other builds may have filled the shared cache, so repeat the command with a cache for this build
			// only.
			keep, done, failed := t.cache.privateCache(ready)
			if failed != nil {
				return "", failed
			}
			defer done()
			mounts[1].Host, shared = keep, false
			log.cut(before)
			x, err = t.runRetrying(ctx, c, &log)
		}
		if err != nil {
			return "", commandError(l, err)
		}
		if why := judge.Classify(x, t.cfg.Build); why != judge.NotJudged {
			if t.diskFull(build, &log) {
				return "", t.cache.programs.Wrap(syscall.ENOSPC)
			}
			failed := &compileError{log: src.readable(log.text(stopped(x, t.cfg.Build))), command: src.inShell(p.Argv)}
			if x.Killed == judge.CPUTime || x.Killed == judge.WallTime {
				failed.stopped = x.Killed
			}
			return "", failed
		}
	}
	return log.text(""), nil
}

// diskFull reports whether a build failed because the cache's disk was full. By then, the compiler has usually
// removed the files that filled the disk. So diskFull requires a message about a full disk in the log. Because
// the message may also be about the build's own limits, the disk must also have less free space than a build may
// use.
func (t *Toolbox) diskFull(build string, log *head) bool {
	room, known := cachedir.FreeDisk(build)
	return known && room < t.cfg.Built.Size && strings.Contains(strings.ToLower(log.text("")), "no space left on device")
}

// inShell formats a build command as a user would type it beside the program, with its tool on the PATH.
func (src *source) inShell(argv []string) string {
	words := slices.Clone(argv)
	words[0] = path.Base(words[0])
	for i, w := range words {
		if own := src.readable(w); own != w {
			w = escapeOption(own)
		}
		words[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'`$&|;<>()*?[]{}!#~\\") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// stopped returns why a compiler was stopped. It is empty if the compiler ended by itself.
func stopped(x judge.Exec, limits judge.Limits) string {
	switch x.Killed {
	case judge.CPUTime:
		return fmt.Sprintf("the compiler was stopped after %v of CPU time", limits.CPU)
	case judge.WallTime:
		return fmt.Sprintf("the compiler was stopped after %v", limits.Wall)
	case judge.Memory:
		return fmt.Sprintf("the compiler was stopped because it needs more than %s of memory", sizeWords(limits.Memory))
	case judge.Output:
		return "the compiler was stopped because it writes more than a build may (limits.output and limits.built in judge.toml)"
	case judge.NoResource:
		if x.Signal == "" {
			return ""
		}
	}
	return "the compiler was stopped: " + x.Termination()
}

// resultSaver saves the files of a program, and counts them.
type resultSaver struct {
	program string // the target directory
	bytes   int64
	files   int
}

// sources saves the files as they were submitted, not as the build left them.
func (k *resultSaver) sources(files []sourceFile, l *config.Language) error {
	mode := fs.FileMode(0o644)
	if l.Executable {
		mode = 0o755
	}
	for _, f := range files {
		if err := k.save(f.name, bytes.NewReader(f.data), mode); err != nil {
			return err
		}
	}
	return nil
}

// results saves the files of the build directory that match the patterns. A contestant may have influenced
// what the compiler wrote there. So only regular files count, links are not followed, and no path leads out
// of the directory. Nothing changes the directory at this time.
func (k *resultSaver) results(build string, patterns []string) error {
	root, err := os.OpenRoot(build)
	if err != nil {
		return unreadable(".", err)
	}
	defer root.Close()
	seen := 0
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return unreadable(name, err)
		}
		if seen++; seen > maxBuildFiles {
			return &noResultError{fmt.Sprintf("the build produces more than %d files", maxBuildFiles)}
		}
		if !d.Type().IsRegular() || !matchesAny(patterns, d.Name()) {
			return nil
		}
		f, err := root.Open(name)
		if err != nil {
			return unreadable(name, err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return fmt.Errorf("read what was built: %w", err)
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		return k.save(name, f, mode)
	})
	if err != nil {
		return err
	}
	if k.files == 0 {
		return &noResultError{"the build produces no " + strings.Join(patterns, " or ")}
	}
	return nil
}

// unreadable returns the error of a file or directory of the build directory that cannot be read. If permissions
// are missing, the build removed them.
func unreadable(name string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return &noResultError{fmt.Sprintf("the build leaves %q without read permission", name)}
	}
	return fmt.Errorf("read what was built: %w", err)
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		ok, err := path.Match(p, name)
		return ok && err == nil
	})
}

// save copies one file into the program directory.
func (k *resultSaver) save(name string, from io.Reader, mode fs.FileMode) error {
	if k.files++; k.files > maxKeptFiles {
		return &noResultError{fmt.Sprintf("the program has more than %d files, the limit for a program", maxKeptFiles)}
	}
	full := filepath.Join(k.program, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return fmt.Errorf("save what was built: %w", err)
	}
	for at := filepath.Dir(full); len(at) >= len(k.program); at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil { // regardless of the umask
			return fmt.Errorf("save what was built: %w", err)
		}
	}
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("save what was built: %w", err)
	}
	n, err := io.Copy(f, io.LimitReader(from, maxKept-k.bytes+1))
	if err == nil {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("save what was built: %w", err)
	}
	if k.bytes += n; k.bytes > maxKept {
		return &noResultError{fmt.Sprintf("the program has more than %s, the limit for a program", sizeWords(maxKept))}
	}
	return nil
}

// noResultError means that a build succeeded and produced nothing usable, which is the contestant's fault.
type noResultError struct{ text string }

func (e *noResultError) Error() string { return e.text }
