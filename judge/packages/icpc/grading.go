package icpc

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/strict"
)

// groupConfig is test_group.yaml, or the .yaml of a case, of the format 2025-09.
type groupConfig struct {
	MaxScore    *strict.Node `yaml:"max_score"`
	Aggregation string       `yaml:"score_aggregation"`
	StaticScore *strict.Node `yaml:"static_validation_score"`
	RequirePass []string     `yaml:"require_pass"`
	Args        []string     `yaml:"args"`
	InputArgs   *strict.Node `yaml:"input_validator_args"`
	StaticArgs  []string     `yaml:"static_validator_args"`
	OutputArgs  []string     `yaml:"output_validator_args"`
	InputVis    *strict.Node `yaml:"input_visualizer_args"`
	OutputVis   *strict.Node `yaml:"output_visualizer_args"`
	Feedback    *strict.Node `yaml:"full_feedback"`
	Hint        string       `yaml:"hint"`
	Description string       `yaml:"description"`
	// InputFlags the drafts.
	InputFlags  *strict.Node `yaml:"input_validator_flags"`
	OutputFlags *strict.Node `yaml:"output_validator_flags"`

	doc *strict.Node
}

// readGroupConfig reads a directory's test_group.yaml, or a case's .yaml.
func (p *Package) readGroupConfig(name string) (groupConfig, judge.ProblemErrors) {
	isCase := strings.HasSuffix(name, ".yaml")
	if !isCase {
		name = path.Join(name, "test_group.yaml")
	}
	n, faults := p.yaml(name)
	c := groupConfig{doc: n}
	faults = append(faults, n.Decode(&c)...)
	faults = append(faults, slices.Concat(p.checkInputFlags(c.InputArgs), p.checkInputFlags(c.InputFlags), notWords(c.OutputFlags))...)
	for old, now := range map[string]string{
		"input_validator_flags": "input_validator_args", "output_validator_flags": "output_validator_args",
	} {
		if n.Has(old) && n.Has(now) {
			faults = append(faults, n.Key(old).Fault(fmt.Sprintf("%s has no effect beside %s", old, now), "remove it"))
		}
	}
	if c.OutputFlags.IsSet() && c.OutputArgs == nil {
		c.OutputArgs = words(c.OutputFlags)
	}
	if c.InputFlags.IsSet() && !c.InputArgs.IsSet() {
		c.InputArgs = c.InputFlags
	}
	refused := []string{"hint"}
	if isCase {
		refused = []string{"max_score", "score_aggregation", "static_validation_score", "require_pass", "static_validator_args"}
	}
	for _, key := range refused {
		if n.Has(key) {
			faults = append(faults, n.Key(key).Fault(
				fmt.Sprintf("the key %q does not belong here", key),
				"it belongs in the other kind of file: a case's .yaml, or test_group.yaml",
			))
		}
	}
	for i, arg := range c.Args {
		c.Args[i] = p.Constants(arg)
	}
	for i, arg := range c.OutputArgs {
		c.OutputArgs[i] = p.Constants(arg)
	}
	for i, arg := range c.StaticArgs {
		c.StaticArgs[i] = p.Constants(arg)
	}
	return c, faults
}

// withDefaults returns the configuration, with unset values taken from above.
func (c groupConfig) withDefaults(inherited groupConfig) groupConfig {
	if !c.doc.Get("args").IsSet() {
		c.Args = inherited.Args
	}
	if !c.InputArgs.IsSet() {
		c.InputArgs = inherited.InputArgs
	}
	if c.OutputArgs == nil {
		c.OutputArgs = inherited.OutputArgs
	}
	return c
}

// readNewData reads the data directory of a package that uses test_group.yaml.
func (p *Package) readNewData() (faults judge.ProblemErrors) {
	base, bad := p.readGroupConfig("data")
	p.Warnings = append(p.Warnings, bad...)
	root := &judge.Node{}
	if p.isDir("data/" + sample) {
		config, bad := p.readGroupConfig("data/" + sample)
		p.Warnings = append(p.Warnings, bad...)
		for _, key := range []string{"max_score", "score_aggregation", "require_pass", "static_validation_score"} {
			if config.doc.Has(key) && key != "static_validation_score" {
				p.Warnings = append(p.Warnings, config.doc.Key(key).Fault(
					fmt.Sprintf("the samples give no score: the key %q does not belong here", key), "remove it",
				))
			}
		}
		p.addGroup(sample, config.withDefaults(base), func(string) bool { return true })
		node := &judge.Node{Name: sample, Aggregate: judge.AggregatePassFail, Unbounded: true}
		p.readStatic(node, config, &faults)
		root.Children = append(root.Children, node)
	}
	config, bad := p.readGroupConfig("data/" + secret)
	p.Warnings = append(p.Warnings, bad...)
	secretConfig := config.withDefaults(base)
	isGroup := func(dir string) bool { return p.isFile(path.Join("data", dir, "test_group.yaml")) }
	p.addGroup(secret, secretConfig, func(dir string) bool { return !isGroup(dir) })
	node := p.scoreNode(secret, config, nil, &faults)
	for _, e := range p.list("data/" + secret) {
		name := secret + "/" + e.Name
		if !e.Dir || !isGroup(name) {
			continue
		}
		config, bad := p.readGroupConfig("data/" + name)
		p.Warnings = append(p.Warnings, bad...)
		p.addGroup(name, config.withDefaults(secretConfig), func(string) bool { return true })
		node.Children = append(node.Children, p.scoreNode(name, config, node, &faults))
	}
	if len(node.Children) > 0 && p.hasCases(secret) {
		p.warn("data/"+secret, "the directory contains both cases and test data groups", "move the cases into a group")
	}
	root.Children = append(root.Children, node)
	if p.scoring || p.Static != nil {
		p.Grading = &judge.Grading{Form: judge.Format2025, Scored: p.scoring, Custom: true, Root: root}
	}
	return faults
}

// addGroup adds a group that contains the cases of its directory, and of the subdirectories that satisfy the
// function `within`.
func (p *Package) addGroup(name string, config groupConfig, include func(dir string) bool) {
	group := judge.Group{Name: name, Description: config.Description}
	var walk func(dir, prefix string)
	walk = func(dir, prefix string) {
		for _, c := range p.cases(dir, name, prefix) {
			base := strings.TrimSuffix(p.inside(c.In), ".in")
			own, bad := p.readGroupConfig(base + ".yaml")
			p.Warnings = append(p.Warnings, bad...)
			own = own.withDefaults(config)
			c.Args, c.CheckerArgs = own.Args, own.OutputArgs
			p.flags[c.ID()] = caseFlags{input: own.InputArgs, args: own.Args}
			group.Cases = append(group.Cases, c)
		}
		for _, e := range p.list(dir) {
			sub := path.Join(dir, e.Name)
			if e.Dir && !strings.HasSuffix(e.Name, ".files") && include(strings.TrimPrefix(sub, "data/")) {
				walk(sub, prefix+e.Name+"/")
			}
		}
	}
	walk("data/"+name, "")
	slices.SortStableFunc(group.Cases, func(a, b judge.Case) int { return strings.Compare(a.Name, b.Name) })
	if len(group.Cases) > 0 {
		p.Groups = append(p.Groups, group)
	}
}

// aggregations lists the ways to combine a group's scores.
var aggregations = []string{"pass-fail", "sum", "min"}

// scoreNode returns the node of a group. For the group secret, parent is nil.
func (p *Package) scoreNode(name string, c groupConfig, parent *judge.Node, faults *judge.ProblemErrors) *judge.Node {
	node := &judge.Node{Name: name, Aggregate: judge.AggregateSum, MaxScore: 100}
	if parent != nil {
		node.Aggregate, node.MaxScore, node.Unbounded = judge.AggregatePassFail, 0, true
	}
	if p.scoring {
		p.readScores(node, c, parent, faults)
	} else {
		node.Aggregate, node.MaxScore, node.Unbounded = judge.AggregatePassFail, 0, true
		for _, key := range []string{"max_score", "score_aggregation", "require_pass"} {
			if c.doc.Has(key) {
				p.Warnings = append(p.Warnings, c.doc.Key(key).Fault(
					fmt.Sprintf("the key %q is for scoring problems", key), "write type: scoring, or remove it",
				))
			}
		}
	}
	p.readStatic(node, c, faults)
	return node
}

func (p *Package) readScores(node *judge.Node, c groupConfig, parent *judge.Node, faults *judge.ProblemErrors) {
	switch {
	case c.MaxScore.IsSet() && c.MaxScore.Text == "unbounded":
		node.MaxScore, node.Unbounded = 0, true
	case c.MaxScore.IsSet():
		x, ok := c.MaxScore.Float()
		if !ok || x < 0 || x != math.Trunc(x) {
			*faults = append(*faults, c.MaxScore.Mismatch("a whole number, or unbounded"))
		}
		node.MaxScore, node.Unbounded = x, false
	}
	if c.Aggregation != "" {
		if !slices.Contains(aggregations, c.Aggregation) {
			*faults = append(*faults, oneOfFault(c.doc.Get("score_aggregation"), "score_aggregation", c.Aggregation, aggregations))
		}
		node.Aggregate = judge.Aggregate(c.Aggregation)
	}
	if parent != nil && node.Unbounded && !parent.Unbounded {
		*faults = append(*faults, c.doc.Fault(
			fmt.Sprintf("the group %s has no max_score, but secret is bounded", node.Name),
			"set max_score here, or max_score: unbounded in data/secret/test_group.yaml",
		))
	}
	if parent != nil && parent.Aggregate == judge.AggregatePassFail && node.Aggregate != judge.AggregatePassFail {
		*faults = append(
			*faults,
			c.doc.Fault(fmt.Sprintf(
				"the group %s is not pass-fail, but secret is", node.Name,
			), "if secret is pass-fail, make all of its groups pass-fail"),
		)
	}
	for _, need := range c.RequirePass {
		if need != sample && !strings.HasPrefix(need, secret+"/") {
			need = secret + "/" + need
		}
		known := need == sample || parent != nil &&
			slices.ContainsFunc(
				parent.Children,
				func(n *judge.Node) bool { return n.Name == need && n.Aggregate == judge.AggregatePassFail },
			)
		if !known {
			*faults = append(*faults, c.doc.Get("require_pass").Fault(
				fmt.Sprintf("require_pass: %q is not a pass-fail group before this one", need),
				"name sample, or a pass-fail group that sorts before this one",
			))
			continue
		}
		node.RequirePass = append(node.RequirePass, need)
	}
}

func (p *Package) readStatic(node *judge.Node, c groupConfig, faults *judge.ProblemErrors) {
	if !c.StaticScore.IsSet() {
		if len(c.StaticArgs) > 0 {
			*faults = append(*faults, c.doc.Key("static_validator_args").Fault(
				"static_validator_args has no effect without static_validation_score",
				"set static_validation_score: pass-fail, or to a number",
			))
		}
		return
	}
	if p.Static == nil {
		*faults = append(*faults, c.doc.Key("static_validation_score").Fault(
			"static_validation_score is set, but there is no static_validator", "add the program static_validator/",
		))
		return
	}
	check := &judge.StaticCheck{Args: c.StaticArgs}
	if c.StaticScore.Text == "pass-fail" {
		check.PassFail = true
	} else if x, ok := c.StaticScore.Float(); ok && p.scoring && node.Aggregate != judge.AggregatePassFail {
		check.Score = x
	} else {
		*faults = append(*faults, c.StaticScore.Fault(
			fmt.Sprintf("static_validation_score: %q is not allowed here", c.StaticScore.Text),
			"write a number in a group with sum or min, and pass-fail elsewhere",
		))
		return
	}
	node.Static = check
}
