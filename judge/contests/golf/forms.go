package golf

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/contests/golf/drivers"
	"assay/judge/internal/pattern"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// inputForm is one way to pass an input to a program.
type inputForm struct {
	name  string
	stdin func(args []string) string
	argv  func(args []string) []string
	rare  bool // tried only if a driver names it
}

// inputForms lists the input forms in the order in which they are tried.
var inputForms = []inputForm{
	{name: "i j", stdin: around("", " ", "\n")},
	{name: "lines", stdin: around("", "\n", "\n")},
	{name: "argv", argv: func(a []string) []string { return a }},
	{name: "i,j", stdin: around("", ",", "\n")},
	{name: "i, j", stdin: around("", ", ", "\n")},
	{name: "(i, j)", stdin: around("(", ", ", ")\n")},
	{name: "[i,j]", stdin: around("[", ",", "]\n")},
	{name: "[i j]", stdin: around("[", " ", "]\n")},
	{name: "(i j)", stdin: around("(", " ", ")\n")},
	{name: "argv 'i j'", argv: func(a []string) []string { return []string{strings.Join(a, " ")} }},
	{name: "argv 'i,j'", argv: func(a []string) []string { return []string{strings.Join(a, ",")} }},
	{name: "lines with full stops", stdin: around("", ".\n", ".\n"), rare: true},
	{name: "[i,j].", stdin: around("[", ",", "].\n"), rare: true},
	{name: "i/j", stdin: around("", "/", "\n"), rare: true},
	{name: unaryForm, stdin: unary},
}

// around returns a function that formats an input with texts before, between, and after the numbers.
func around(before, between, behind string) func(args []string) string {
	return func(args []string) string { return before + strings.Join(args, between) + behind }
}

// unaryForm is the input form for languages without numbers.
const unaryForm = "unary"

// unary formats each number as a run of as many ones.
func unary(args []string) string {
	words := make([]string, len(args))
	for k, a := range args {
		n := 0
		fmt.Sscan(a, &n)
		words[k] = strings.Repeat("1", max(n, 0))
	}
	return strings.Join(words, " ") + "\n"
}

// fromUnary converts a program's output in unary. Each run of ones becomes a number, and an empty run becomes 0.
// Other text stays unchanged.
func fromUnary(text string) string {
	words := unaryGap().Split(strings.TrimRight(text, "\r\n"), -1)
	if len(words) < 2 {
		return text
	}
	for k, w := range words {
		if strings.Trim(w, "1") != "" {
			return text
		}
		words[k] = fmt.Sprint(len(w))
	}
	return strings.Join(words, " ")
}

// unaryGap matches the separator of two unary numbers.
var unaryGap = pattern.New(`[ ,;\t\n]`)

// InputForms returns the names of the ways to pass an input to a program.
func InputForms() []string {
	names := make([]string, len(inputForms))
	for k, f := range inputForms {
		names[k] = f.name
	}
	return names
}

// forms lists the usual forms of a call in the order in which they are tried. A language may have additional
// forms, which are tried later.
var forms = []string{"args", "tuple", "list", "curry", "string"}

// FormName returns a form in common notation, such as f(i,j).
func FormName(form string, arity int) string {
	letters := ArgumentNames(arity)
	switch form {
	case "args":
		return "f(" + strings.Join(letters, ",") + ")"
	case "tuple":
		return "f((" + strings.Join(letters, ",") + "))"
	case "list":
		return "f([" + strings.Join(letters, ",") + "])"
	case "curry":
		return "f(" + strings.Join(letters, ")(") + ")"
	case "string":
		return "f(\"" + strings.Join(letters, " ") + "\")"
	}
	return form
}

// Calls returns the names of the forms that a driver supports.
func Calls(d *drivers.Driver, arity int) []string {
	var names []string
	for _, form := range formsOf(d) {
		names = append(names, FormName(form, arity))
	}
	return names
}

func formsOf(g *drivers.Driver) []string {
	var known, own []string
	for form := range g.Calls {
		form = strings.TrimPrefix(strings.TrimPrefix(form, anonymous), withName)
		if !slices.Contains(forms, form) && !slices.Contains(own, form) {
			own = append(own, form)
		}
	}
	for _, form := range forms {
		if callOf(g, form, true) != "" || callOf(g, form, false) != "" {
			known = append(known, form)
		}
	}
	slices.Sort(own)
	return append(known, own...)
}

// Prefixes of the keys in the [calls] table for forms that apply only to anonymous or only to named functions.
const (
	anonymous = "anonymous "
	withName  = "named "
)

// callOf returns the code with which a form calls a named or anonymous function. It returns "" if the form does
// not support functions of that kind.
func callOf(g *drivers.Driver, form string, isNamed bool) string {
	only := anonymous
	if isNamed {
		only = withName
	}
	if call := g.Calls[only+form]; call != "" {
		return call
	}
	if call := g.Calls[form]; isNamed || !strings.Contains(call, "{name}") {
		return call
	}
	return ""
}

// candidate is a possible way to call a submission.
type candidate struct {
	function bool
	name     string // name of the function; empty if it is anonymous
	last     bool   // only the last line is an anonymous function
	form     string
	input    inputForm
	wrap     *drivers.Wrap // code that wraps a program
}

func (c *candidate) description(arity int) string {
	if !c.function {
		how := "program, input " + c.input.name
		if c.wrap != nil {
			how += ", " + c.wrap.Name
		}
		return how
	}
	call := FormName(c.form, arity)
	if rest, ok := strings.CutPrefix(call, "f("); ok && c.name != "" {
		return "function " + c.name + "(" + rest
	}
	if c.name == "" && strings.HasPrefix(call, "f(") {
		return "anonymous function, called as " + call
	}
	return strings.TrimSpace("function "+c.name) + ", " + call
}

// notes describes the exceptions that this way of calling the submission makes, such as unary numbers.
func (c *candidate) notes() []string {
	var notes []string
	if c.wrap != nil {
		notes = append(notes, "run "+c.wrap.Name)
	}
	if !c.function && c.input.name == unaryForm {
		notes = append(notes, "numbers are unary, in the input and in the output")
	}
	return notes
}

// maxNames is the maximum number of function names that are tried. The last name in the code is tried first.
const maxNames = 6

// candidates lists the ways to call the submission, most likely first. Options.First precedes all others.
func candidates(a *Submission, arity int, o Options) []candidate {
	g := a.Driver
	programs := programForms(g, a.Code, o)
	var functions []candidate
	if g.Driver != "" {
		for _, c := range functionCandidates(g, a.Code, o.Entry) {
			for _, form := range formsOf(g) {
				fits := callOf(g, form, c.name != "") != ""
				if fits && (o.Call == "" || o.Call == form || o.Call == FormName(form, arity)) {
					c.form = form
					functions = append(functions, c)
				}
			}
		}
	}
	all := slices.Concat(functions, programs)
	switch {
	case o.Kind == "program" || o.InputForm != "":
		all = programs
	case o.Kind == "function" || o.Call != "" || o.Entry != "":
		all = functions
	case matchesAny(g.Programs, a.Code) || matchesAny(g.Argv, a.Code):
		all = slices.Concat(programs, functions)
	}
	rank := func(c candidate) int {
		if c.description(arity) == o.First {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return rank(a) - rank(b) })
	return all
}

// programForms lists the ways to run the submission as a program. Its text determines which come first.
func programForms(g *drivers.Driver, code string, o Options) []candidate {
	wraps := []*drivers.Wrap{nil}
	for i := range g.Wraps {
		w := &g.Wraps[i]
		switch {
		case w.Unless != "" && matchesAny([]string{w.Unless}, code):
		case w.When == "":
			wraps = append(wraps, w)
		case matchesAny([]string{w.When}, code):
			wraps = append([]*drivers.Wrap{w}, wraps...)
		}
	}
	inputs := slices.Clone(inputForms)
	likely := func(f inputForm) int {
		switch at := slices.Index(g.Inputs, f.name); {
		case f.argv != nil && matchesAny(g.Argv, code):
			return -len(g.Inputs) - 1
		case at >= 0:
			return at - len(g.Inputs)
		case f.argv != nil && len(g.Argv) > 0:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(inputs, func(a, b inputForm) int { return likely(a) - likely(b) })
	var all []candidate
	for _, w := range wraps {
		for _, in := range inputs {
			if o.InputForm == in.name || o.InputForm == "" && (!in.rare || slices.Contains(g.Inputs, in.name)) {
				all = append(all, candidate{input: in, wrap: w})
			}
		}
	}
	return all
}

// functionCandidates lists possible functions: the names in the code, the last one first, and then the whole code or
// its last line as an anonymous function.
func functionCandidates(g *drivers.Driver, code, asked string) []candidate {
	if asked != "" {
		return []candidate{{function: true, name: asked}}
	}
	var names []candidate
	for _, name := range append(namesIn(g.Names, code), namesIn(g.Values, code)...) {
		same := func(c candidate) bool { return c.name == name }
		if !slices.ContainsFunc(names, same) && len(names) < maxNames {
			names = append(names, candidate{function: true, name: name})
		}
	}
	nameless := []candidate{{function: true}}
	if g.Split && strings.Contains(strings.TrimSpace(code), "\n") {
		nameless = append(nameless, candidate{function: true, last: true})
	}
	return append(names, nameless...)
}

// namesIn returns the names that the expressions match, the last one in the code first.
func namesIn(expressions []string, code string) []string {
	type found struct {
		at   int
		name string
	}
	var all []found
	for _, expr := range expressions {
		re, err := regexp.Compile(expr)
		if err != nil {
			continue
		}
		for _, m := range re.FindAllStringSubmatchIndex(code, -1) {
			if len(m) > 3 && m[2] >= 0 {
				all = append(all, found{m[2], code[m[2]:m[3]]})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return b.at - a.at })
	names := make([]string, len(all))
	for k, f := range all {
		names[k] = f.name
	}
	return names
}

func matchesAny(expressions []string, text string) bool {
	return slices.ContainsFunc(expressions, func(expr string) bool {
		re, err := regexp.Compile(expr)
		return err == nil && re.MatchString(text)
	})
}

// builtCandidate is a candidate that has been built.
type builtCandidate struct {
	candidate
	program *judge.Program
	driver  string
	inPlace bool  // whether it changed the arguments of some sample
	err     error // error from building a program, which its input forms share
}

// buildError means that a candidate cannot be built.
type buildError struct {
	log   string   // output of the compiler
	shown string   // the output with positions in the submission instead of the driver
	own   []string // the messages with such positions
}

func (e *buildError) Error() string { return e.log }

// build makes the candidate ready to run. Programs share one build, and so do calls through the same driver.
// Number is used to name a directory.
func (p *checkRun) build(ctx context.Context, c candidate, number int) (*builtCandidate, error) {
	if !c.function {
		made, ok := p.built[c.wrap]
		if !ok {
			made = &builtCandidate{driver: p.wrapped(c.wrap)}
			made.program, made.err = p.buildProgram(ctx, c.wrap)
			p.built[c.wrap] = made
		}
		w := *made
		w.candidate = c
		return &w, made.err
	}
	return p.buildDriver(ctx, c, number)
}

func (p *checkRun) buildDriver(ctx context.Context, c candidate, number int) (*builtCandidate, error) {
	l := *p.lang
	if len(p.driver.Run) > 0 {
		l.Run, l.Result = p.driver.Run, nil
	}
	if len(l.Result) == 0 {
		l.Build = nil // the commands would only check the driver
	}
	if len(l.Extensions) == 0 { // the language substitutes for another one
		l.Extensions = []string{strings.TrimPrefix(filepath.Ext(l.File), ".")}
	}
	dir := filepath.Join(p.dir, fmt.Sprintf("way%d", number))
	seam := newMarker(p.a.Code)
	driver, answer := fillDriver(p.driver, c, p.a.Code, p.r.Domain.Arity, seam)
	driver, inDriver := seam.remove(driver)
	answer, inAnswer := seam.remove(answer)
	w := &builtCandidate{candidate: c, driver: driver}
	if made, ok := p.drivers[driver+answer]; ok {
		w.program = made.program
		return w, made.err
	}
	files := []*builtFile{{driverFile(p.lang), driver, inDriver}}
	if name := p.driver.Answer; name != "" {
		files = append(files, &builtFile{fillWords(name, map[string]string{"name": c.name}), answer, inAnswer})
	}
	texts := map[string]string{}
	for _, f := range files {
		texts[f.name] = f.text
	}
	if err := writeFiles(dir, texts); err != nil {
		return nil, err
	}
	w.program, w.err = p.make(ctx, dir, &l)
	if failed, ok := errors.AsType[*buildError](w.err); ok {
		failed.shown, failed.own = p.inSubmission(failed.log, files)
	}
	p.drivers[driver+answer] = w
	return w, w.err
}

// wrapped returns the text of the program with its wrapper.
func (p *checkRun) wrapped(wrap *drivers.Wrap) string {
	if wrap == nil {
		return p.a.Code + p.driver.Ending
	}
	return fillWords(wrap.Code, map[string]string{"code": p.a.Code})
}

func (p *checkRun) buildProgram(ctx context.Context, wrap *drivers.Wrap) (*judge.Program, error) {
	l := *p.lang
	name := p.a.name()
	dir := filepath.Join(p.dir, fmt.Sprintf("program%d", len(p.built)))
	if err := writeFiles(dir, map[string]string{name: p.wrapped(wrap)}); err != nil {
		return nil, err
	}
	if !p.inline() {
		return p.make(ctx, filepath.Join(dir, name), &l)
	}
	l.Build = nil // the commands would misread the flags
	made, err := p.make(ctx, filepath.Join(dir, name), &l)
	if err != nil {
		return nil, err
	}
	return onCommandLine(made, p.o.Flags, p.wrapped(wrap)), nil
}

// inline reports whether the flags require code on the command line, as perl -E does.
func (p *checkRun) inline() bool {
	n := len(p.o.Flags)
	return n > 0 && len(p.lang.Result) == 0 && p.driver.Inline != "" && matchesAny([]string{p.driver.Inline}, p.o.Flags[n-1])
}

// onCommandLine returns the program with its flags after the interpreter's name, and with the code itself instead
// of its file.
func onCommandLine(base *judge.Program, flags []string, code string) *judge.Program {
	at := slices.IndexFunc(base.Argv, func(w string) bool { return strings.HasPrefix(w, judge.ProgramDir+"/") })
	if at < 1+len(flags) {
		return base
	}
	program := *base
	program.Argv = slices.Concat(base.Argv[:1], base.Argv[1+len(flags):at], flags, []string{code}, base.Argv[at+1:])
	return &program
}

func (p *checkRun) make(ctx context.Context, path string, l *config.Language) (*judge.Program, error) {
	made, err := p.r.Tools.Build(ctx, path, l)
	if unusable, ok := errors.AsType[*lang.UnusableError](err); ok {
		return nil, &buildError{log: unusable.Fault.Text, shown: unusable.Fault.Text}
	}
	if err != nil {
		return nil, err
	}
	if !made.OK {
		log := strings.TrimSpace(made.Log)
		return nil, &buildError{log: log, shown: log}
	}
	return made.Program, nil
}

func writeFiles(dir string, files map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("lay the answer: %w", err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("lay the answer: %w", err)
		}
	}
	return nil
}

// driverFile returns the name of the file that starts a program in the language.
func driverFile(l *config.Language) string {
	if len(l.Entry) > 0 {
		return l.Entry[0]
	}
	return l.File
}

// asMissing returns the message about a missing tool if a missing tool is the cause of err. Otherwise it returns
// false.
func asMissing(err error) (string, bool) {
	missing, ok := errors.AsType[*lang.MissingError](err)
	if !ok {
		return "", false
	}
	return missing.Error(), true
}

// fillDriver returns the text of the language's driver and the text of the submission's own file, both with the
// submission inserted. It marks the submission's code with the seam.
func fillDriver(g *drivers.Driver, c candidate, code string, arity int, s marker) (driver, answer string) {
	whole := len(code)
	hoisted, code := hoist(g.Hoist, code)
	at := whole - len(code)
	words := map[string]string{
		"name": c.name, "code": s.mark(code, at), "definition": s.mark(code, at), "function": c.name, "arity": fmt.Sprint(arity),
		"hoisted": s.mark(hoisted, at-len(hoisted)),
	}
	if c.name == "" {
		words["definition"] = ""
		inner := strings.TrimSpace(code)
		at += strings.Index(code, inner)
		inner = strings.TrimRight(inner, ";")
		if last := strings.LastIndexByte(inner, '\n'); c.last && last >= 0 {
			words["definition"] = s.mark(inner[:last], at)
			inner, at = inner[last+1:], at+last+1
		}
		words["function"] = "(" + s.mark(inner, at) + ")"
	}
	each := func(item, between string) string {
		items := make([]string, arity)
		for k := range items {
			items[k] = strings.ReplaceAll(item, "{n}", fmt.Sprint(k))
		}
		return strings.Join(items, between)
	}
	words["args"] = each(g.Arg, ", ")
	words["curry"] = "(" + each(g.Arg, ")(") + ")"
	words["spaced"] = each(g.Arg, " ")
	for word, item := range g.Words {
		words[word] = each(item[0], item[1])
	}
	call := func(form string) string {
		return fillWords(callOf(g, form, c.name != ""), words)
	}
	words["call"] = call(c.form)
	if g.Case != "" {
		var cases []string
		for n, form := range formsOf(g) {
			cases = append(cases, fillWords(g.Case, map[string]string{"form": fmt.Sprint(n), "call": call(form)}))
		}
		words["cases"] = strings.Join(cases, "\n")
	}
	answer = words["code"]
	if g.Around != "" {
		answer = fillWords(g.Around, words)
	}
	return strings.TrimPrefix(fillWords(g.Driver, words), "\n"), answer
}

// hoist removes what an expression matches repeatedly at the start of the code. These are usually imports, which
// must precede the driver's own definitions.
func hoist(expr, code string) (hoisted, rest string) {
	re, err := regexp.Compile(expr)
	if expr == "" || err != nil {
		return "", code
	}
	rest = strings.TrimLeft(code, "\n")
	for {
		at := re.FindStringIndex(rest)
		if at == nil || at[0] != 0 || at[1] == 0 {
			return hoisted, rest
		}
		hoisted, rest = hoisted+rest[:at[1]], rest[at[1]:]
	}
}

// fillWords replaces {word} in template. It does not expand the replacements again.
func fillWords(template string, words map[string]string) string {
	return config.Placeholder().ReplaceAllStringFunc(template, func(m string) string {
		if word, ok := words[strings.Trim(m, "{}")]; ok {
			return word
		}
		return m
	})
}
