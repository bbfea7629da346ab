package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"assay/judge"
	"assay/judge/internal/forceremove"
	"assay/judge/internal/suggest"
	"assay/judge/internal/tail"
)

// protocols maps protocol names to constructors of checkers.
var protocols = map[string]func(r judge.Runner, p *judge.SetterProgram, program *judge.Program, limits judge.Limits) (Checker, error){
	"kattis":  newKattis,
	"kit":     newKit,
	"testlib": newTestlib,
}

// Program returns a checker that runs a setter's program. The program uses one of these protocols:
//
//   - kit: the program is written with judge/kit. One process judges all cases of
//     a submission, in judging order, and may keep state.
//   - testlib: "checker [args] input output answer", started for each case. It exits
//     with 0 for correct, 1, 2, 4 or 8 for wrong, 7 for points.
//   - kattis: "checker input answer feedback/ [args] < output", started for each
//     case. It exits with 42 for correct, 43 for wrong; feedback/score.txt and
//     score_multiplier.txt contain points.
//
// The argument program is the built part p. Limits are for one case. If the protocol is unknown, Program returns a
// *judge.ProblemError without a file. Other errors are failures of the machine.
func Program(r judge.Runner, p *judge.SetterProgram, program *judge.Program, limits judge.Limits) (Checker, error) {
	speak, ok := protocols[p.Protocol]
	if !ok {
		return nil, &judge.ProblemError{
			Text: fmt.Sprintf("unknown protocol %q of a checker program", p.Protocol),
			Hint: suggest.Hint(p.Protocol, slices.Sorted(maps.Keys(protocols))),
		}
	}
	return speak(r, p, program, limits)
}

// Paths and limits for checker programs that are started for each case.
const (
	caseDir     = "/case"
	feedbackDir = "/feedback"
)

const (
	defaultWall = time.Minute // for a program without its own time limit
	stderrKept  = 4 << 10     // bytes
	maxMessage  = 2 << 10     // bytes
)

// A caseRunner contains what is common to all protocols that start the program for each case. It has two directories
// on the host, whose files change from case to case. Because the directories themselves stay the same, the runner
// can keep them mounted.
type caseRunner struct {
	runner  judge.Runner
	program *judge.Program
	limits  judge.Limits
	dir     string // host directory that contains the directories case and feedback
	role    string // what faults call the program; empty for a checker
}

func newCaseRunner(r judge.Runner, p *judge.Program, limits judge.Limits) (*caseRunner, error) {
	if limits.CPU == 0 && limits.Wall == 0 {
		limits.Wall = defaultWall
	}
	dir, err := os.MkdirTemp("", "checker-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for checker %s: %w", p.Name, err)
	}
	c := &caseRunner{runner: r, program: p, limits: limits, dir: dir}
	// The program runs as a user other than the judge's, so the umask must not restrict the permissions.
	for name, mode := range map[string]fs.FileMode{"case": 0o755, "feedback": 0o777} {
		path := filepath.Join(dir, name)
		if err = os.Mkdir(path, mode); err == nil {
			err = os.Chmod(path, mode)
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("create a directory for checker %s: %w", p.Name, err), c.Close())
		}
	}
	return c, nil
}

// Close removes the directories.
func (c *caseRunner) Close() error {
	if err := forceremove.All(c.dir); err != nil {
		return fmt.Errorf("remove the directory of checker %s: %w", c.program.Name, err)
	}
	return nil
}

// put writes a text to a file that the program can read.
func (c *caseRunner) put(name string, text *io.SectionReader) error {
	path := filepath.Join(c.dir, "case", name)
	err := os.Remove(path) // a process may still have the old file open
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, io.NewSectionReader(text, 0, text.Size()))
	if err == nil {
		err = f.Chmod(0o644)
	}
	return errors.Join(err, f.Close())
}

// emptyFeedback removes the feedback for the previous case.
func (c *caseRunner) emptyFeedback() error {
	dir := filepath.Join(c.dir, "feedback")
	names, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, n := range names {
		if err := forceremove.All(filepath.Join(dir, n.Name())); err != nil {
			return err
		}
	}
	return nil
}

// feedback reads the start of a file that the program wrote. It returns "" if the file does not exist. The program
// is untrusted: its file may be a link, a pipe without a writer, or an endless file.
func (c *caseRunner) feedback(name string) (text string, exists bool, err error) {
	root, err := os.OpenRoot(filepath.Join(c.dir, "feedback"))
	if err != nil {
		return "", false, err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil || !info.Mode().IsRegular() {
		return "", true, err
	}
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", true, nil // the program may have made the file unreadable
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", true, err
	}
	b, err := io.ReadAll(io.LimitReader(f, maxMessage+1))
	return string(b), true, err
}

// mount returns the mount that makes one of the directories visible to the program.
func (c *caseRunner) mount(name, at string, writable bool) judge.Mount {
	return judge.Mount{Host: filepath.Join(c.dir, name), At: at, Writable: writable}
}

// run runs the program once. If the program exited by itself, outcome is nil, and exec contains the exit code.
// Otherwise outcome is a judge error.
func (c *caseRunner) run(ctx context.Context, command *judge.Command) (exec judge.Exec, stderr string, outcome *judge.Outcome, err error) {
	last := &tail.Buffer{MaxBytes: stderrKept}
	command.Stderr = last
	exec, err = c.runner.Run(ctx, command)
	if refused, ok := errors.AsType[*judge.ExecError](err); ok {
		return exec, "", c.fault("cannot be run: "+refused.Reason, ""), nil
	}
	if err != nil {
		return exec, "", nil, fmt.Errorf("run checker %s: %w", c.program.Name, err)
	}
	stderr = string(last.Bytes())
	if exec.Killed != judge.NoResource || exec.Signal != "" {
		return exec, stderr, c.fault("did not end by itself: "+exec.Termination(), stderr), nil
	}
	return exec, stderr, nil, nil
}

// fault returns the judge error for a checker program that failed.
func (c *caseRunner) fault(problem, stderr string) *judge.Outcome {
	return programFault(cmp.Or(c.role, "checker")+" "+c.program.Name, problem, stderr)
}

func programFault(program, problem, stderr string) *judge.Outcome {
	message := fmt.Sprintf("%s %s", program, problem)
	if stderr = clean(stderr); stderr != "" {
		message += "\nits standard error ends:\n" + stderr
	}
	return &judge.Outcome{Verdict: judge.JudgeError, Message: message}
}

// clean removes control characters from a program's text, and shortens it. The text may include contestants'
// output.
func clean(text string) string {
	cut := len(text) > maxMessage
	if cut {
		text = text[:maxMessage]
	}
	var b strings.Builder
	for text != "" {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r == '\n' || r == '\t' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r == '\r': // probably at the end of a line
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[n:]
	}
	out := strings.TrimSpace(b.String())
	if cut {
		out += "..."
	}
	return out
}
