package polygon

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"assay/judge"
	"assay/judge/packages/fill"
)

// NeedsFilling reports whether the package must be filled, because tests or answers are missing or have Windows line
// ends.
func NeedsFilling(dir string) bool {
	r, fault := newReader(dir)
	if fault != nil {
		return false // Open reports why
	}
	for i := range r.set.Tests {
		in, ans := r.files(i)
		if in == "" || ans == "" && !r.lacksAnswers() || hasReturns(in) || hasReturns(ans) {
			return true
		}
	}
	return false
}

// lacksAnswers reports whether the problem has no answers, because submissions talk to an interactor or run several times.
func (r *reader) lacksAnswers() bool {
	return r.doc.Assets.Interactor != nil || r.doc.Judging.RunCount > 1
}

// hasReturns reports whether the start of a file has Windows line ends.
func hasReturns(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 64<<10))
	return err == nil && bytes.Contains(head, []byte("\r\n"))
}

// Recipe returns how the tests of a package are made: inputs by its generators, and answers by its main solution.
// Existing files become part of the recipe unchanged. The recipe is for a data directory without subdirectories.
func Recipe(dir string) (recipe *fill.Recipe, warnings, faults judge.ProblemErrors) {
	r, fault := newReader(dir)
	if fault != nil {
		return nil, nil, judge.ProblemErrors{fault}
	}
	recipe = &fill.Recipe{Place: r.place}
	answering := fill.AnswerSource{Empty: r.lacksAnswers()}
	answering.In, answering.Out = r.fileNames()
	if main := r.mainSolution(); main != nil {
		answering.Solutions = []*judge.SetterProgram{main}
	}
	programs := r.generators()
	for i, t := range r.set.Tests {
		c := &fill.Case{Path: r.name(i), File: filepath.Join(dir, File), From: map[string]string{}, Answer: answering}
		in, ans := r.pathOf(numbered(r.set.Input, i+1)), r.pathOf(numbered(r.set.Answer, i+1))
		if ans != "" {
			c.From[".ans"] = ans
		}
		if in != "" {
			c.From[".in"] = in
		} else if c.Generate, fault = r.command(t, programs); fault != nil {
			fault.Text = fmt.Sprintf("test %s: %s", r.name(i), fault.Text)
			warnings = append(warnings, fault)
			continue
		}
		recipe.Cases = append(recipe.Cases, c)
	}
	return recipe, warnings, nil
}

// place returns the path in the package of a file that the recipe makes.
func (r *reader) place(name string) string {
	ext := path.Ext(name)
	for i := range r.set.Tests {
		if r.name(i) != strings.TrimSuffix(name, ext) {
			continue
		}
		pattern := r.set.Input
		if ext == ".ans" {
			pattern = r.set.Answer
		}
		return filepath.ToSlash(local(numbered(pattern, i+1)))
	}
	return path.Join(filledDir, name)
}

// mainSolution returns the solution that makes the answers. It returns nil if there is none.
func (r *reader) mainSolution() *judge.SetterProgram {
	for _, s := range r.doc.Assets.Solutions {
		if full := r.pathOf(s.Source.Path); s.Tag == "main" && full != "" {
			return &judge.SetterProgram{Path: full, Protocol: "plain"}
		}
	}
	return nil
}

// generators returns the programs that commands may call, by name.
func (r *reader) generators() map[string]*judge.SetterProgram {
	all := map[string]*judge.SetterProgram{}
	for _, e := range r.doc.Executables {
		if full := r.pathOf(e.Source.Path); full != "" {
			base := path.Base(filepath.ToSlash(full))
			all[strings.TrimSuffix(base, path.Ext(base))] = &judge.SetterProgram{Path: full, Protocol: "plain"}
		}
	}
	return all
}

// command parses the command that makes a test.
func (r *reader) command(t test, programs map[string]*judge.SetterProgram) (*fill.Command, *judge.ProblemError) {
	words := strings.Fields(t.Cmd)
	if len(words) == 0 {
		return nil, r.fault("the test is missing, and no command generates it", "the package has lost a file; generate it again in Polygon")
	}
	name := path.Base(strings.ReplaceAll(words[0], `\`, "/"))
	part := programs[strings.TrimSuffix(name, ".exe")]
	if part == nil {
		return nil, r.fault(fmt.Sprintf("there is no generator %q", name), "")
	}
	return &fill.Command{Program: part, Args: func(uint32) []string { return words[1:] }, Output: local(t.File)}, nil
}
