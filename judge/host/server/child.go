package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// The delays before a child process that has exited is restarted.
const (
	childMinDelay     = time.Second
	childMaxDelay     = 30 * time.Second
	childHealthyAfter = time.Minute // run time after which the delay is reset
)

// superviseWorker keeps the server's own worker running.
func (s *Server) superviseWorker(ctx context.Context) {
	for pause := childMinDelay; ; {
		began := time.Now()
		err := s.runWorker(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > childHealthyAfter {
			pause = childMinDelay
		}
		s.o.Log.Warn("the server's own worker has ended and is restarted", "error", err, "after", pause)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		pause = min(2*pause, childMaxDelay)
	}
}

// runWorker runs the worker until it exits. It passes a join code to the worker, in case the server does not know
// the worker's key.
func (s *Server) runWorker(ctx context.Context) error {
	name := intake.LocalWorker
	for n := 2; ; n++ {
		_, err := s.store.Worker(ctx, name)
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return err
		}
		name = fmt.Sprintf("%s-%d", intake.LocalWorker, n)
	}
	admin, err := s.store.AccountByLogin(ctx, intake.AdminLogin)
	if err != nil {
		return err
	}
	code, hash := auth.NewCode()
	if _, err := s.store.NewWorkerInvite(ctx, hash, store.WorkerInvite{Name: name, Class: Class, CreatedBy: admin.ID}); err != nil {
		return err
	}
	return s.runProcess(
		ctx, "worker", s.o.WorkerCommand(filepath.Join(s.data, "worker")),
		JoinVariable+"="+client.Address{URL: s.Address(), Code: code, Pin: s.pin}.String(),
	)
}

// publishProblems runs a program that publishes the contest's unpublished problems.
func (s *Server) publishProblems(ctx context.Context) {
	defer s.preparing.Store(false)
	err := func() error {
		admin, err := s.store.AccountByLogin(ctx, intake.AdminLogin)
		if err != nil {
			return err
		}
		text, hash := auth.NewToken()
		t, err := s.store.NewToken(
			ctx, admin.ID, hash, "publishes the server's problems", []string{string(client.Publish)},
			time.Now().Add(24*time.Hour),
		)
		if err != nil {
			return err
		}
		err = s.runProcess(
			ctx, "publish", s.o.PublishCommand(),
			ServerVariable+"="+client.Address{URL: s.Address(), Pin: s.pin}.String(), TokenVariable+"="+text,
		)
		return errors.Join(err, s.store.RevokeToken(context.WithoutCancel(ctx), t.ID))
	}()
	if err != nil && ctx.Err() == nil {
		s.o.Log.Error("publish the contest's problems", "error", err)
	}
}

// runProcess runs a child process in the contest's directory until it exits. If the server dies, the child reads EOF
// from its standard input.
func (s *Server) runProcess(ctx context.Context, name string, argv []string, env ...string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = s.o.Root
	cmd.Env = append(os.Environ(), env...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = s.o.ChildOutput, s.o.ChildOutput
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the %s: %w", name, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		_ = stdin.Close() // the child then stops
		select {
		case err = <-ended:
		case <-time.After(childTimeout):
			_ = cmd.Process.Kill() // it may have exited
			err = <-ended
		}
	}
	return err
}
