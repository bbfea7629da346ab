package icpc

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
	"assay/judge/problem"
)

// caseFlags are what the programs beside the output validator are told about a case.
type caseFlags struct {
	input *strict.Node // input_validator_flags or _args: for all, or by validator
	args  []string
}

// InputArgs are the arguments of an input validator for a case.
func (p *Package) InputArgs(v *problem.InputValidator, c *judge.Case) (args []string) {
	f := p.flags[c.ID()]
	if f.input == nil {
		return nil
	}
	if f.input.Kind != strict.Map {
		args = words(f.input)
	}
	for name, flags := range p.flagsByValidator(f.input) {
		if isCalled(v, name.Text) {
			args = append(args, words(flags)...)
		}
	}
	for i, arg := range args {
		args[i] = p.Constants(arg)
	}
	return append(args, f.args...)
}

// flagsByValidator are the pairs of a map from validators to their flags, which legacy
// packages write as {name: validator, flags: flags}.
func (p *Package) flagsByValidator(n *strict.Node) func(yield func(name, flags *strict.Node) bool) {
	name := n.Get("name")
	if name.Kind != strict.Scalar || p.input("name") != nil {
		return n.Pairs()
	}
	return func(yield func(name, flags *strict.Node) bool) {
		if !yield(name, n.Get("flags")) {
			return
		}
		for k, v := range n.Pairs() {
			if k.Text != "name" && k.Text != "flags" && !yield(k, v) {
				return
			}
		}
	}
}

// input finds the input validator of this name.
func (p *Package) input(name string) *problem.InputValidator {
	for _, v := range p.Inputs {
		if isCalled(v, name) {
			return v
		}
	}
	return nil
}

// isCalled says whether a name is that of a validator, with its extension or without.
func isCalled(v *problem.InputValidator, name string) bool {
	return name == v.Name || name == filepath.Base(v.Path)
}

// checkInputFlags finds flags of input validators that nobody would get.
func (p *Package) checkInputFlags(n *strict.Node) (faults judge.Faults) {
	if !n.Here() || n.Kind != strict.Map {
		return notWords(n)
	}
	var names []string
	for _, v := range p.Inputs {
		names = append(names, v.Name)
	}
	for name, flags := range p.flagsByValidator(n) {
		if len(names) > 0 && p.input(name.Text) == nil { // that there is none is told anyway
			faults = append(faults, name.Fault(fmt.Sprintf("no input validator is called %q: nobody gets its flags", name.Text), suggest.Hint(strings.TrimSuffix(name.Text, path.Ext(name.Text)), names)))
		}
		if v := p.input(name.Text); v != nil && v.Speaks == judge.Checktestdata && flags.Here() {
			faults = append(faults, flags.Fault(fmt.Sprintf("%s is a grammar, which takes no flags", name.Text), "write the bounds into the grammar, or remove them"))
		}
		faults = append(faults, notWords(flags)...)
	}
	return faults
}

// notWords finds what is neither a text nor a list of texts.
func notWords(n *strict.Node) (faults judge.Faults) {
	for _, item := range n.Items() {
		if item.Kind != strict.Scalar {
			faults = append(faults, item.Mismatch("a text, or a list of texts"))
		}
	}
	return faults
}

// checkUnread notes settings of cases that nobody has read.
func (p *Package) checkUnread(dir string) {
	for _, e := range p.list(dir) {
		name := path.Join(dir, e.Name)
		ext := extension(e.Name)
		switch {
		case e.Dir && !strings.HasSuffix(e.Name, ".files"):
			p.checkUnread(name)
		case e.Dir || ext != "yaml" && ext != "yml" || p.asked[name]:
		case p.oldData():
			p.flaw(name, "nobody reads this file: what it says does not count", "groups of this version are set up by testdata.yaml")
		default:
			p.flaw(name, "nobody reads this file: what it says does not count", "test_group.yaml stands in data, secret, sample and the groups right in secret; the settings of x.in in x.yaml")
		}
	}
}
