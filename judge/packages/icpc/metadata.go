package icpc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
)

// metadata is the part of problem.yaml that Open needs, in any format.
type metadata struct {
	validator   []string // arguments of the output validator
	custom      bool     // whether the package contains an output validator
	limits      limits
	allowFiles  bool
	interactive bool
	multiPass   bool
	outputOnly  bool
}

// document is problem.yaml in the format 2025-09.
type document struct {
	Version     string            `yaml:"problem_format_version"`
	Type        []string          `yaml:"type"`
	Name        names             `yaml:"name"`
	UUID        string            `yaml:"uuid"`
	Revision    string            `yaml:"version"`
	Credits     credits           `yaml:"credits"`
	Source      []source          `yaml:"source"`
	License     string            `yaml:"license"`
	RightsOwner string            `yaml:"rights_owner"`
	Embargo     string            `yaml:"embargo_until"`
	Limits      *strict.Node      `yaml:"limits"`
	Keywords    []string          `yaml:"keywords"`
	Languages   []string          `yaml:"languages"`
	AllowFiles  bool              `yaml:"allow_file_writing"`
	Constants   map[string]values `yaml:"constants"`
	// Keys of earlier drafts.
	SourceURL  *strict.Node `yaml:"source_url"`
	Validation *strict.Node `yaml:"validation"`
	Flags      *strict.Node `yaml:"validator_flags"`
	Author     *strict.Node `yaml:"author"`
}

// draftKeys lists keys that only drafts of the format had.
var draftKeys = []struct{ key, hint string }{
	{"source_url", "write source: {name: ..., url: ...}"},
	{"validation", "set the type, and put the validator into output_validator/"},
	{"validator_flags", "write output_validator_args in data/secret/test_group.yaml"},
	{"author", "write credits: ..."},
}

// types lists the values of the key type.
var types = []string{"pass-fail", "scoring", "multi-pass", "interactive", "submit-answer"}

func (p *Package) readMetadata(doc *strict.Node, m *metadata) (faults judge.ProblemErrors) {
	var d document
	p.Warnings = append(p.Warnings, doc.Decode(&d)...)
	for _, w := range draftKeys {
		if doc.Has(w.key) && p.Format == Format2025 {
			p.Warnings = append(
				p.Warnings,
				doc.Key(w.key).Fault(fmt.Sprintf("the key %q is not one of this version of the format", w.key), w.hint),
			)
		}
	}
	p.Names, p.UUID, p.Version = d.Name, d.UUID, d.Revision
	p.Credits = d.Credits
	for _, s := range d.Source {
		p.Sources = append(p.Sources, Source(s))
	}
	p.License, p.Owner, p.Embargo = d.License, d.RightsOwner, d.Embargo
	p.Keywords = d.Keywords
	if len(d.Languages) != 1 || d.Languages[0] != "all" {
		p.About.Languages = d.Languages
	}
	p.Problem.Source = sourceText(p.Sources)
	p.checkMetadata(doc)
	for name, v := range d.Constants {
		if !doc.Get("constants").Get(name).IsSet() {
			continue // checkMetadata has reported the error
		}
		p.constants[name] = v.value
		for variant, text := range v.variants {
			p.constants[name+"."+variant] = text
		}
	}
	m.allowFiles = d.AllowFiles || p.Format == Draft2023 && !doc.Has("allow_file_writing") // the drafts did not mention the key
	if d.Flags.IsSet() {
		m.validator = words(d.Flags)
	}
	faults = p.readType(doc.Get("type"), d.Type, m)
	if d.Validation.IsSet() { // a key of the first drafts
		for _, word := range strings.Fields(d.Validation.Text) {
			m.interactive = m.interactive || word == "interactive"
			m.multiPass = m.multiPass || word == "multi-pass"
		}
	}
	p.Kind = judge.Kind{Interactive: m.interactive, MultiPass: m.multiPass, OutputOnly: m.outputOnly}
	return faults
}

// readType reads the types of a problem. A string in given may contain several types, separated by blanks, as in
// the format's own examples.
func (p *Package) readType(n *strict.Node, listed []string, m *metadata) (faults judge.ProblemErrors) {
	seen := map[string]bool{}
	for _, word := range strings.Fields(strings.Join(listed, " ")) {
		if !slices.Contains(types, word) {
			faults = append(faults, oneOfFault(n, "type", word, types))
		}
		if seen[word] {
			p.Warnings = append(p.Warnings, n.Fault(fmt.Sprintf("the type %q occurs twice", word), ""))
		}
		seen[word] = true
	}
	for _, pair := range [][2]string{{"pass-fail", "scoring"}, {"submit-answer", "multi-pass"}, {"submit-answer", "interactive"}} {
		if seen[pair[0]] && seen[pair[1]] {
			faults = append(faults, n.Fault(fmt.Sprintf("a problem cannot be %s and %s", pair[0], pair[1]), "remove one of them"))
		}
	}
	p.scoring = seen["scoring"]
	m.interactive, m.multiPass, m.outputOnly = seen["interactive"], seen["multi-pass"], seen["submit-answer"]
	return faults
}

// licenses lists the licenses of the format.
var licenses = []string{"unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission"}

var (
	uuidForm     = pattern.New(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
	embargoForm  = pattern.New(`^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\dZ)?$`)
	constantForm = pattern.New(`^[a-zA-Z_][a-zA-Z0-9_]*$`)
)

// checkMetadata checks requirements that the types of the keys do not express.
func (p *Package) checkMetadata(doc *strict.Node) {
	note := func(f *judge.ProblemError) { p.Warnings = append(p.Warnings, f) }
	if p.Format == Format2025 {
		for _, key := range []string{"name", "uuid"} {
			if !doc.Get(key).IsSet() {
				note(doc.Fault(fmt.Sprintf("the key %q is missing", key), "add it: this version of the format requires it"))
			}
		}
		for _, n := range append([]*strict.Node{doc.Get("name"), doc.Get("version"), doc.Get("rights_owner")}, doc.Get("keywords").Items()...) {
			p.Warnings = append(p.Warnings, notText(n)...)
		}
		if n := doc.Get("keywords"); n.Kind == strict.Scalar {
			note(
				n.Fault(
					fmt.Sprintf("keywords: want a list of texts, got %q", n.Text),
					"write ["+strings.Join(strings.Fields(n.Text), ", ")+"]",
				),
			)
		}
		for _, n := range []*strict.Node{doc.Get("type"), doc.Get("languages")} {
			p.Warnings = append(p.Warnings, empty(n)...)
		}
		for _, n := range doc.Get("credits").Pairs() {
			p.Warnings = append(p.Warnings, empty(n)...)
		}
	}
	if n := doc.Get("uuid"); n.Kind == strict.Scalar && !uuidForm().MatchString(n.Text) {
		note(n.Fault(fmt.Sprintf("%q is not a UUID", n.Text), "make one with: uuidgen"))
	}
	if n := doc.Get("embargo_until"); n.Kind == strict.Scalar && !embargoForm().MatchString(n.Text) {
		note(n.Fault(fmt.Sprintf("embargo_until: %q is not a date", n.Text), "write 2026-01-31, or 2026-01-31T12:00:00Z"))
	}
	p.checkRights(doc)
	for k, v := range doc.Get("constants").Pairs() {
		if !v.IsSet() {
			note(k.Fault(fmt.Sprintf("the constant %q has no value", k.Text), "give it one, or remove it"))
		}
		if !constantForm().MatchString(k.Text) {
			note(k.Fault(fmt.Sprintf("%q cannot be the name of a constant", k.Text), "use letters, digits and _"))
		}
	}
}

// notText returns faults for values that YAML reads as numbers or booleans although the format requires strings.
// It also checks the values of a map.
func notText(n *strict.Node) (faults judge.ProblemErrors) {
	switch n.Kind {
	case strict.Map:
		for _, each := range n.Pairs() {
			faults = append(faults, notText(each)...)
		}
	case strict.Scalar:
		_, number := n.Float()
		if _, truth := n.Bool(); !n.Quoted && (number || truth) {
			faults = judge.ProblemErrors{
				n.Fault(fmt.Sprintf("%s: want text, got %s", n.Path, n.Text), fmt.Sprintf("put it in quotes: %q", n.Text)),
			}
		}
	}
	return faults
}

// empty returns a fault if a list is empty.
func empty(n *strict.Node) judge.ProblemErrors {
	if n.Kind != strict.List || len(n.Items()) > 0 {
		return nil
	}
	return judge.ProblemErrors{n.Fault(n.Path+": the list is empty", "remove the key, or name at least one")}
}

// checkRights checks the license, and that a licensed work has an owner.
func (p *Package) checkRights(doc *strict.Node) {
	n := doc.Get("license")
	if n.Kind == strict.List || n.Kind == strict.Map {
		return // Decode has reported the error
	}
	if n.IsSet() && !slices.Contains(licenses, n.Text) {
		p.Warnings = append(p.Warnings, n.Fault(fmt.Sprintf("unknown license %q", n.Text), suggest.Hint(n.Text, licenses)))
		return
	}
	owner := doc.Get("rights_owner")
	switch {
	case n.Text == "public domain" && owner.IsSet():
		p.Warnings = append(p.Warnings, doc.Key("rights_owner").Fault(
			"a problem in the public domain cannot have a rights_owner", "remove the key",
		))
	case n.Text == "public domain", n.Text == "unknown", !n.IsSet():
	case !owner.IsSet() && len(p.Credits["authors"]) == 0 && len(p.Sources) == 0:
		p.Warnings = append(
			p.Warnings,
			n.Fault(fmt.Sprintf("the license %q requires an owner of the rights", n.Text), "add rights_owner, credits or source"),
		)
	}
}

// names is one name in English, or a map from languages to names.
type names map[string]string

func (v *names) ReadNode(n *strict.Node) judge.ProblemErrors {
	if n.Kind == strict.Scalar {
		*v = names{"en": n.Text}
		return nil
	}
	return n.Decode((*map[string]string)(v))
}

// credits is one author, or a map from roles to persons.
type credits map[string][]string

var creditKeys = []string{"authors", "contributors", "testers", "translators", "packagers", "acknowledgements"}

func (v *credits) ReadNode(n *strict.Node) (faults judge.ProblemErrors) {
	*v = credits{}
	if n.Kind == strict.Scalar {
		(*v)["authors"] = []string{n.Text}
		return nil
	}
	if n.Kind != strict.Map {
		return judge.ProblemErrors{n.Mismatch("a name, or a map of names")}
	}
	for k, people := range n.Pairs() {
		if !slices.Contains(creditKeys, k.Text) {
			faults = append(faults, strict.Unknown(k, n.Path, creditKeys))
			continue
		}
		lists := []*strict.Node{people}
		if k.Text == "translators" && people.Kind == strict.Map {
			lists = nil
			for _, each := range people.Pairs() {
				lists = append(lists, each)
			}
		}
		for _, list := range lists {
			for _, item := range list.Items() {
				name, bad := person(item)
				faults = append(faults, bad...)
				(*v)[k.Text] = append((*v)[k.Text], name)
			}
		}
	}
	return faults
}

// person reads "Name <mail>", or a map with the name.
func person(n *strict.Node) (string, judge.ProblemErrors) {
	if n.Kind == strict.Scalar {
		return n.Text, nil
	}
	var who struct {
		Name   string `yaml:"name"`
		Email  string `yaml:"email"`
		ORCID  string `yaml:"orcid"`
		Kattis string `yaml:"kattis"`
	}
	faults := n.Decode(&who)
	if who.Name == "" && len(faults) == 0 {
		faults = judge.ProblemErrors{n.Fault("the person has no name", `write: name: "..."`)}
	}
	if who.Email != "" {
		who.Name += " <" + who.Email + ">"
	}
	return who.Name, faults
}

// source is a name, or a name with a URL.
type source Source

func (v *source) ReadNode(n *strict.Node) judge.ProblemErrors {
	if n.Kind == strict.Scalar {
		v.Name = n.Text
		return nil
	}
	var s struct {
		Name string `yaml:"name"`
		URL  string `yaml:"url"`
	}
	faults := n.Decode(&s)
	*v = source(s)
	if s.Name == "" && len(faults) == 0 {
		faults = judge.ProblemErrors{n.Fault("the source has no name", `write: name: "..."`)}
	}
	return faults
}

func sourceText(all []Source) string {
	var words []string
	for _, s := range all {
		words = append(words, strings.TrimSpace(s.Name+" "+s.URL))
	}
	return strings.Join(words, "; ")
}

// values is a constant with its variants.
type values struct {
	value    string
	variants map[string]string
}

func (v *values) ReadNode(n *strict.Node) (faults judge.ProblemErrors) {
	if n.Kind == strict.Scalar {
		v.value = n.Text
		return nil
	}
	if n.Kind != strict.Map || !n.Get("value").IsSet() {
		return judge.ProblemErrors{n.Mismatch("a value, or a map with the key value")}
	}
	v.variants = map[string]string{}
	if faults = n.Decode(&v.variants); len(faults) > 0 {
		return faults
	}
	v.value = v.variants["value"]
	return nil
}

// words reads arguments: a list, or one string separated by blanks.
func words(n *strict.Node) (args []string) {
	if !n.IsSet() {
		return nil
	}
	if n.Kind == strict.List {
		for _, item := range n.Items() {
			args = append(args, item.Text)
		}
		return args
	}
	return strings.Fields(n.Text)
}

// Constants replaces {{name}} and {{name.variant}} by the package's constants. Other text is kept unchanged.
func (p *Package) Constants(text string) string {
	if len(p.constants) == 0 || !strings.Contains(text, "{{") {
		return text
	}
	return constantMark().ReplaceAllStringFunc(text, func(mark string) string {
		if value, ok := p.constants[strings.TrimSpace(mark[2:len(mark)-2])]; ok {
			return value
		}
		return mark
	})
}

// ConstantNames returns the names of the constants, sorted.
func (p *Package) ConstantNames() []string { return slices.Sorted(maps.Keys(p.constants)) }

var constantMark = pattern.New(`\{\{\s*[a-zA-Z_][a-zA-Z0-9_]*(\.[a-zA-Z_][a-zA-Z0-9_]*)?\s*\}\}`)
