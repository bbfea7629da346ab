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

// Validator is a setter's program that judges cases, for those who need more of it
// than a Checker: to run it beside the submission, or pass by pass. Many cases may
// be open at the same time.
type Validator struct {
	runner  judge.Runner
	program *judge.Program
	dialect *dialect
	args    []string
	limits  judge.Limits

	mu    sync.Mutex
	spare []*perCase // directories of cases that were closed
}

// dialect is how a program that is started for each case is talked to.
type dialect struct {
	argv    func(in, ans string, args []string) []string // in and ans are the names of the case's files
	accepts []int                                        // exit codes
	// outcome says what the program thinks, from how it ended by itself.
	outcome func(c *perCase, exec judge.Exec, stderr string) (judge.Outcome, error)
}

// dialects are those that a Validator may speak, by name. A kit program that runs
// beside the submission speaks kattis.
var dialects = map[string]*dialect{
	"kattis":  {kattisArgv, []int{kattisRight}, kattisOutcome},
	"kit":     {kattisArgv, []int{kattisRight}, kattisOutcome},
	"testlib": {interactorArgv, []int{0, testlibPoints}, testlibOutcome},
}

// NewValidator makes a Validator of a program. Speaks is "kattis" or, for one that
// runs beside the submission, "testlib" or "kit". Limits are for one case.
func NewValidator(r judge.Runner, p *judge.Program, speaks string, args []string, limits judge.Limits) (*Validator, error) {
	d := dialects[speaks]
	if d == nil {
		return nil, &judge.Fault{
			Text: fmt.Sprintf("a program that judges in steps cannot speak %q", speaks),
			Hint: `it speaks "kattis"; an interactor may also speak "kit" or "testlib"`,
		}
	}
	return &Validator{runner: r, program: p, dialect: d, args: args, limits: limits}, nil
}

// Session is one case that a Validator judges, in one step or in several.
type Session struct {
	v       *Validator
	args    []string
	in, ans string // names of the case's files, which programs may look at: "1.in", "1.ans"
	*perCase
}

// Open starts a case. The caller must call Close.
func (v *Validator) Open(r Request) (*Session, error) {
	c, err := v.caseDir()
	if err != nil {
		return nil, err
	}
	base := caseName(r.Case)
	s := &Session{v: v, args: slices.Concat(v.args, r.Args), in: base + ".in", ans: base + ".ans", perCase: c}
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

// caseName returns the name that the files of a case have, without what tells them apart.
func caseName(id string) string {
	base := path.Base(id)
	if base == "." || base == "/" || len(base) > 200 || strings.ContainsRune(base, 0) {
		return "case"
	}
	return base
}

// caseDir takes a spare directory, or creates one.
func (v *Validator) caseDir() (*perCase, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.spare); n > 0 {
		c := v.spare[n-1]
		v.spare = v.spare[:n-1]
		return c, nil
	}
	return newPerCase(v.runner, v.program, v.limits)
}

// Close ends the case.
func (s *Session) Close() error {
	var errs []error
	for _, name := range []string{s.in, s.ans} { // the next case has files of other names
		if err := os.Remove(filepath.Join(s.dir, "case", name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	s.v.mu.Lock()
	defer s.v.mu.Unlock()
	s.v.spare = append(s.v.spare, s.perCase)
	return errors.Join(errs...)
}

// Close removes what the Validator has on disk. All cases must be closed.
func (v *Validator) Close() (err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.spare {
		err = errors.Join(err, c.Close())
	}
	v.spare = nil
	return err
}

// Command returns the program, to be run beside the submission.
func (s *Session) Command() *judge.Command {
	command := s.program.Command(s.limits, s.v.dialect.argv(s.in, s.ans, s.args)...)
	command.Mounts = append(command.Mounts, s.mount("case", caseDir, false), s.mount("feedback", feedbackDir, true))
	return command
}

// Run runs the program on an output.
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
	return s.v.dialect.outcome(s.perCase, exec, stderr)
}

// Static runs the program as a static validator, in a directory of the submission's
// files. The first two args, language and entry point, are before the feedback
// directory, the others after it.
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
	return s.v.dialect.outcome(s.perCase, exec, stderr)
}

// Accepts reports whether a program that ran beside the submission ended in the way
// that accepts it.
func (s *Session) Accepts(exec judge.Exec) bool {
	if exec.Killed != judge.Nothing || exec.Signal != "" {
		return false
	}
	return slices.Contains(s.v.dialect.accepts, exec.Exit)
}

// Judge returns what the program thinks after it ran beside the submission. Refused is
// the reason why it could not be run at all, if it could not.
func (s *Session) Judge(exec judge.Exec, refused *judge.ExecError, stderr string) (judge.Outcome, error) {
	s.role = "interactor"
	switch {
	case refused != nil:
		return *s.fault("cannot be run: "+refused.Reason, ""), nil
	case exec.Killed != judge.Nothing || exec.Signal != "":
		return *s.fault("did not end by itself: "+exec.Fate(), stderr), nil
	}
	return s.v.dialect.outcome(s.perCase, exec, stderr)
}

// Next looks whether the program asks for another pass. If so, its input is the
// case's from now on, see Input. Asking although it does not accept is a judge error.
func (s *Session) Next(o judge.Outcome) (again bool, _ judge.Outcome, err error) {
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
		return false, *s.fault("asks for another pass ("+nextPass+") though it does not accept", o.Message), nil
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

// nextPass is the feedback file that asks for another pass, and is its input.
const nextPass = "nextpass.in"

// Input returns the path of the pass's input.
func (s *Session) Input() string { return filepath.Join(s.dir, "case", s.in) }

// Output returns what an interactor that speaks testlib left for the checker. It
// holds a file open until closed.
func (s *Session) Output() (*io.SectionReader, io.Closer, error) {
	root, err := os.OpenRoot(filepath.Join(s.dir, "feedback"))
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	info, err := root.Lstat(interactorOutput)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() {
		return io.NewSectionReader(nothing{}, 0, 0), nothing{}, nil
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

// nothing is an empty file.
type nothing struct{}

func (nothing) ReadAt([]byte, int64) (int, error) { return 0, io.EOF }
func (nothing) Close() error                      { return nil }
