package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/bundle"
	"assay/judge/cases/verify"
	"assay/judge/packages/icpc"
	"assay/judge/problem"
)

// VerifyOptions contains the options of a verification.
type VerifyOptions struct {
	Only  []string // substrings of solution paths; empty means all solutions
	All   bool     // whether to judge each solution on every case
	Fresh bool     // whether to ignore saved results for a package's submissions
	// Findings contains the findings of another process about a package. If nil, this process determines the
	// findings.
	Findings *bundle.Findings
}

// Verification is the verification of a problem, as a whole or in parts.
type Verification struct {
	*verify.Verifier
	Problem *Problem
	listen  func(judge.Event)
}

// StartVerification starts to verify a problem. It sends an event that describes the verification. If faults prevent
// any further checks, it reports them and returns no Verification.
func (l *Location) StartVerification(
	ctx context.Context, o VerifyOptions, listen func(judge.Event),
) (v *Verification, faults int, err error) {
	p, found, err := l.ReadForJudging(ctx)
	if err != nil {
		return nil, 0, err
	}
	start := &judge.VerifyStarted{Format: judge.EventFormat, Problem: l.Name}
	start.Isolation, start.Unenforced = l.w.Isolation()
	if p != nil {
		start.Problem, start.Title, start.Cases = p.ID, p.Title, p.CaseCount()
		for _, g := range p.Groups {
			if !p.OnlyGame() {
				start.Groups = append(start.Groups, g.Name)
			}
		}
	}
	listen(start)
	if p != nil && len(found) == 0 {
		if found, err = p.MissingHeaders(ctx); err != nil {
			return nil, 0, err
		}
	}
	if len(found) > 0 && p != nil && p.Package != nil { // so that the setter sees all faults at once
		found = append(found, p.Package.Warnings...)
	}
	for _, f := range found {
		listen(&judge.ProblemErrorFound{Fault: f})
	}
	if len(found) > 0 {
		return nil, len(found), nil
	}
	p.findings = o.Findings
	v = &Verification{Verifier: p.Verifier(), Problem: p, listen: listen}
	v.Cache.IgnoreStored, v.Only, v.All = o.Fresh, o.Only, o.All
	return v, 0, nil
}

// Handle passes an event of the Verifier to the listener. In faults, it replaces the paths of copies with the paths
// that users know.
func (v *Verification) Handle(e judge.Event) {
	switch e := e.(type) {
	case *judge.ProblemErrorFound:
		v.Problem.RestorePosition(e.Fault)
	case *judge.WarningFound:
		v.Problem.RestorePosition(e.Fault)
	}
	v.listen(e)
}

// Findings returns the findings about a package that are not in its files, for other processes that judge its
// submissions. It returns nil if the problem is not a package.
func (v *Verification) Findings(ctx context.Context) (*bundle.Findings, error) {
	if v.Problem.Package == nil {
		return nil, nil
	}
	found := &bundle.Findings{Format: bundle.FindingsFormat}
	return found, v.Problem.recordPrepared(ctx, found)
}

// Snapshot is a copy of a problem's directories and solutions, to be verified elsewhere.
type Snapshot struct {
	*bundle.Bundle
	ID      string // the name of the problem's directory
	Problem string // the path of the problem's directory in the snapshot

	pathReplacer *strings.Replacer // replaces paths of the snapshot in JSON
}

// SnapshotPlaceholder stands for the directory of an unpacked snapshot in events about it.
const SnapshotPlaceholder = "{snapshot}"

// TakeSnapshot takes a snapshot of the problem. It does not build or generate anything.
func (l *Location) TakeSnapshot() (*Snapshot, error) {
	if l.unpacked != nil {
		return nil, &judge.UsageError{
			Err: fmt.Errorf("%s is a bundle, which has no solutions: name the problem that it was made of", l.Name),
		}
	}
	config, err := l.w.Config.Portable()
	if err != nil {
		return nil, err
	}
	dir, err := filepath.Abs(l.Dir)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{ID: filepath.Base(dir), Problem: filepath.Base(dir)}
	folders := map[string]string{s.Problem: dir}
	if filepath.Base(filepath.Dir(dir)) == "problems" { // the cases and solutions are in sibling directories
		s.Problem = "problems/" + s.ID
		folders = map[string]string{
			s.Problem: dir, "testcases/" + s.ID: l.casesDir,
			"solutions/" + s.ID: problem.Solutions(dir, l.casesDir),
		}
	}
	var places []string
	for at, place := range folders {
		text, err := json.Marshal(l.w.DisplayPath(place))
		if err != nil {
			return nil, err
		}
		places = append(places, SnapshotPlaceholder+"/"+at, string(text[1:len(text)-1]))
	}
	s.pathReplacer = strings.NewReplacer(places...)
	s.Bundle, err = bundle.Snapshot(folders, icpc.Repository(dir).Follow, config)
	return s, err
}

// Localize replaces the snapshot's paths in a line of JSON with the paths on this machine.
func (s *Snapshot) Localize(line []byte) []byte { return []byte(s.pathReplacer.Replace(string(line))) }
