package polygon

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/packages/icpc"
)

// Directories of a package's statements. Each contains a directory per language.
const (
	sectionsDir    = "statement-sections"
	statementsDir  = "statements"
	propertiesFile = "problem-properties.json"
)

// parts lists the sections of a statement in the order of olymp.sty: the name of the file in statement-sections,
// which is also the key in problem-properties.json, and the command for the heading. The examples come before the
// notes.
var parts = []struct{ file, heading string }{
	{"legend", ""}, {"input", `\InputFile`}, {"output", `\OutputFile`}, {"interaction", `\Interaction`},
	{"scoring", `\Scoring`}, {"notes", `\Note`},
}

// maxSection is the maximum size of a statement file, in bytes.
const maxSection = 4 << 20

// statements reads the statements of all languages. For each language, it prefers the form with the most
// information: sections, the properties, problem.tex, HTML, PDF.
func (r *reader) statements() {
	var languages []string
	add := func(language string) {
		if language != "" && filepath.IsLocal(language) && language == filepath.Base(language) && !slices.Contains(languages, language) {
			languages = append(languages, language)
		}
	}
	for _, s := range r.doc.Statements {
		add(s.Language)
	}
	for _, n := range r.doc.Names {
		add(n.Language)
	}
	entries, _ := os.ReadDir(filepath.Join(r.dir, sectionsDir)) // most packages do not have this directory
	for _, e := range entries {
		add(e.Name())
	}
	for _, language := range languages {
		r.sections(language)
		r.properties(language)
	}
	kinds := map[string]string{"application/x-tex": "tex", "application/pdf": "pdf", "text/html": "html"}
	for _, s := range r.doc.Statements {
		if kind := kinds[s.Type]; kind != "" && r.pathOf(s.Path) != "" {
			r.addStatement(icpc.Statement{Language: code(s.Language), Name: filepath.ToSlash(local(s.Path)), Kind: kind})
		}
	}
	r.pkg.SortStatements()
	r.pkg.Names = map[string]string{}
	for _, n := range r.doc.Names {
		r.pkg.Names[code(n.Language)] = n.Value
	}
	r.pkg.ShowCases(r.samples())
}

func (r *reader) addStatement(s icpc.Statement) { r.pkg.Statements = append(r.pkg.Statements, s) }

// samples returns the tests that problem.xml marks as samples. A statement without examples of its own shows them.
func (r *reader) samples() (cases []judge.Case) {
	for i, t := range r.set.Tests {
		if !t.Sample {
			continue
		}
		if in, ans := r.files(i); in != "" {
			cases = append(cases, judge.Case{Name: r.name(i), In: in, Ans: ans})
		}
	}
	return cases
}

// sections reads a statement that has one file for each section, with its examples.
func (r *reader) sections(language string) {
	folder := path.Join(sectionsDir, language)
	var b strings.Builder
	first := ""
	for _, p := range parts {
		if p.file == "notes" {
			b.WriteString(r.examples(folder))
		}
		name := path.Join(folder, p.file+".tex")
		if !r.isNonEmptyFile(name) {
			continue
		}
		b.WriteString(p.heading + "\n\n" + `\input{` + p.file + ".tex}\n\n")
		if first == "" {
			first = name
		}
	}
	if first != "" {
		r.addStatement(icpc.Statement{Language: code(language), Name: first, Kind: "tex", Source: b.String()})
	}
}

// isNonEmptyFile reports whether a file exists and is not empty.
func (r *reader) isNonEmptyFile(name string) bool {
	full := r.pathOf(name)
	if full == "" {
		return false
	}
	info, err := os.Stat(full)
	if err != nil || info.Size() > maxSection {
		return false
	}
	data, err := os.ReadFile(full)
	return err == nil && len(strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))) > 0
}

// examples returns the examples in a statement's directory, such as example.01 and example.01.a. They may differ
// from the tests. If there are none, the statement shows the tests.
func (r *reader) examples(dir string) string {
	entries, _ := os.ReadDir(filepath.Join(r.dir, filepath.FromSlash(dir))) // the directory exists
	var b strings.Builder
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "example.") && r.pathOf(path.Join(dir, name+".a")) != "" {
			b.WriteString(`\exmpfile{` + name + `}{` + name + ".a}\n")
		}
	}
	return "\\Examples\n\n" + b.String() + "\n"
}

// properties reads a statement from the sections in problem-properties.json.
func (r *reader) properties(language string) {
	name := path.Join(statementsDir, language, propertiesFile)
	full := r.pathOf(name)
	if full == "" {
		return
	}
	info, err := os.Stat(full)
	if err != nil || info.Size() > maxSection {
		return
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return
	}
	var all map[string]json.RawMessage
	if json.Unmarshal(data, &all) != nil {
		return // there are other forms of the statement
	}
	files := map[string]string{}
	var b strings.Builder
	for _, p := range parts {
		if p.file == "notes" {
			b.WriteString(sampleTests(all["sampleTests"], files))
		}
		var text string
		if json.Unmarshal(all[p.file], &text) != nil || strings.TrimSpace(text) == "" {
			continue // the section is null or missing
		}
		files[p.file+".tex"] = text
		b.WriteString(p.heading + "\n\n" + `\input{` + p.file + ".tex}\n\n")
	}
	if _, ok := files["legend.tex"]; ok {
		r.addStatement(icpc.Statement{Language: code(language), Name: name, Kind: "tex", Source: b.String(), Files: files})
	}
}

// sampleTests adds the examples of problem-properties.json to the files. It returns the commands that show them.
func sampleTests(raw json.RawMessage, files map[string]string) string {
	var tests []struct{ Input, Output, InputFile, OutputFile string }
	if json.Unmarshal(raw, &tests) != nil {
		tests = nil // show the samples among the tests
	}
	var b strings.Builder
	for _, t := range tests {
		if t.InputFile == "" || t.OutputFile == "" || strings.ContainsAny(t.InputFile+t.OutputFile, `\{}%`) {
			continue
		}
		files[t.InputFile], files[t.OutputFile] = t.Input, t.Output
		b.WriteString(`\exmpfile{` + t.InputFile + `}{` + t.OutputFile + "}\n")
	}
	return "\\Examples\n\n" + b.String() + "\n"
}
