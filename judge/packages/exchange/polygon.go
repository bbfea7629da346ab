package exchange

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/packages/polygon"
	"assay/judge/problem"
)

// PolygonFormat is the name of Polygon's format in commands.
const PolygonFormat = "polygon"

// polygonExporter writes a problem directory as a Polygon package. It uses the methods of exporter that convert
// statements, so that legacy is set: statements become LaTeX without samples.
type polygonExporter struct {
	exporter
	doc   polygonDocument
	files map[string][]byte // content of files/ by name
}

// Polygon writes a problem directory, with the solutions in their own directory, as the Polygon package dir. All
// cases must have been generated.
func Polygon(from *problem.Directory, solutions, dir string, options ExportOptions) (Notes, error) {
	p := &polygonExporter{files: map[string][]byte{}}
	p.exporter = exporter{from: from, solutions: solutions, options: options, legacy: true, formatName: "Polygon"}
	if err := p.checkSupported(); err != nil {
		return nil, err
	}
	p.doc = polygonDocument{Revision: 1, ShortName: Name(from.ID)}
	err := createAtomically(func(dirs []string) error {
		p.dir = dirs[0]
		for _, step := range []func() error{p.programs, p.limits, p.tests, p.submissions, p.statements, p.metadata} {
			if err := step(); err != nil {
				return err
			}
		}
		text, err := p.doc.encode()
		if err != nil {
			return err
		}
		return write(filepath.Join(p.dir, polygon.File), text, 0o644)
	}, dir)
	return p.notes, err
}

const notInPolygon = "export the problem to icpc-2025-09"

// checkSupported returns a fault if a feature that affects judging cannot be expressed in a Polygon package.
func (p *polygonExporter) checkSupported() error {
	f := p.from
	if f.Package != nil {
		return notADirectory(f)
	}
	if fault := f.NotGenerated(f.Ungenerated()); fault != nil {
		return fault
	}
	switch {
	case f.OnlyGame():
		return p.fault("game", "it is only a game, which Polygon does not have", "export problems with cases")
	case f.CaseCount() == 0:
		return p.fault("group", "the problem has no cases", "a package needs one at least")
	case f.Static != nil:
		return p.fault("static", "Polygon has no static validators", notInPolygon)
	case f.Kind.MultiPass:
		return p.fault("kind", "Polygon has no problems whose programs ask for another pass", notInPolygon)
	case f.Kind.OutputOnly:
		return p.fault("kind", "Polygon has no problems whose submissions are outputs", notInPolygon)
	case f.Included != nil:
		return p.fault("include", "Polygon builds submissions without the files of include/", notInPolygon)
	}
	for _, g := range f.Groups {
		for _, c := range g.Cases {
			switch {
			case len(c.Args) > 0:
				return p.fault("group", "case "+c.ID()+" has arguments for submissions, which Polygon does not have", notInPolygon)
			case len(c.Files) > 0:
				return p.fault("group", "case "+c.ID()+" has files beside its input, which Polygon does not have", notInPolygon)
			}
		}
	}
	return p.checkPoints()
}

// checkPoints returns a fault for points that Polygon cannot express: it adds the points of groups.
func (p *polygonExporter) checkPoints() error {
	if !p.scored() {
		return nil
	}
	all, total := p.secretRoot(), 0.0
	if all.Aggregate != judge.AggregateSum || all.Unbounded {
		return p.fault("scoring", "Polygon adds the points of groups, and each needs a maximum", notInPolygon)
	}
	for _, n := range all.Children {
		if n.Unbounded {
			return p.fault("group", "Polygon needs a maximum of points, which group "+n.Name+" lacks", notInPolygon)
		}
		total += n.MaxScore
	}
	if total == 0 {
		return p.fault("scoring", "no group gives points", "give a group a max_score, or remove the table [scoring]")
	}
	if p.from.Checker.Program != nil || p.from.Interactor != nil {
		p.notes.add("a part of a case's points that the checker may give is lost: there a case gives all or nothing")
	}
	return nil
}

// limits writes the limits, and notes those that Polygon does not have.
func (p *polygonExporter) limits() error {
	f, set := p.from, &p.doc.Judging.Testset
	set.TimeMS, set.MemoryBytes = (f.Limits.CPU + time.Millisecond - 1).Milliseconds(), f.Limits.Memory
	if f.Limits.CPU%time.Millisecond != 0 {
		p.notes.add("the time limit is rounded up: Polygon counts it in milliseconds")
	}
	if usual := 2*f.Limits.CPU + time.Second; f.Limits.Wall != 0 && f.Limits.Wall != usual {
		p.notes.add("the wall limit of %v is left out: Polygon has none, and judge takes %v", f.Limits.Wall, usual)
	}
	for _, row := range []struct {
		what string
		size int64
	}{{"output", f.Limits.Output}, {"code", f.CodeLimit}} {
		if row.size > 0 {
			p.notes.add("the %s limit of %d bytes is left out: Polygon has none", row.what, row.size)
		}
	}
	if f.NoFiles {
		p.notes.add("submissions were not to write files; in Polygon they may")
	}
	return nil
}

// tests writes the cases in judging order, the samples first, and their groups if the problem gives points.
func (p *polygonExporter) tests() error {
	set := &p.doc.Judging.Testset
	count := p.from.CaseCount()
	width := max(2, len(fmt.Sprint(count)))
	set.Name, set.TestCount = "tests", count
	set.Input = fmt.Sprintf("tests/%%0%dd", width)
	set.Answer = set.Input + ".a"
	groups := slices.Clone(p.from.Groups)
	slices.SortStableFunc(groups, func(a, b judge.Group) int { return sampleFirst(a.Name) - sampleFirst(b.Name) })
	for _, g := range groups {
		for i, c := range g.Cases {
			name := fmt.Sprintf(set.Input, len(set.Tests)+1)
			if err := p.test(&c, filepath.Join(p.dir, filepath.FromSlash(name))); err != nil {
				return err
			}
			t := polygonTest{Method: "manual", Sample: g.Name == problem.Sample, Description: c.ID(), Group: p.validatorGroup(&c)}
			if p.scored() {
				t.Group, t.Points = g.Name, number(p.casePoints(&g, i))
			}
			set.Tests = append(set.Tests, t)
		}
		if p.scored() && len(g.Cases) > 0 {
			set.Groups = append(set.Groups, p.group(g.Name))
		}
	}
	return nil
}

func sampleFirst(group string) int {
	if group == problem.Sample {
		return 0
	}
	return 1
}

// test writes the files of a case. Only an interactive problem may have a case without an answer.
func (p *polygonExporter) test(c *judge.Case, to string) error {
	returns := false
	for file, from := range map[string]string{to: c.In, to + ".a": c.Ans} {
		data, err := os.ReadFile(from)
		if err != nil && (from == c.In || !p.from.Kind.Interactive) {
			return &judge.ProblemError{File: from, Text: problem.Reason(err)}
		}
		returns = returns || bytes.Contains(data, []byte("\r\n"))
		if err := write(file, data, 0o644); err != nil {
			return err
		}
	}
	if returns {
		p.notes.add("case %s has Windows line ends, which programs that read the package change", c.ID())
	}
	return nil
}

// scoreNode returns the node of a group's points. It returns nil for the samples.
func (p *polygonExporter) scoreNode(name string) *judge.Node {
	for _, n := range p.secretRoot().Children {
		if n.Name == name {
			return n
		}
	}
	return nil
}

// casePoints returns the points of a case. In a group that gives all or nothing, the first case has them.
func (p *polygonExporter) casePoints(g *judge.Group, i int) float64 {
	switch n := p.scoreNode(g.Name); {
	case n == nil:
		return 0
	case n.Aggregate == judge.AggregateSum:
		return n.MaxScore / float64(len(g.Cases))
	case i == 0:
		return n.MaxScore
	}
	return 0
}

func (p *polygonExporter) group(name string) polygonGroup {
	made := polygonGroup{Name: name, Points: "0", Policy: "complete-group", Feedback: "complete"}
	n := p.scoreNode(name)
	if n == nil {
		return made
	}
	made.Points = number(n.MaxScore)
	if n.Aggregate == judge.AggregateSum {
		made.Policy = "each-test"
	}
	for _, r := range n.RequirePass {
		made.Dependencies = append(made.Dependencies, polygonDependency{r})
	}
	return made
}

// validatorGroup returns the group that a case's arguments tell the validator, or "" if there is none. Polygon tells
// validators the testset and the group, and nothing else.
func (p *polygonExporter) validatorGroup(c *judge.Case) (group string) {
	left := false
	for i := 0; i < len(c.ValidatorArgs); i++ {
		switch arg := c.ValidatorArgs[i]; {
		case arg == "--testset" && i+1 < len(c.ValidatorArgs):
			i++
		case arg == "--group" && i+1 < len(c.ValidatorArgs):
			i++
			group = c.ValidatorArgs[i]
		default:
			left = true
		}
	}
	const note = "the validators' arguments of cases are left out: Polygon tells a validator only --testset and --group"
	if left && !slices.Contains(p.notes, note) {
		p.notes.add(note)
	}
	return group
}

// metadata writes the keywords and the address of the source, and notes the other metadata.
func (p *polygonExporter) metadata() error {
	a := p.from.About
	for _, k := range a.Keywords {
		p.doc.Tags = append(p.doc.Tags, polygonTag{k})
	}
	name, url := nameAndURL(p.from.Source)
	if strings.Contains(name, "://") && !strings.Contains(name, " ") {
		name, url = "", name
	}
	p.doc.URL = url
	var left []string
	for _, row := range []struct {
		key   string
		there bool
	}{{"source", name != ""}, {"uuid", a.UUID != ""}, {"version", a.Version != ""}, {"license", a.License != ""},
		{"rights_owner", a.Owner != ""}, {"embargo_until", a.Embargo != ""}, {"languages", len(a.Languages) > 0},
		{"credits", len(a.Credits) > 0}} {
		if row.there {
			left = append(left, row.key)
		}
	}
	if len(left) > 0 {
		p.notes.add("left out, because Polygon's packages do not have it: %s", strings.Join(left, ", "))
	}
	if p.from.Generator != nil {
		p.notes.add("the generator is left out: the package contains the tests themselves")
	}
	for _, name := range slices.Sorted(maps.Keys(p.files)) {
		if err := write(filepath.Join(p.dir, "files", name), p.files[name], 0o644); err != nil {
			return err
		}
	}
	return nil
}
