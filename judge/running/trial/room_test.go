package trial_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assay/judge"
	"assay/judge/running/check"
	"assay/judge/running/lang"
	"assay/judge/running/trial"
)

// nester is a judge.Runner whose program nests directories in its working directory, deeper than the maximum
// length of a path.
type nester struct{ room judge.Mount }

func (n *nester) Run(_ context.Context, c *judge.Command) (judge.Exec, error) {
	n.room = c.Mounts[len(c.Mounts)-1]
	at, err := os.OpenRoot(n.room.Host)
	for range 1500 {
		if err != nil {
			return judge.Exec{}, err
		}
		var below *os.Root
		err = at.Mkdir("long-name", 0o700)
		if err == nil {
			below, err = at.OpenRoot("long-name")
		}
		at.Close()
		at = below
	}
	at.Close()
	return judge.Exec{}, nil
}

func (*nester) Start(context.Context, *judge.Command) (judge.Process, error) {
	return nil, errors.New("not here")
}

func TestFilesAreBoundedAndRemoved(t *testing.T) {
	dir, n := t.TempDir(), &nester{}
	c := &judge.Case{Group: "g", Name: "c", In: filepath.Join(dir, "c.in"), Files: []judge.CaseFile{{Name: "given", Data: []byte("x")}}}
	if err := os.WriteFile(c.In, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p := &judge.Problem{Limits: judge.Limits{Output: 1000}, Checker: judge.CheckerSpec{Name: "tokens"}}
	b, err := trial.New(t.Context(), trial.Setup{Problem: p, Runner: n, TempDir: dir, Programs: &check.SetterPrograms{Problem: p},
		BuildSubmission: func(context.Context) (*lang.Result, error) {
			return &lang.Result{OK: true, Program: &judge.Program{Argv: []string{"/program/x"}}}, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(t.Context()); err != nil {
		t.Fatal(err)
	}
	a, err := b.Try(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if !n.room.Writable || n.room.Bytes <= 0 || n.room.Files <= 0 {
		t.Errorf("the program may write to %+v, without bounds", n.room)
	}
	if _, err := os.Lstat(n.room.Host); err == nil {
		t.Error("the program's files are still there")
	}
}
