//go:build linux

package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/running/sandbox"
)

func Example() {
	// The function main must have called sandbox.Main first.
	s, err := sandbox.New(sandbox.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	x, err := s.Run(context.Background(), &judge.Command{
		Argv:   []string{"cat"},
		Env:    []string{"PATH=/usr/bin:/bin"},
		Stdin:  strings.NewReader("hello\n"),
		Stdout: os.Stdout,
		Limits: judge.Limits{CPU: time.Second, Wall: time.Minute, Memory: 64 << 20},
	})
	fmt.Println(x.Termination(), err)
	// Output:
	// hello
	// exit code 0 <nil>
}

func ExampleSandbox_Run_limit() {
	s, err := sandbox.New(sandbox.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	x, err := s.Run(context.Background(), &judge.Command{
		Argv:   []string{"sleep", "1000"},
		Env:    []string{"PATH=/usr/bin:/bin"},
		Limits: judge.Limits{Wall: 50 * time.Millisecond},
	})
	fmt.Println(x.Termination(), err)
	// Output:
	// killed while it waited <nil>
}

func ExampleSandbox_Join() {
	s, err := sandbox.New(sandbox.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	shell := func(script string, to int) sandbox.Joined {
		return sandbox.Joined{OutputTo: to, Command: &judge.Command{Argv: []string{"sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}}
	}
	questioner := shell("echo 20; read answer; exit $answer", 1)
	solver := shell("read n; echo $((n + 1))", 0)
	ended, err := s.Join(context.Background(), []sandbox.Joined{questioner, solver})
	fmt.Println(ended[0].Termination(), "/", ended[1].Termination(), err)
	// Output:
	// exit code 21 / exit code 0 <nil>
}
