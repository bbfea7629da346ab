package gen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"testing"

	"assay/judge"
	"assay/judge/kit"
)

// BenchmarkStream makes small cases with wythoff's generator and holds each against
// its validator: one process each, which answers frames.
func BenchmarkStream(b *testing.B) {
	part := &judge.Part{Speaks: "kit"}
	generator, err := NewGenerator(b.Context(), bare{}, built(b, "generator"), part, judge.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer generator.Close()
	validator, err := NewValidator(b.Context(), bare{}, built(b, "validator"), part, judge.Limits{})
	if err != nil {
		b.Fatal(err)
	}
	defer validator.Close()
	cases := 0
	for b.Loop() {
		cases++
		seed := kit.Seed("salt", fmt.Sprintf("case %d", cases))
		input, err := generator.Generate(b.Context(), seed, []string{"several", "--count", "2"})
		if err != nil {
			b.Fatal(err)
		}
		if invalid, err := validator.Validate(b.Context(), "case", input); err != nil || invalid != "" {
			b.Fatalf("%q: %s, error %v", input, invalid, err)
		}
	}
	b.ReportMetric(float64(cases)/b.Elapsed().Seconds(), "cases/s")
}

// built builds a program of wythoff.
func built(b *testing.B, role string) *judge.Program {
	b.Helper()
	binary := filepath.Join(b.TempDir(), role)
	if out, err := exec.CommandContext(b.Context(), "go", "build", "-o", binary, "assay/problems/wythoff/"+role).CombinedOutput(); err != nil {
		b.Skipf("the %s cannot be built here: %v\n%s", role, err, out)
	}
	return &judge.Program{Name: role, Argv: []string{binary}}
}

// bare is a runner without a sandbox.
type bare struct{}

func (bare) Run(context.Context, *judge.Command) (judge.Exec, error) {
	return judge.Exec{}, errors.New("not needed")
}

func (bare) Start(ctx context.Context, c *judge.Command) (judge.Process, error) {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Env, cmd.Stderr = c.Env, c.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &bareProcess{cmd, in, out}, cmd.Start()
}

type bareProcess struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
}

func (p *bareProcess) Stdin() io.WriteCloser { return p.in }
func (p *bareProcess) Stdout() io.Reader     { return p.out }
func (p *bareProcess) Kill()                 { _ = p.cmd.Process.Kill() }
func (p *bareProcess) Wait() (judge.Exec, error) {
	_ = p.in.Close()
	_ = p.cmd.Wait()
	return judge.Exec{}, nil
}
