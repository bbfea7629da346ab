package mutate

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"assay/judge/internal/pattern"
)

// maxRewrites is the maximum number of times that a program is rewritten without the changes that do not compile.
const maxRewrites = 8

var mark = pattern.New(`/\*([sm])(\d+)(<|>)\*/`)

// findCompiling determines the mutants that compile.
func (w *writer) findCompiling(imports *importer) error {
	for range maxRewrites {
		files := w.write()
		bad, err := w.check(imports, files)
		if err != nil {
			return err
		}
		if len(bad) == 0 {
			w.s.Mutants, w.s.blocks, w.s.schemata = w.mutants, w.blocks, maps.Clone(w.s.files)
			maps.Copy(w.s.schemata, files)
			w.limitMutants()
			return nil
		}
		for _, id := range bad {
			w.dropped[id] = true
		}
	}
	return &UnmutableError{w.s.Path, "its mutants do not compile"}
}

// limitMutants removes mutants evenly if there are too many.
func (w *writer) limitMutants() {
	n := len(w.s.Mutants)
	if n <= maxMutants {
		return
	}
	var kept []*Mutant
	for i, m := range w.s.Mutants {
		if i*maxMutants/n != (i+1)*maxMutants/n {
			kept = append(kept, m)
		}
	}
	w.s.Notes = append(w.s.Notes, fmt.Sprintf("%d of %d mutants are omitted", n-len(kept), n))
	w.s.Mutants = kept
}

// check type-checks the rewritten program, and returns the mutants that cause errors.
func (w *writer) check(imports *importer, files map[string][]byte) (bad []int, err error) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	blame := func(pos token.Position, message string) error {
		ids := w.at(files[pos.Filename], pos.Offset)
		if len(ids) == 0 {
			return &UnmutableError{w.s.Path, fmt.Sprintf("it cannot be rewritten: %s: %s", pos, message)}
		}
		bad = append(bad, ids...)
		return nil
	}
	for _, name := range append(slices.Clone(w.s.names), harnessFile) {
		f, err := parser.ParseFile(fset, name, files[name], parser.SkipObjectResolution)
		if list, ok := err.(scanner.ErrorList); ok {
			for _, e := range list {
				if err := blame(e.Pos, e.Msg); err != nil {
					return nil, err
				}
			}
		}
		parsed = append(parsed, f)
	}
	if len(bad) > 0 {
		return bad, nil
	}
	var first error
	again := *imports
	again.fset = fset
	config := types.Config{Importer: &again, Sizes: types.SizesFor("gc", imports.build.GOARCH), Error: func(err error) {
		if e, ok := err.(types.Error); ok && first == nil {
			first = blame(fset.Position(e.Pos), e.Msg)
		}
	}}
	_, _ = config.Check("main", fset, parsed, nil)
	return bad, first
}

// at returns the mutant whose change contains an offset of text. If there is no such change, it returns all
// mutants of the site that contains the offset.
func (w *writer) at(text []byte, offset int) []int {
	type open struct {
		kind byte
		id   int
	}
	var stack []open
	for _, m := range mark().FindAllSubmatchIndex(text, -1) {
		if m[0] > offset {
			break
		}
		id, _ := strconv.Atoi(string(text[m[4]:m[5]]))
		if text[m[6]] == '<' {
			stack = append(stack, open{text[m[2]], id})
		} else if len(stack) > 0 {
			stack = stack[:len(stack)-1]
		}
	}
	if len(stack) == 0 {
		return nil
	}
	top := stack[len(stack)-1]
	if top.kind == 'm' {
		return []int{top.id}
	}
	ids := []int{top.id}
	for id := top.id + 1; id < w.next && !w.firstOfSite(text, id); id++ {
		ids = append(ids, id)
	}
	return ids
}

func (w *writer) firstOfSite(text []byte, id int) bool {
	return regexp.MustCompile(fmt.Sprintf(`/\*s%d<\*/`, id)).Match(text)
}
