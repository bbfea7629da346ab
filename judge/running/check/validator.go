package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"assay/judge"
)

// A Validator runs a setter's program that judges cases. The program of a Checker judges finished outputs. A
// Validator's program can also run beside the submission, or judge a case in several passes. Several cases may be
// open at the same time.
type Validator struct {
	runner  judge.Runner
	program *judge.Program
	dialect *dialect
	args    []string
	limits  judge.Limits

	mu    sync.Mutex
	spare []*caseRunner // directories of closed cases
}

// A dialect is a protocol for a program that is started for each case.
type dialect struct {
	argv    func(in, ans string, args []string) []string // in and ans are the names of the case's files
	accepts []int                                        // exit codes
	// outcome returns the program's judgement. It is called only if the program exited by itself.
	outcome func(c *caseRunner, exec judge.Exec, stderr string) (judge.Outcome, error)
}

// dialects maps protocol names to the protocols that a Validator supports. A kit program that runs beside the
// submission uses the kattis protocol.
var dialects = map[string]*dialect{
	"kattis":  {kattisArgv, []int{kattisAccepted}, kattisOutcome},
	"kit":     {kattisArgv, []int{kattisAccepted}, kattisOutcome},
	"testlib": {interactorArgv, []int{0, testlibPoints}, testlibOutcome},
}

// NewValidator returns a Validator that runs a program. The parameter speaks names the program's protocol, which
// is "kattis" or, if the program runs beside the submission, also "testlib" or "kit". Limits are for one case.
func NewValidator(r judge.Runner, p *judge.Program, protocol string, args []string, limits judge.Limits) (*Validator, error) {
	d := dialects[protocol]
	if d == nil {
		return nil, &judge.ProblemError{
			Text: fmt.Sprintf("a program that judges in steps cannot speak %q", protocol),
			Hint: `it speaks "kattis"; an interactor may also speak "kit" or "testlib"`,
		}
	}
	return &Validator{runner: r, program: p, dialect: d, args: args, limits: limits}, nil
}

// A Session is the judging of one case by a Validator, in one or more steps.
type Session struct {
	v       *Validator
	args    []string
	in, ans string // names of the case's files, on which programs may depend: "1.in", "1.ans"
	*caseRunner
}

// Open starts a case. The caller must call Close.
func (v *Validator) Open(r Request) (*Session, error) {
	c, err := v.caseDir()
	if err != nil {
		return nil, err
	}
	base := caseName(r.Case)
	s := &Session{v: v, args: slices.Concat(v.args, r.Args), in: base + ".in", ans: base + ".ans", caseRunner: c}
	for name, text := range map[string]*io.SectionReader{s.in: r.In, s.ans: r.Ans} {
		if err == nil {
			err = c.put(name, text)
		}
	}
	if err == nil {
		err = c.emptyFeedback()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("show case %s to checker %s: %w", r.Case, v.program.Name, err), s.Close())
	}
	return s, nil
}

// caseName returns the base name of a case, from which the names of the case's files are made.
func caseName(id string) string {
	base := path.Base(id)
	if base == "." || base == "/" || len(base) > 200 || strings.ContainsRune(base, 0) {
		return "case"
	}
	return base
}

// caseDir returns a spare directory, or creates one.
func (v *Validator) caseDir() (*caseRunner, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.spare); n > 0 {
		c := v.spare[n-1]
		v.spare = v.spare[:n-1]
		return c, nil
	}
	return newCaseRunner(v.runner, v.program, v.limits)
}

// Close ends the case.
func (s *Session) Close() error {
	var errs []error
	for _, name := range []string{s.in, s.ans} { // the next case has files with other names
		if err := os.Remove(filepath.Join(s.dir, "case", name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	s.v.spare = append(s.v.spare, s.caseRunner)
	return errors.Join(errs...)
}

// Close removes the Validator's files. All its cases must be closed first.
func (v *Validator) Close() (err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.spare {
		err = errors.Join(err, c.Close())
	}
	v.spare = nil
	return err
}

// Command returns the command that runs the setter's program beside the submission.
func (s *Session) Command() *judge.Command {
	command := s.program.Command(s.limits, s.v.dialect.argv(s.in, s.ans, s.args)...)
	command.Mounts = append(command.Mounts, s.mount("case", caseDir, false), s.mount("feedback", feedbackDir, true))
	return command
}

// Run judges an output with the program.
func (s *Session) Run(ctx context.Context, out *io.SectionReader) (judge.Outcome, error) {
	if err := s.put("output", out); err != nil {
		return judge.Outcome{}, fmt.Errorf("show the output to checker %s: %w", s.program.Name, err)
	}
	file, err := os.Open(filepath.Join(s.dir, "case", "output"))
	if err != nil {
		return judge.Outcome{}, fmt.Errorf("open the output for checker %s: %w", s.program.Name, err)
	}
	defer file.Close()
	command := s.Command()
	command.Stdin = file
	exec, stderr, fault, err := s.run(ctx, command)
	if err != nil {
		return judge.Outcome{}, err
	}
	if fault != nil {
		return *fault, nil
	}
	return s.v.dialect.outcome(s.caseRunner, exec, stderr)
}

// Static runs the setter's program as a static validator, in a directory with the submission's files. The first
// two args are the language and the entry point. They precede the feedback directory, and the other args follow
// it.
func (s *Session) Static(ctx context.Context, source judge.Mount, args []string) (judge.Outcome, error) {
	command := s.program.Command(s.limits, slices.Concat(args[:2], []string{feedbackDir + "/"}, s.args, args[2:])...)
	command.Mounts = append(command.Mounts, source, s.mount("feedback", feedbackDir, true))
	command.Dir = source.At
	exec, stderr, fault, err := s.run(ctx, command)
	if err != nil {
		return judge.Outcome{}, err
	}
	if fault != nil {
		return *fault, nil
	}
	return s.v.dialect.outcome(s.caseRunner, exec, stderr)
}

// Accepts reports whether a setter's program that ran beside the submission accepted the submission, according to
// the exit code.
func (s *Session) Accepts(exec judge.Exec) bool {
	if exec.Killed != judge.NoResource || exec.Signal != "" {
		return false
	}
	return slices.Contains(s.v.dialect.accepts, exec.Exit)
}

// Judge returns the judgement by a setter's program that ran beside the submission. If the setter's program could
// not be started, refused is the reason.
func (s *Session) Judge(exec judge.Exec, refused *judge.ExecError, stderr string) (judge.Outcome, error) {
	s.role = "interactor"
	switch {
	case refused != nil:
		return *s.fault("cannot be run: "+refused.Reason, ""), nil
	case exec.Killed != judge.NoResource || exec.Signal != "":
		return *s.fault("did not end by itself: "+exec.Termination(), stderr), nil
	}
	return s.v.dialect.outcome(s.caseRunner, exec, stderr)
}

// WantsPass reports whether the setter's program requests another pass. If so, WantsPass replaces the input of the case; see
// Input. If the program requests another pass but did not accept this one, WantsPass returns a judge error.
func (s *Session) WantsPass(o judge.Outcome) (again bool, _ judge.Outcome, err error) {
	root, err := os.OpenRoot(filepath.Join(s.dir, "feedback"))
	if err != nil {
		return false, o, err
	}
	defer root.Close()
	info, err := root.Lstat(nextPass)
	switch {
	case errors.Is(err, fs.ErrNotExist) || o.Verdict == judge.JudgeError:
		return false, o, nil
	case err != nil:
		return false, o, err
	case o.Verdict != judge.Accepted:
		return false, *s.fault("asks for another pass ("+nextPass+"), but does not accept", o.Message), nil
	case !info.Mode().IsRegular():
		return false, *s.fault("leaves a "+nextPass+" that is not a file", ""), nil
	}
	file, err := root.Open(nextPass)
	if err != nil {
		return false, o, err
	}
	defer file.Close()
	if err := s.put(s.in, io.NewSectionReader(file, 0, info.Size())); err != nil {
		return false, o, fmt.Errorf("make the input of the next pass: %w", err)
	}
	return true, o, root.Remove(nextPass)
}

// nextPass is the name of the feedback file by which a program requests another pass. The file becomes the input
// of that pass.
const nextPass = "nextpass.in"

// Input returns the path of the input of the current pass.
func (s *Session) Input() string { return filepath.Join(s.dir, "case", s.in) }

// Output returns the output that a testlib interactor wrote for the checker. The caller must close it.
func (s *Session) Output() (*io.SectionReader, io.Closer, error) {
	root, err := os.OpenRoot(filepath.Join(s.dir, "feedback"))
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	info, err := root.Lstat(interactorOutput)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return io.NewSectionReader(emptyFile{}, 0, 0), emptyFile{}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := root.Open(interactorOutput)
	if err != nil {
		return nil, nil, err
	}
	return io.NewSectionReader(file, 0, info.Size()), file, nil
}

// emptyFile is an empty file.
type emptyFile struct{}

func (emptyFile) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }
func (emptyFile) Close() error                      { return nil }
