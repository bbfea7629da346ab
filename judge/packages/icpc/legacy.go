package icpc

import (
	"fmt"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/strict"
)

// legacyDocument is problem.yaml in the legacy format.
type legacyDocument struct {
	Version     string       `yaml:"problem_format_version"`
	Type        string       `yaml:"type"`
	Name        names        `yaml:"name"`
	UUID        string       `yaml:"uuid"`
	Author      []string     `yaml:"author"`
	Source      string       `yaml:"source"`
	SourceURL   string       `yaml:"source_url"`
	License     string       `yaml:"license"`
	RightsOwner string       `yaml:"rights_owner"`
	Limits      *strict.Node `yaml:"limits"`
	Validation  string       `yaml:"validation"`
	Flags       *strict.Node `yaml:"validator_flags"`
	Grading     *grading     `yaml:"grading"`
	Keywords    *strict.Node `yaml:"keywords"`
	// Written by tools.
	Libraries *strict.Node `yaml:"libraries"`
	Languages []string     `yaml:"languages"`
	Verified  *strict.Node `yaml:"verified"`
	Comment   *strict.Node `yaml:"comment"`
}

// grading is the key grading of problem.yaml, including keys of earlier versions.
type grading struct {
	Objective   string       `yaml:"objective"`
	ShowGroups  bool         `yaml:"show_test_data_groups"`
	AcceptScore *strict.Node `yaml:"accept_score"`
	RejectScore *strict.Node `yaml:"reject_score"`
	Range       *strict.Node `yaml:"range"`
	OnReject    *strict.Node `yaml:"on_reject"`
	Custom      *strict.Node `yaml:"custom_scoring"`
}

var authorParts = pattern.New(`\s*,\s*|\s+and\s+`)

func (p *Package) readLegacy(doc *strict.Node, m *metadata) (faults judge.ProblemErrors) {
	var d legacyDocument
	p.Warnings = append(p.Warnings, doc.Decode(&d)...)
	p.Names, p.UUID = d.Name, d.UUID
	for _, name := range authorParts().Split(strings.Join(d.Author, ", "), -1) {
		if name != "" {
			if p.Credits == nil {
				p.Credits = map[string][]string{}
			}
			p.Credits["authors"] = append(p.Credits["authors"], name)
		}
	}
	if d.Source != "" {
		p.Sources = []Source{{d.Source, d.SourceURL}}
	}
	p.Problem.Source = sourceText(p.Sources)
	p.License, p.Owner = d.License, d.RightsOwner
	if doc.IsSet() {
		p.checkRights(doc)
	}
	if d.Keywords.IsSet() {
		p.Keywords = words(d.Keywords)
	}
	if d.Flags.IsSet() {
		p.Warnings = append(p.Warnings, notWords(d.Flags)...)
		m.validator = words(d.Flags)
	}
	m.allowFiles = true
	if d.Grading != nil {
		p.legacyGrading = d.Grading
		switch d.Grading.Objective {
		case "", "max", "min":
		default:
			faults = append(
				faults,
				oneOfFault(doc.Get("grading").Get("objective"), "objective", d.Grading.Objective, []string{"max", "min"}),
			)
		}
	}
	faults = append(faults, p.readLegacyType(doc, d.Type, m)...)
	faults = append(faults, p.readValidation(doc.Get("validation"), d.Validation, m)...)
	p.Kind = judge.Kind{Interactive: m.interactive, MultiPass: m.multiPass, OutputOnly: m.outputOnly}
	return faults
}

// readLegacyType reads the type, which may be one from the later format.
func (p *Package) readLegacyType(doc *strict.Node, listed string, m *metadata) (faults judge.ProblemErrors) {
	for _, word := range strings.Fields(listed) {
		switch word {
		case "pass-fail":
		case "scoring":
			p.scoring = true
		case "interactive":
			m.interactive, m.custom = true, true
		case "multi-pass":
			m.multiPass, m.custom = true, true
		default:
			faults = append(faults, oneOfFault(doc.Get("type"), "type", word, []string{"pass-fail", "scoring"}))
		}
	}
	if p.scoring && p.Format == LegacyICPC {
		p.Warnings = append(
			p.Warnings,
			doc.Get("type").Fault("the format legacy-icpc has no scoring", "write problem_format_version: legacy"),
		)
	}
	return faults
}

// readValidation reads the key validation, which is default, or custom with additional words.
func (p *Package) readValidation(n *strict.Node, text string, m *metadata) judge.ProblemErrors {
	given := strings.Fields(text)
	if len(given) == 0 || given[0] == "default" {
		return nil
	}
	all := []string{"custom", "interactive", "score", "multi-pass", "default"}
	for _, word := range given {
		if !slices.Contains(all, word) {
			return judge.ProblemErrors{oneOfFault(n, "validation", word, all)}
		}
	}
	if given[0] != "custom" {
		p.Warnings = append(
			p.Warnings,
			n.Fault(fmt.Sprintf("validation: %q without the word custom before it", text), "write: custom "+text),
		)
	}
	m.custom = true
	m.interactive = m.interactive || slices.Contains(given, "interactive")
	m.multiPass = m.multiPass || slices.Contains(given, "multi-pass")
	p.customArg = slices.Contains(given, "score")
	return nil
}
