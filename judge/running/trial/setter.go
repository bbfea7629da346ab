package trial

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/tail"
	"assay/judge/running/check"
)

// setter contains the setter's programs that are not run for each case: the static validator and the graders.
type setter struct {
	Setup
	limits  judge.Limits
	static  *check.Validator
	graders map[*judge.SetterProgram]*judge.Program
}

// build builds the setter's programs.
func (s *setter) build(ctx context.Context, limits judge.Limits) (err error) {
	s.limits, s.graders = limits, map[*judge.SetterProgram]*judge.Program{}
	if p := s.Problem.Static; p != nil {
		if s.static, err = s.validator(ctx, p, limits); err != nil {
			return err
		}
	}
	if s.Problem.Grading == nil {
		return nil
	}
	return s.buildGraders(ctx, s.Problem.Grading.Root)
}

func (s *setter) buildGraders(ctx context.Context, n *judge.Node) (err error) {
	if p := n.Legacy.Grader; p != nil && s.graders[p] == nil {
		if s.graders[p], err = s.Programs.BuildProgram(ctx, p); err != nil {
			return err
		}
	}
	for _, child := range n.Children {
		if err := s.buildGraders(ctx, child); err != nil {
			return err
		}
	}
	return nil
}

func (s *setter) close() error {
	if s.static == nil {
		return nil
	}
	return s.static.Close()
}

// sourceDir is the directory of the submission's files for a static validator.
const sourceDir = "/submission"

// Static runs the static validator on the submission's files, "validator language entry-point feedback/
// [args]", in a directory that contains them.
func (b *Batch) Static(ctx context.Context, n *judge.Node) (judge.Outcome, error) {
	s := &b.setter
	if s.static == nil {
		return judge.Outcome{}, errors.New("the problem has no static validator")
	}
	dir, err := os.MkdirTemp(b.TempDir, "assay-source-*")
	if err != nil {
		return judge.Outcome{}, fmt.Errorf("run the static validator on the submission: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := copySource(s.Source, dir); err != nil {
		return judge.Outcome{}, fmt.Errorf("run the static validator on the submission: %w", err)
	}
	language, entry := s.Language, s.Entry
	if language == "" && b.program != nil {
		language = b.program.Language
	}
	if entry == "" {
		entry = filepath.Base(s.Source)
	}
	empty := io.NewSectionReader(strings.NewReader(""), 0, 0)
	session, err := s.static.Open(check.Request{Case: n.Name, In: empty, Ans: empty})
	if err != nil {
		return judge.Outcome{}, err
	}
	defer session.Close()
	return session.Static(ctx, judge.Mount{Host: dir, At: sourceDir}, append([]string{language, entry}, n.Static.Args...))
}

// copySource copies the submission's files and makes them readable for every user.
func copySource(from, to string) error {
	if err := os.Chmod(to, 0o755); err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(to, os.DirFS(from))
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, filepath.Base(from)), data, 0o644)
}

// graded matches the output of a grader.
var graded = pattern.New(`^(AC|WA|TLE|RTE|MLE|OLE|JE)\s+(-?[0-9.]+)\s*$`)

// Grade aggregates the results of a node's children with the node's grader. The grader reads a line such as "AC
// 1.0" for each child, and prints one.
func (b *Batch) Grade(ctx context.Context, n *judge.Node, results []judge.Result) (judge.Result, error) {
	program := b.setter.graders[n.Legacy.Grader]
	if program == nil {
		return judge.Result{}, errors.New("the grader was not built")
	}
	var in strings.Builder
	for _, r := range results {
		verdict := r.Verdict
		if verdict == judge.IdlenessLimit { // graders do not know this verdict
			verdict = judge.TimeLimit
		}
		fmt.Fprintf(&in, "%s %s\n", verdict, strconv.FormatFloat(r.Points, 'f', -1, 64))
	}
	var out bytes.Buffer
	var stderr tail.Buffer
	command := program.Command(b.setter.limits, n.Legacy.GraderArgs...)
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(in.String()), &out, &stderr
	x, err := b.Runner.Run(ctx, command)
	fail := func(what string) (judge.Result, error) {
		return judge.Result{Verdict: judge.JudgeError, Message: strings.TrimSpace(fmt.Sprintf(
			"grader %s %s\n%s", program.Name, what, stderr.Bytes(),
		))}, nil
	}
	if refused, ok := errors.AsType[*judge.ExecError](err); ok {
		return fail("cannot be run: " + refused.Reason)
	}
	if err != nil {
		return judge.Result{}, fmt.Errorf("run grader %s: %w", program.Name, err)
	}
	if x.Exit != 0 || x.Signal != "" || x.Killed != judge.NoResource {
		return fail("did not end well: " + x.Termination())
	}
	match := graded().FindStringSubmatch(out.String())
	if match == nil {
		return fail(fmt.Sprintf("printed %.60q, not a verdict and a score such as: AC 12.5", out.String()))
	}
	points, err := strconv.ParseFloat(match[2], 64)
	if err != nil {
		return fail(fmt.Sprintf("printed the score %.60q, which is not a number", match[2]))
	}
	return judge.Result{Verdict: judge.Verdict(match[1]), Points: points}, nil
}
