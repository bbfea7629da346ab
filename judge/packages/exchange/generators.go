package exchange

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/problem"
)

// If a directory has a generator, the export includes a generators.yaml with which other tools can make the same
// cases: each line names the generator, the case's seed, and its arguments. Cases that only this judge can make,
// and cases written by hand, are copied.

// recipe is the data for generators.yaml, collected while the cases are written.
type recipe struct {
	cases []recipeCase
	files map[string]string // by path in the package: .yaml files of groups and cases
}

type recipeCase struct {
	dir, name, group string
	c                judge.Case
}

func (r *recipe) add(dir, name, group string, c *judge.Case) {
	r.cases = append(r.cases, recipeCase{dir, name, group, *c})
}

func (r *recipe) addFile(name, text string) {
	if r.files == nil {
		r.files = map[string]string{}
	}
	r.files[name] = text
}

// The generator's name in the package, and the directory of copied cases.
const (
	generatorName = "generator"
	copiedCases   = "cases"
)

// seededRun starts a generator whose first argument is the seed.
const seededRun = `#!/bin/sh
# The first argument is the case's seed.
ASSAY_SEED=$1 && export ASSAY_SEED && shift
exec "$(dirname "$0")/make" "$@"
`

// generators writes the generator and generators.yaml, if the problem has a generator line.
func (e *exporter) generators() error {
	p := e.from.Generator
	makes := func(r recipeCase) bool {
		return r.c.Line != "" && !(problem.Derived(r.c.Line) && e.from.FormatPath() != "")
	}
	if p == nil || e.options.Seed == nil || !slices.ContainsFunc(e.recipe.cases, makes) {
		return nil
	}
	for _, r := range e.recipe.cases {
		if len(r.c.Files) > 0 {
			e.notes.add("there is no generators.yaml: case %s has files beside its input", r.c.ID())
			return nil
		}
	}
	if goes, err := e.generator(p); err != nil || !goes {
		return err
	}
	var b strings.Builder
	b.WriteString("# The cases, and what makes them: generator, seed and words of each.\n")
	if e.model != "" && !e.from.Kind.Interactive && !e.from.Kind.MultiPass {
		fmt.Fprintf(&b, "solution: /submissions/accepted/%s\n", e.model)
	}
	e.directory(&b, "data", "", func(r recipeCase) string {
		if !makes(r) {
			return ""
		}
		seed := e.options.Seed(r.group, &r.c)
		number := problem.SeedNumber(seed)
		if p.Protocol != "kit" {
			seed = number
		}
		words := []string{generatorName, seed}
		for _, word := range strings.Fields(r.c.Line) {
			words = append(words, shellWord(strings.ReplaceAll(word, problem.SeedWord, number)))
		}
		return strings.Join(words, " ")
	})
	for _, r := range e.recipe.cases {
		if makes(r) {
			continue
		}
		for _, ext := range []string{".in", ".ans"} {
			from := filepath.Join(e.dir, filepath.FromSlash(r.dir), r.name+ext)
			if err := copyFile(from, filepath.Join(e.dir, "generators", copiedCases, path.Base(r.dir), r.name+ext)); err != nil {
				return err
			}
		}
	}
	return write(filepath.Join(e.dir, "generators", "generators.yaml"), []byte(b.String()), 0o644)
}

// generator copies the generator, its kit if it uses one, and a script that passes the seed. If the generator is
// in a language that other tools cannot start, nothing is copied and goes is false.
func (e *exporter) generator(p *judge.SetterProgram) (ok bool, err error) {
	dir := "generators/" + generatorName
	to := filepath.Join(e.dir, filepath.FromSlash(dir))
	if err := e.sources(p, to); err != nil {
		return false, err
	}
	if p.Protocol == "kit" {
		err = e.wrapKit(p, to, asGenerator)
	} else {
		err = e.standalone(to, true)
	}
	if err != nil {
		return false, err
	}
	run := filepath.Join(to, "run")
	if _, err := os.Lstat(run); err != nil {
		e.notes.add("there is no generators.yaml: the generator is not written in Go, Python or C++")
		return false, os.RemoveAll(filepath.Join(e.dir, "generators"))
	}
	if err := os.Rename(run, filepath.Join(to, "make")); err != nil {
		return false, err
	}
	return true, write(run, []byte(seededRun), 0o755)
}

// directory writes a data directory as YAML: its settings file, its cases, and its subdirectories.
func (e *exporter) directory(b *strings.Builder, dir, indent string, line func(recipeCase) string) {
	for _, name := range []string{"test_group.yaml", "testdata.yaml"} {
		if text := e.recipe.files[dir+"/"+name]; text != "" {
			fmt.Fprintf(b, "%s%s: %s\n", indent, name, text)
		}
	}
	fmt.Fprintf(b, "%sdata:\n", indent)
	seen := map[string]bool{}
	for _, r := range e.recipe.cases {
		if rest, below := strings.CutPrefix(r.dir, dir+"/"); below {
			if name, _, _ := strings.Cut(rest, "/"); !seen[name] {
				seen[name] = true
				fmt.Fprintf(b, "%s  %s:\n", indent, name)
				e.directory(b, dir+"/"+name, indent+"    ", line)
			}
		}
		if r.dir != dir {
			continue
		}
		key, what := "generate", line(r)
		if what == "" {
			key, what = "copy", path.Join(copiedCases, path.Base(r.dir), r.name)
		}
		fmt.Fprintf(b, "%s  %s: {%s: %s", indent, yamlText(r.name), key, yamlText(what))
		if text := e.recipe.files[dir+"/"+r.name+".yaml"]; text != "" {
			fmt.Fprintf(b, ", yaml: %s", text)
		}
		b.WriteString("}\n")
	}
}

// shellWord quotes a word for a shell.
func shellWord(word string) string {
	if strings.Trim(word, plainBytes) == "" && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

const plainBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
