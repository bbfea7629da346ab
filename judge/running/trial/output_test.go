package trial_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/running/check"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// writer is a judge.Runner whose program writes these numbers of bytes to standard output, to standard error, and
// to files in its working directory.
type writer struct{ out, err, made, changed int }

func (w writer) Run(_ context.Context, c *judge.Command) (judge.Exec, error) {
	fmt.Fprint(c.Stdout, strings.Repeat("x", w.out))
	fmt.Fprint(c.Stderr, strings.Repeat("x", w.err))
	for name, n := range map[string]int{"made": w.made, "given": w.changed} {
		if n > 0 {
			if err := os.WriteFile(filepath.Join(c.Mounts[len(c.Mounts)-1].Host, name), make([]byte, n), 0o666); err != nil {
				return judge.Exec{}, err
			}
		}
	}
	return judge.Exec{Output: int64(w.out)}, nil
}

func (writer) Start(context.Context, *judge.Command) (judge.Process, error) {
	return nil, errors.New("not here")
}

// attempt runs a program on a case with an empty input.
func attempt(t *testing.T, p *judge.Problem, r judge.Runner, program judge.Program, files ...judge.CaseFile) *judge.Attempt {
	t.Helper()
	dir := t.TempDir()
	c := &judge.Case{Group: "g", Name: "c", In: filepath.Join(dir, "c.in"), Files: files}
	if err := os.WriteFile(c.In, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p.Checker.Name, program.Argv = "tokens", []string{"/program/x"}
	b, err := trial.New(t.Context(), trial.Setup{Problem: p, Runner: r, TempDir: dir, Programs: &check.SetterPrograms{Problem: p},
		BuildSubmission: func(context.Context) (*lang.Result, error) {
			return &lang.Result{OK: true, Program: &program}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	if _, err := b.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, err := b.Try(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func TestAllOutput(t *testing.T) {
	for _, test := range []struct {
		name string
		writer
		all  bool
		want judge.Verdict
	}{
		{"it does not count standard error, usually", writer{out: 10, err: 9000}, false, judge.NotJudged},
		{"it counts standard error too where the problem says so", writer{out: 500, err: 501}, true, judge.OutputLimit},
		{"it is fine exactly at the limit", writer{out: 500, err: 500}, true, judge.NotJudged},
		{"it counts a file that the program makes", writer{out: 500, made: 501}, true, judge.OutputLimit},
		{"it counts a file that the program changes", writer{out: 500, changed: 501}, true, judge.OutputLimit},
		{"it does not count a file that stays as it is", writer{out: 500, err: 400}, true, judge.NotJudged},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &judge.Problem{Limits: judge.Limits{Output: 1000}, AllOutput: test.all}
			a := attempt(t, p, test.writer, judge.Program{}, judge.CaseFile{Name: "given", Data: make([]byte, 300)})
			if got := judge.Classify(a.Exec, p.Limits); got != test.want {
				t.Errorf("Classify(%+v) = %q, want %q", a.Exec, got, test.want)
			}
		})
	}
}

// TestMarks checks that byte order marks at the start of the output are ignored if the language runtime writes
// them.
func TestMarks(t *testing.T) {
	for _, row := range []struct {
		it, out, want string
		marks         bool
	}{
		{"passes over them where they are the run time's", "\ufeff\ufeff7\n\ufeff", "7\n\ufeff", true},
		{"leaves what only begins as one does", "\xef\xbb7\n", "\xef\xbb7\n", true},
		{"leaves an empty output", "\ufeff", "", true},
		{"leaves them in other languages", "\ufeff7\n", "\ufeff7\n", false},
	} {
		a := attempt(t, &judge.Problem{}, says(row.out), judge.Program{IgnoreByteOrderMarks: row.marks})
		if got, err := io.ReadAll(a.Out); string(got) != row.want || err != nil {
			t.Errorf("it %s: the output is %q, %v, want %q", row.it, got, err, row.want)
		}
	}
}

// says is a judge.Runner whose program writes a text.
type says string

func (s says) Run(_ context.Context, c *judge.Command) (judge.Exec, error) {
	_, err := io.WriteString(c.Stdout, string(s))
	return judge.Exec{Output: int64(len(s))}, err
}

func (says) Start(context.Context, *judge.Command) (judge.Process, error) {
	return nil, errors.New("not here")
}
