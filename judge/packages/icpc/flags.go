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

// caseFlags contains a case's arguments for the programs other than the output validator.
type caseFlags struct {
	input *strict.Node // input_validator_flags or _args: for all validators, or by validator
	args  []string
}

// InputArgs returns the arguments of an input validator for a case.
func (p *Package) InputArgs(v *problem.InputValidator, c *judge.Case) (args []string) {
	f := p.flags[c.ID()]
	if f.input == nil {
		return nil
	}
	if f.input.Kind != strict.Map {
		args = words(f.input)
	}
	for name, flags := range p.flagsByValidator(f.input) {
		if hasName(v, name.Text) {
			args = append(args, words(flags)...)
		}
	}
	for i, arg := range args {
		args[i] = p.Constants(arg)
	}
	return append(args, f.args...)
}

// flagsByValidator returns an iterator over validators and their flags. The node n maps validators to flags.
// Legacy packages also write it as {name: validator, flags: flags}.
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
		if hasName(v, name) {
			return v
		}
	}
	return nil
}

// hasName reports whether name is the validator's name or file name.
func hasName(v *problem.InputValidator, name string) bool {
	return name == v.Name || name == filepath.Base(v.Path)
}

// checkInputFlags finds input validator flags that would be ignored.
func (p *Package) checkInputFlags(n *strict.Node) (faults judge.ProblemErrors) {
	if !n.IsSet() || n.Kind != strict.Map {
		return notWords(n)
	}
	var names []string
	for _, v := range p.Inputs {
		names = append(names, v.Name)
	}
	for name, flags := range p.flagsByValidator(n) {
		if len(names) > 0 && p.input(name.Text) == nil { // a missing validator is reported anyway
			faults = append(
				faults,
				name.Fault(fmt.Sprintf("there is no input validator %q, so its flags have no effect", name.Text), suggest.Hint(
					strings.TrimSuffix(name.Text, path.Ext(name.Text)), names,
				)),
			)
		}
		if v := p.input(name.Text); v != nil && v.Protocol == judge.Checktestdata && flags.IsSet() {
			faults = append(
				faults,
				flags.Fault(
					fmt.Sprintf("%s is a grammar, which has no flags", name.Text),
					"write the bounds into the grammar, or remove them",
				),
			)
		}
		faults = append(faults, notWords(flags)...)
	}
	return faults
}

// notWords finds a value that is neither a string nor a list of strings.
func notWords(n *strict.Node) (faults judge.ProblemErrors) {
	for _, item := range n.Items() {
		if item.Kind != strict.Scalar {
			faults = append(faults, item.Mismatch("a text, or a list of texts"))
		}
	}
	return faults
}

// checkUnread warns about case settings that were not read.
func (p *Package) checkUnread(dir string) {
	for _, e := range p.list(dir) {
		name := path.Join(dir, e.Name)
		ext := extension(e.Name)
		switch {
		case e.Dir && !strings.HasSuffix(e.Name, ".files"):
			p.checkUnread(name)
		case e.Dir || ext != "yaml" && ext != "yml" || p.requestedFiles[name]:
		case p.usesTestdataYAML():
			p.warn(name, "this file has no effect", "in this version of the format, testdata.yaml configures groups")
		default:
			p.warn(
				name, "this file has no effect",
				"put test_group.yaml into data, secret, sample or a group directly in secret, and the settings of x.in into x.yaml",
			)
		}
	}
}
