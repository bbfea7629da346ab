package lang

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"assay/judge"
	"assay/judge/running/config"
)

// Status describes whether a language can be used on this machine.
type Status struct {
	Ready   bool
	Missing []string // tools that were not found
	Package string   // the Debian package that contains them
	Obtain  string   // where else to get them
	Paths   []string // paths of the tools inside the sandbox
	Version string   // the first line of the tool's version output that contains a digit
}

// Ready looks for a language's tools and determines their version, in the sandbox.
func (t *Toolbox) Ready(ctx context.Context, l *config.Language) (Status, error) {
	chain, err := t.tools.find(ctx, l)
	if missing, ok := errors.AsType[*MissingError](err); ok {
		if missing.Broken != nil {
			missing.Obtain, missing.Package = missing.Broken.Error(), ""
		}
		return Status{Missing: missing.Tools, Package: missing.Package, Obtain: missing.Obtain}, nil
	}
	if err != nil {
		return Status{}, err
	}
	s := Status{Ready: true, Package: l.Package}
	for _, tool := range l.Tools {
		name, _, _ := strings.Cut(tool, "|")
		s.Paths = append(s.Paths, chain.paths[name])
	}
	if len(l.Version) > 0 { // run again in each process, and once for languages with the same tools
		s.Version, err = t.version(ctx, &t.tools.current, l, chain)
	}
	return s, err
}

// Identity identifies the tools of a language by the version that they report. Machines with the same tools have
// the same identity. The version is remembered until the tools change, for at most a day. If a tool is missing,
// the error is a *MissingError.
func (t *Toolbox) Identity(ctx context.Context, l *config.Language) (string, error) {
	chain, err := t.tools.find(ctx, l)
	if err != nil {
		return "", err
	}
	if len(l.Version) == 0 {
		return l.Name, nil
	}
	return t.version(ctx, t.tools.probes, l, chain)
}

// version returns the first line of a tool's version output that contains a digit. It uses the remembered output
// if there is one.
func (t *Toolbox) version(ctx context.Context, known *probes, l *config.Language, chain *toolchain) (string, error) {
	question := "version\x00" + strings.Join(l.Version, "\x00") + chain.identity
	return known.get(question, func() (string, error) { return t.askVersion(ctx, l, chain) })
}

func (t *Toolbox) askVersion(ctx context.Context, l *config.Language, chain *toolchain) (string, error) {
	var said head
	p := judge.Program{Argv: chain.command(l.Version, nil, nil), Env: chain.environment(nil, t.cfg.Env, l.Env, l.BuildEnv)}
	c := p.Command(t.cfg.Build)
	c.Stdout, c.Stderr, c.Locks = &said, &said, true // as in a build; otherwise Java first complains about locks
	if len(p.Argv) == 0 {
		return "", fmt.Errorf("ask for the version of %s: judge.toml has no `version` command for it", l.Name)
	}
	x, err := t.runner.Run(ctx, c)
	if err != nil {
		return "", fmt.Errorf("ask for the version of %s: %w", l.Name, err)
	}
	text := said.text("")
	if judge.Classify(x, t.cfg.Build) != judge.NotJudged {
		return "", fmt.Errorf("ask for the version of %s: %s\n%s", l.Name, x.Termination(), text)
	}
	for line := range strings.Lines(text) {
		if firstNumber().MatchString(line) {
			return strings.TrimSpace(line), nil
		}
	}
	first, _, _ := strings.Cut(text, "\n")
	return first, nil
}

// Hello builds and runs the language's hello program. The error describes which step failed. If a tool is missing,
// it is a *MissingError.
func (t *Toolbox) Hello(ctx context.Context, l *config.Language) error {
	src := &source{path: l.File, words: map[string]string{config.Ext: ""}}
	if len(l.Extensions) > 0 {
		src.words[config.Ext] = l.Extensions[0]
	}
	find(l, [][]byte{[]byte(l.Hello)}, src.words)
	src.single = fill(l.File, src.words)
	src.words[config.Entry] = src.single
	src.files = []sourceFile{{src.single, []byte(l.Hello)}}
	src.sources = []string{src.single}

	r, err := t.build(ctx, src, l, BySetter)
	if err != nil {
		return fmt.Errorf("hello in %s: %w", l.Name, err)
	}
	if !r.OK {
		return fmt.Errorf("hello in %s does not compile:\n%s", l.Name, r.Log)
	}
	limits := t.cfg.Setter
	limits.Memory = t.cfg.Solution.Memory
	var out, stderr head
	c := r.Program.Command(limits)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(cmp.Or(l.HelloInput, t.cfg.Hello.Input)), &out, &stderr
	x, err := t.runner.Run(ctx, c)
	if err != nil {
		return fmt.Errorf("hello in %s: %w", l.Name, err)
	}
	if judge.Classify(x, limits) != judge.NotJudged {
		return fmt.Errorf("hello in %s: %s\n%s", l.Name, x.Termination(), stderr.text(""))
	}
	if want := []byte(t.cfg.Hello.Output); !bytes.Equal(bytes.TrimSpace(out.kept), bytes.TrimSpace(want)) {
		return fmt.Errorf("hello in %s: want %q, got %q", l.Name, want, out.kept)
	}
	return nil
}
