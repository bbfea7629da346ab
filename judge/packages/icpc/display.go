package icpc

import (
	"fmt"
	"path"
	"strings"

	"assay/judge"
	"assay/judge/problem"
)

// readDisplay checks the files that define how samples are shown and downloaded: which files belong together, and
// their content.
func (p *Package) readDisplay() {
	dir := "data/" + sample
	bases := map[string]bool{}
	for _, e := range p.list(dir) {
		base, ext, _ := strings.Cut(e.Name, ".")
		if e.Dir {
			continue
		}
		if ext == "interaction" {
			p.checkInteraction(path.Join(dir, e.Name))
		}
		if !bases[base] && p.Format == Format2025 {
			bases[base] = true
			p.checkDisplay(path.Join(dir, base))
		}
	}
}

// checkDisplay checks that the files of a sample are consistent.
func (p *Package) checkDisplay(base string) {
	for _, row := range []struct {
		download string
		shown    []string
	}{
		{".in.download", []string{".interaction", ".in.statement"}},
		{".ans.download", []string{".interaction", ".ans.statement", ".out"}},
	} {
		var have []string
		for _, ext := range row.shown {
			if p.isFile(base + ext) {
				have = append(have, ext)
			}
		}
		switch {
		case len(have) > 1:
			p.warn(base+have[1], fmt.Sprintf("%s already defines how the sample is shown", path.Base(base+have[0])), "remove one of them")
		case len(have) == 1 && have[0] != ".out" && !p.isFile(base+row.download):
			p.warn(base+have[0], "the sample is shown, but cannot be downloaded: there is no "+path.Base(base+row.download), "add it")
		}
	}
	// The output validator must accept a shown output.
	if p.isFile(base+".out") && p.isFile(base+".in") && p.isFile(base+".ans") {
		c := judge.Case{Group: sample, Name: path.Base(base), In: p.pathOf(base + ".in"), Ans: p.pathOf(base + ".ans")}
		for _, g := range p.Groups {
			for _, known := range g.Cases {
				if known.ID() == c.ID() {
					c.CheckerArgs = known.CheckerArgs
				}
			}
		}
		p.Extra = append(p.Extra, problem.Proof{Kind: problem.ValidOutput, Case: c, Out: p.pathOf(base + ".out")})
	}
}

// checkInteraction checks the lines of an interaction file, which shows a dialogue.
func (p *Package) checkInteraction(name string) {
	data, err := p.read(name)
	if err != nil {
		p.warn(name, problem.Reason(err), "")
		return
	}
	if !p.Kind.Interactive && !p.Kind.MultiPass {
		p.warn(
			name, "the sample is a dialogue, but the problem is neither interactive nor multi-pass",
			"change the type in "+File+", or remove it",
		)
		return
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "<") || strings.HasPrefix(line, ">") || line == "---" && p.Kind.MultiPass {
			continue
		}
		p.Warnings = append(p.Warnings, &judge.ProblemError{
			File: p.pathOf(name), Line: n, Text: fmt.Sprintf("the line %.40q of a dialogue belongs to neither side", line),
			Hint: "start lines of the judge with <, lines of the submission with >, and separate passes by ---",
		})
		return
	}
}
