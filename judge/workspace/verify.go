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

// Verifying contains the options of a verification.
type Verifying struct {
	Only  []string // substrings of solution paths; empty means all solutions
	All   bool     // whether to judge each solution on every case
	Fresh bool     // whether to ignore saved results for a package's submissions
	// Found contains the findings of another process about a package. If nil, this process determines the
	// findings.
	Found *bundle.Frozen
}

// Verification is the verification of a problem, as a whole or in parts.
type Verification struct {
	*verify.Verifier
	Problem *Problem
	listen  func(judge.Event)
}

// Verification starts to verify a problem. It sends an event that describes the verification. If faults prevent
// any further checks, it reports them and returns no Verification.
func (l *Location) Verification(ctx context.Context, o Verifying, listen func(judge.Event)) (v *Verification, faults int, err error) {
	p, found, err := l.Ready(ctx)
	if err != nil {
		return nil, 0, err
	}
	start := &judge.VerifyStarted{Format: judge.EventFormat, Problem: l.Name}
	start.Isolation, start.Unenforced = l.w.Isolation()
	if p != nil {
		start.Problem, start.Title, start.Cases = p.ID, p.Title, p.Count()
		for _, g := range p.Groups {
			if !p.OnlyGame() {
				start.Groups = append(start.Groups, g.Name)
			}
		}
	}
	listen(start)
	if p != nil && len(found) == 0 {
		if found, err = p.Complete(ctx); err != nil {
			return nil, 0, err
		}
	}
	if len(found) > 0 && p != nil && p.Package != nil { // so that the setter sees all faults at once
		found = append(found, p.Package.Warnings...)
	}
	for _, f := range found {
		listen(&judge.FaultFound{Fault: f})
	}
	if len(found) > 0 {
		return nil, len(found), nil
	}
	p.found = o.Found
	v = &Verification{Verifier: p.Verifier(), Problem: p, listen: listen}
	v.Memory.Fresh, v.Only, v.All = o.Fresh, o.Only, o.All
	return v, 0, nil
}

// Hear passes an event of the Verifier to the listener. In faults, it replaces the paths of copies with the paths
// that users know.
func (v *Verification) Hear(e judge.Event) {
	switch e := e.(type) {
	case *judge.FaultFound:
		v.Problem.PlaceInOriginal(e.Fault)
	case *judge.Warned:
		v.Problem.PlaceInOriginal(e.Fault)
	}
	v.listen(e)
}

// Found returns the findings about a package that are not in its files, for other processes that judge its
// submissions. It returns nil if the problem is not a package.
func (v *Verification) Found(ctx context.Context) (*bundle.Frozen, error) {
	if v.Problem.Package == nil {
		return nil, nil
	}
	found := &bundle.Frozen{Format: bundle.FrozenFormat}
	return found, v.Problem.freezePrepared(ctx, found)
}

// Snapshot is a copy of a problem's directories and solutions, to be verified elsewhere.
type Snapshot struct {
	*bundle.Bundle
	ID      string // the name of the problem's directory
	Problem string // the path of the problem's directory in the snapshot

	places *strings.Replacer // replaces paths of the snapshot in JSON
}

// SnapshotWord stands for the directory of an unpacked snapshot in events about it.
const SnapshotWord = "{snapshot}"

// Snapshot takes a snapshot of the problem. It does not build or generate anything.
func (l *Location) Snapshot() (*Snapshot, error) {
	if l.thawed != nil {
		return nil, &judge.Misuse{Err: fmt.Errorf("%s is a bundle, which has no solutions: name the problem that it was made of", l.Name)}
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
		folders = map[string]string{s.Problem: dir, "testcases/" + s.ID: l.tests, "solutions/" + s.ID: problem.Solutions(dir, l.tests)}
	}
	var places []string
	for at, place := range folders {
		text, err := json.Marshal(l.w.Near(place))
		if err != nil {
			return nil, err
		}
		places = append(places, SnapshotWord+"/"+at, string(text[1:len(text)-1]))
	}
	s.places = strings.NewReplacer(places...)
	s.Bundle, err = bundle.Snapshot(folders, icpc.Repository(dir).Follow, config)
	return s, err
}

// Here replaces the snapshot's paths in a line of JSON with the paths on this machine.
func (s *Snapshot) Here(line []byte) []byte { return []byte(s.places.Replace(string(line))) }
