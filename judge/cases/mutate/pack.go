package mutate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/running/config"
	"assay/judge/running/lang"
)

// readTokens reads a program of a family, which is a file or a directory, and finds its mutants.
func readTokens(name string, l *config.Language, f *Family) (*Source, error) {
	s := &Source{Path: name, files: map[string][]byte{}, blocks: 1, family: f, language: l}
	if err := s.readFiles(); err != nil {
		return nil, err
	}
	s.names = slices.Sorted(maps.Keys(s.files))
	if !s.single {
		if err := s.chooseSource(); err != nil {
			return nil, err
		}
	}
	s.Mutants = f.mutants(s.names[0], string(s.files[s.names[0]]))
	s.steps = f.steps(string(s.files[s.names[0]]))
	return s, nil
}

// chooseSource chooses which file of a directory to mutate: the only source file. If there are several source
// files and the program reads the others at run time, it is the file that starts the program.
func (s *Source) chooseSource() error {
	s.names = slices.DeleteFunc(s.names, func(name string) bool {
		return !slices.Contains(s.language.Extensions, strings.TrimPrefix(path.Ext(name), "."))
	})
	for _, entry := range s.language.Entry {
		if len(s.names) > 1 && s.family.Table && slices.Contains(s.names, entry) {
			s.Notes = append(s.Notes, fmt.Sprintf("only %s is mutated of %d files", entry, len(s.names)))
			s.names = []string{entry}
		}
	}
	if len(s.names) != 1 {
		return &UnmutableError{s.Path, fmt.Sprintf("it has %d source files, and none of them is the whole program", len(s.names))}
	}
	return nil
}

// packedFiles returns the files of a program that contains the original and the given mutants. A file that is missing in
// the directory is ignored, because the program then fails to compile.
func (s *Source) packedFiles(mutants []*Mutant) (map[string][]byte, error) {
	f, files := s.family, map[string][]byte{}
	text := s.files[s.names[0]]
	for name, data := range s.files {
		if f.Table && name != s.names[0] || slices.Contains(s.language.Headers, strings.TrimPrefix(path.Ext(name), ".")) {
			files[name] = data
		}
	}
	for _, name := range append([]string{f.Harness}, f.HarnessFiles...) {
		data, err := familyFiles.ReadFile("harness/" + name)
		if err != nil {
			return nil, fmt.Errorf("write the mutants: %w", err)
		}
		files[name] = data
	}
	harness := string(files[f.Harness])
	delete(files, f.Harness)
	var hoisted, declare, call strings.Builder
	if f.Table {
		table, err := json.Marshal(s.table(mutants))
		if err != nil {
			return nil, fmt.Errorf("write the mutants: %w", err)
		}
		files["mutants.json"] = table
	} else {
		program := s.hideFunctions(string(text))
		if f.hoist != nil {
			for _, line := range f.hoist.FindAllString(program, -1) {
				hoisted.WriteString(line + "\n")
			}
		}
		class := mainClass(program, f.main)
		for _, m := range append([]*Mutant{{}}, mutants...) {
			id := copyName(m.ID)
			words := strings.NewReplacer("{id}", id, "{n}", fmt.Sprint(m.ID), "{class}", class)
			files[words.Replace(f.Copy)] = []byte(s.copyText(m, id, hoisted.String()))
			declare.WriteString(words.Replace(f.Declare) + "\n")
			call.WriteString(words.Replace(f.Call) + "\n")
		}
		harness = strings.ReplaceAll(harness, "{class}", class)
	}
	words := strings.NewReplacer("{hoisted}", hoisted.String(), "{declare}", declare.String(), "{call}", call.String())
	files[f.Name] = []byte(words.Replace(harness))
	for _, name := range f.HarnessFiles {
		files[name] = []byte(strings.NewReplacer("{hoisted}", "", "{declare}", "", "{call}", "").Replace(string(files[name])))
	}
	return files, nil
}

// table returns the data for harnesses that apply mutations themselves.
func (s *Source) table(mutants []*Mutant) any {
	type row struct {
		ID    int    `json:"id"`
		Start int    `json:"start"`
		End   int    `json:"end"`
		After string `json:"after"`
	}
	rows := []row{}
	for _, m := range mutants {
		rows = append(rows, row{m.ID, m.start, m.end, m.After})
	}
	return struct {
		Name    string      `json:"name"`
		Text    []byte      `json:"text"`
		Mutants []row       `json:"mutants"`
		Steps   []insertion `json:"steps"`
	}{s.names[0], s.files[s.names[0]], rows, append([]insertion{}, s.steps...)}
}

// insertion is a text to be inserted into another text.
type insertion struct {
	At   int    `json:"at"`
	Text string `json:"text"`
}

// steps returns the insertions of code that counts a program's steps. The code is inserted into each loop body
// that is in braces. For any other loop, it is inserted into the loop condition.
func (f *Family) steps(text string) (insertions []insertion) {
	if f.Step == "" {
		return nil
	}
	toks := f.Lexis.tokens(text)
	is := func(i int, text string) bool { return i < len(toks) && toks[i].text == text && toks[i].kind != quoted }
	for i, t := range toks {
		if t.kind != word || t.text != "for" && t.text != "while" && t.text != "do" {
			continue
		}
		from, to := i+2, i
		if t.text != "do" {
			if !is(i+1, "(") || toks[i+1].match < 0 {
				continue
			}
			to = toks[i+1].match
		}
		if is(to+1, "{") {
			insertions = append(insertions, insertion{toks[to+1].end, " " + f.Step + ";"})
			continue
		}
		if t.text == "for" {
			semicolons := 0
			for j := i + 2; j < toks[i+1].match; j++ {
				if !is(j, ";") || toks[j].depth != toks[i+1].depth+1 {
					continue
				}
				if semicolons++; semicolons == 1 {
					from = j + 1
				} else {
					to = j
				}
			}
			if semicolons != 2 {
				continue
			}
		}
		if t.text != "do" && from < to {
			insertions = append(insertions, insertion{toks[from].start, f.Step + " && ("}, insertion{toks[to-1].end, ")"})
		}
	}
	slices.SortStableFunc(insertions, func(a, b insertion) int { return cmp.Compare(a.At, b.At) })
	return insertions
}

// mutantText returns the text of a mutant. It inserts code that counts steps everywhere except within the change. For
// the zero Mutant, changed returns the text of the original program.
func (s *Source) mutantText(m *Mutant) string {
	text := string(s.files[s.names[0]])
	var b strings.Builder
	at, changed := 0, m.ID == 0
	change := func() {
		b.WriteString(text[at:m.start] + m.After)
		at, changed = m.end, true
	}
	for _, step := range s.steps {
		if !changed && step.At > m.start && step.At < m.end {
			continue
		}
		if !changed && step.At >= m.end {
			change()
		}
		b.WriteString(text[at:step.At] + step.Text)
		at = step.At
	}
	if !changed {
		change()
	}
	return b.String() + text[at:]
}

// hideFunctions replaces functions that the copies may not call.
func (s *Source) hideFunctions(text string) string {
	for _, word := range slices.Sorted(maps.Keys(s.family.Hide)) {
		text = strings.ReplaceAll(text, word, s.family.Hide[word])
	}
	return text
}

// copyText returns the text of a copy of the program.
func (s *Source) copyText(m *Mutant, id, hoisted string) string {
	f := s.family
	body := s.hideFunctions(s.mutantText(m))
	if f.hoist != nil {
		body = f.hoist.ReplaceAllString(body, "")
	}
	if f.Ending != "" {
		body = appendToMain(&f.Lexis, body, f.main, f.Ending)
	}
	if f.Entry != "" {
		body = f.main.ReplaceAllLiteralString(body, f.Entry)
	}
	renames := ""
	if f.Renames != "" {
		for _, name := range fileScopeNames(f, body) {
			renames += strings.NewReplacer("{name}", name, "{id}", id).Replace(f.Renames)
		}
	}
	return strings.NewReplacer("{id}", id, "{hoisted}", hoisted, "{renames}", renames, "{body}", body).Replace(f.Body)
}

// appendToMain appends text to the main function.
func appendToMain(lexis *Lexis, body string, main *regexp.Regexp, ending string) string {
	begin := main.FindStringIndex(body)
	if begin == nil {
		return body
	}
	for _, t := range lexis.tokens(body) {
		if t.start >= begin[1] && t.text == "}" && t.depth == 0 && t.match >= 0 {
			return body[:t.start] + ending + body[t.start:]
		}
	}
	return body
}

// fileScopeNames lists the functions and variables that a C program declares at file scope.
func fileScopeNames(f *Family, body string) (names []string) {
	toks := f.Lexis.tokens(body)
	for i, t := range toks {
		if t.kind != word || t.depth > 0 || i+1 == len(toks) || slices.Contains(f.Types, t.text) ||
			slices.Contains(f.Keywords, t.text) || slices.Contains(names, t.text) {
			continue
		}
		if next := toks[i+1]; next.kind == sign && slices.Contains([]string{"(", "[", "=", ";", ","}, next.text) &&
			i > 0 && !slices.Contains([]string{"struct", "enum", "union"}, toks[i-1].text) {
			names = append(names, t.text)
		}
	}
	return names
}

var classWord = pattern.New(`\b(?:class|enum|record|interface)\s+(\w+)`)

// mainClass returns the name of the class that contains the main function.
func mainClass(text string, main *regexp.Regexp) string {
	if main == nil {
		return ""
	}
	at := main.FindStringIndex(text)
	if at == nil {
		return "Main"
	}
	depth := 0 // brace depth of the class that contains the main function
	last := "Main"
	for _, m := range classWord().FindAllStringSubmatchIndex(text[:at[0]], -1) {
		if open := strings.Count(text[:m[0]], "{") - strings.Count(text[:m[0]], "}"); open <= depth {
			last = text[m[2]:m[3]]
		}
	}
	return last
}

// packer builds the programs that contain the mutants of a source.
type packer struct {
	*Runner
	s       *Source
	setters bool

	mu       sync.Mutex
	programs []*judge.Program
	prints   map[int]fingerprint // by mutant; mutant 0 is the original program
	batch    map[int]int         // maps mutants to indices of the programs that contain them
	wanted   int
}

// build builds a program from some mutants. If the compiler rejects it, build returns the compiler's output.
func (p *packer) build(ctx context.Context, mutants []*Mutant) (*judge.Program, string, error) {
	files, err := p.s.packedFiles(mutants)
	if err != nil {
		return nil, "", err
	}
	f, l := p.s.family, *p.s.language
	l.Entry, l.Files, l.Cache = []string{f.Name}, nil, ""
	var commands [][]string
	for _, c := range l.Build {
		commands = append(commands, slices.Concat(c[:1], f.Flags, c[1:]))
	}
	if f.Table {
		commands = nil // the harness reports which mutants compile
	}
	l.Build = append(slices.Clone(f.Before), commands...)
	if len(f.Results) > 0 {
		l.Result = slices.Concat(l.Result, f.Results)
	}
	if len(f.Run) > 0 {
		l.Run = f.Run
	}
	return p.compile(ctx, files, &l, p.setters, lang.BuildOptions{Entry: f.Name, Lines: 2000})
}

// compile builds a program from files.
func (l *Runner) compile(ctx context.Context, files map[string][]byte, language *config.Language, setters bool, extra lang.BuildOptions) (
	*judge.Program, string, error,
) {
	dir, err := os.MkdirTemp("", "assay-mutants-*")
	if err != nil {
		return nil, "", fmt.Errorf("write the mutants: %w", err)
	}
	defer os.RemoveAll(dir)
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, data, 0o644)); err != nil {
			return nil, "", fmt.Errorf("write the mutants: %w", err)
		}
	}
	made, err := l.Build(ctx, dir, language, setters, extra)
	if err != nil {
		return nil, "", err
	}
	return made.Program, made.Log, nil
}

// buildAll builds the mutants, and drops mutants that do not compile or that are equal to others.
func (p *packer) buildAll(ctx context.Context) error {
	p.prints, p.batch, p.wanted = map[int]fingerprint{}, map[int]int{}, len(p.s.Mutants)
	size := max(len(p.s.Mutants), 1)
	if !p.s.family.Table { // use at most half of a program's size limit
		size = max(min(p.s.family.Batch, 500_000/(len(p.s.files[p.s.names[0]])+1)), 1)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(p.Jobs, 1))
	for batch := range slices.Chunk(p.s.Mutants, size) {
		group.Go(func() error { return p.buildBatch(ctx, batch) })
	}
	return group.Wait()
}

// buildBatch builds the mutants of a batch that compile, as one program. If the compiler does not identify the mutants
// that fail to compile, the halves of the batch are built separately.
func (p *packer) buildBatch(ctx context.Context, batch []*Mutant) error {
	for len(batch) > 0 {
		program, log, err := p.build(ctx, batch)
		if err != nil {
			return err
		}
		if program != nil {
			return p.addProgram(program, batch)
		}
		bad := map[string]bool{}
		if p.s.family.errors != nil {
			for _, m := range p.s.family.errors.FindAllStringSubmatch(log, -1) {
				for _, id := range m[1:] {
					bad[id] = true
				}
			}
		}
		left := slices.DeleteFunc(slices.Clone(batch), func(m *Mutant) bool { return bad[copyName(m.ID)] })
		if len(left) == len(batch) {
			if half := len(batch) / 2; half > 0 {
				if err := p.buildBatch(ctx, batch[:half]); err != nil {
					return err
				}
				left = batch[half:]
			} else {
				left = nil
			}
		}
		if len(left) == 0 || bad[copyName(0)] {
			break
		}
		batch = left
	}
	return nil
}

// addProgram stores a program, and records fingerprints of its mutants.
func (p *packer) addProgram(program *judge.Program, batch []*Mutant) error {
	prints, err := fingerprints(program.Dir)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	program.Name = p.s.Path
	p.programs = append(p.programs, program)
	for _, m := range append([]*Mutant{{}}, batch...) {
		p.batch[m.ID] = len(p.programs) - 1
		if f, known := prints[copyName(m.ID)]; known && !m.outer {
			p.prints[m.ID] = f
		}
	}
	return nil
}

// dropEqual drops the mutants that are in no program and the mutants that are equal to another one or to the
// original. It counts the dropped mutants, and sorts the programs by their mutants.
func (p *packer) dropEqual() (*Subject, string) {
	first := map[fingerprint]bool{p.prints[0]: true}
	var stillborn, same, twice int
	own := p.prints[0]
	sub := &Subject{Source: p.s, batch: map[int]int{}}
	order := map[int]int{}
	var kept []*Mutant
	for _, m := range p.s.Mutants {
		at, built := p.batch[m.ID]
		f, known := p.prints[m.ID]
		switch {
		case !built:
			stillborn++
		case known && f == own:
			same++
		case known && first[f]:
			twice++
		default:
			if known {
				first[f] = true
			}
			if _, is := order[at]; !is {
				order[at] = len(sub.programs)
				sub.programs = append(sub.programs, p.programs[at])
			}
			sub.batch[m.ID] = order[at]
			kept = append(kept, m)
		}
	}
	p.s.Mutants = kept
	return sub, fmt.Sprintf(
		"of %d mutants %d do not compile, %d are the program itself to the compiler, %d another mutant",
		p.wanted, stillborn, same, twice,
	)
}

// requestFingerprints requests fingerprints of the mutants from the harness, which applies the mutations itself. A
// hash of zeros means that a mutant does not compile.
func (p *packer) requestFingerprints(ctx context.Context, args []string) error {
	if len(p.s.Mutants) == 0 {
		return nil
	}
	program := *p.programs[0]
	b := p.newWorkerSet(
		ctx,
		&Subject{Source: p.s, programs: []*judge.Program{p.withArguments(&program, p.s.Path, args)}, stack: p.memory()},
	)
	defer b.close()
	ids := []int{0}
	for _, m := range p.s.Mutants {
		ids = append(ids, m.ID)
	}
	prints, err := b.workers[0].fingerprints(ids)
	if err != nil {
		return fmt.Errorf("compile the mutants of %s: %w", p.s.Path, err)
	}
	if p.prints[0] = prints[0]; p.s.family.Print == "tokens" {
		p.prints[0] = p.s.tokenFingerprint(&Mutant{})
	}
	for i, m := range p.s.Mutants {
		p.prints[m.ID] = prints[i+1]
		if p.s.family.Print == "tokens" && prints[i+1] != (fingerprint{}) {
			p.prints[m.ID] = p.s.tokenFingerprint(m)
		}
		if prints[i+1] == (fingerprint{}) {
			delete(p.batch, m.ID)
		}
	}
	return nil
}
