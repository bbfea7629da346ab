package workspace

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"time"

	"assay/judge"
	"assay/judge/cases/verify"
	"assay/judge/running/check"
)

// Verifier returns the verifier of the problem.
func (p *Problem) Verifier() *verify.Verifier {
	level, _ := p.w.Isolation()
	return &verify.Verifier{
		Directory: p.Directory,
		Solutions: p.SolutionsDir(),
		Runner:    p.w.Sandbox,
		Jobs:      p.w.Jobs,
		Limits:    p.w.Config.Setter,
		Isolation: level,
		Cache:     &verify.Cache{Dir: filepath.Join(p.w.Cache, "runs")},
		Programs:  p.SetterPrograms(),
		Builder:   p,
		Game:      p.checkGame,
	}
}

// Prepared determines what a package does not specify: its time limit, and which graders can be built. It does so
// once, before anything is judged.
func (p *Problem) Prepared(ctx context.Context) (*verify.Prepared, error) {
	verifier := p.Verifier()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.prepared == nil {
		found, err := p.determine(ctx, verifier)
		if err != nil {
			return nil, err
		}
		p.prepared = found
	}
	return p.prepared, nil
}

// determine determines what a package does not specify. For a problem from a bundle, this was determined when the
// bundle was made.
func (p *Problem) determine(ctx context.Context, verifier *verify.Verifier) (*verify.Prepared, error) {
	findings := p.findings
	if p.unpacked != nil {
		findings = p.unpacked.findings
	}
	if findings == nil || p.Package == nil {
		return verifier.Prepare(ctx)
	}
	verifier.Programs = &check.SetterPrograms{Builder: bundleBuilder{findings, p.Directory}, Problem: p.Problem}
	dropped, err := verifier.DropGraders(ctx)
	if err != nil {
		return nil, err
	}
	if limit := time.Duration(findings.TimeLimitUS) * time.Microsecond; limit > 0 {
		p.Package.SetTime(limit)
	} else if p.Package.Timing.Limit > 0 {
		p.Package.SetTime(p.Package.Timing.Limit)
	}
	return &verify.Prepared{Graders: dropped, Limit: findings.TimeLimitFrom}, nil
}

// commandName returns the problem's name as used in commands.
func (p *Problem) commandName() string {
	if p.unpacked != nil {
		return p.unpacked.file
	}
	return cmp.Or(p.original, p.Dir)
}

// Notes returns information about a problem directory that users should see before anything is judged.
func (p *Problem) Notes(ctx context.Context) (notes []string, err error) {
	prepared, err := p.Prepared(ctx)
	if note := p.LeftoverNote(); note != "" {
		notes = append(notes, note)
	}
	if p.Package == nil && p.unpacked == nil && p.Maker().Outdated() {
		notes = append(notes, "the generator, validator or reference has changed since the cases were generated; "+
			"judge verify "+p.Directory.ID+" checks whether they are still correct")
	}
	if err != nil || p.Package == nil {
		return notes, err
	}
	for _, fault := range prepared.Graders {
		notes = append(notes, "the default grader replaces one that cannot be built: "+fault.Error())
	}
	if prepared.Limit != "" {
		notes = append(notes, prepared.Limit)
	}
	if p.Package.Assumed != "" {
		notes = append(notes, p.Package.Assumed)
	}
	switch n := len(p.Package.Warnings); n {
	case 0:
	case 1:
		notes = append(notes, fmt.Sprintf("the package has an error that does not prevent judging: %s", p.Package.Warnings[0]))
	default:
		notes = append(notes, fmt.Sprintf(
			"the package has %d errors that do not prevent judging; `judge verify %s` lists them. The first: %s",
			n, p.commandName(), p.Package.Warnings[0],
		))
	}
	return notes, nil
}

// WithReference returns the problem with a reference solution. If a package has none, it chooses, once, a submission
// that must be accepted.
func (p *Problem) WithReference(ctx context.Context) (*Problem, error) {
	if p.Package == nil || p.Reference != nil || p.Kind.OutputOnly {
		return p, nil
	}
	prepared, err := p.Prepared(ctx)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.withReference != nil {
		return p.withReference, nil
	}
	var built *judge.Program
	var path string
	for _, s := range p.Package.Submissions {
		verdict, _ := s.Promised()
		switch {
		case p.unpacked != nil && filepath.Join(p.Dir, filepath.FromSlash(p.unpacked.findings.Reference)) != s.Path:
			continue
		case p.unpacked == nil && verdict != judge.Accepted, built != nil && !s.Model:
			continue
		}
		made, err := p.Submission(ctx, s)
		if err == nil && made.OK {
			built, path = made.Program, s.Path
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if built == nil {
		return nil, &judge.ProblemError{
			File: p.Dir, Text: "none of the package's accepted submissions can be built",
			Hint: "one of them must generate the answer files",
		}
	}
	folder, words := *p.Directory, *p.Problem
	words.Reference = &judge.SetterProgram{Path: path, Protocol: "plain"}
	folder.Problem = &words
	p.withReference = &Problem{Directory: &folder, w: p.w, original: p.original, unpacked: p.unpacked, prepared: prepared, reference: built}
	return p.withReference, nil
}
