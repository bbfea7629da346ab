package kit_test

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/judge/internal/golden"
)

// kitWord is a name in a kit. If the name belongs to a type, the field of contains this type.
type kitWord struct{ of, name string }

// said contains the form of a kit word in one language, and the description of what the word does.
type said struct{ as, does string }

// kitWords contains the words of a kit in one language, in source order.
type kitWords struct {
	order []kitWord
	said  map[kitWord]said
}

func (k *kitWords) add(of, name, as, does string) {
	if k.said == nil {
		k.said = map[kitWord]said{}
	}
	w := kitWord{of, name}
	if _, twice := k.said[w]; !twice {
		k.order = append(k.order, w)
	}
	if does == "" {
		does = k.said[w].does
	}
	k.said[w] = said{as, does}
}

// judgesOwn lists the exported names that are not for problem setters. They belong to the protocol with the judge,
// or are requests from the arena to a referee.
var judgesOwn = strings.Fields("Frame ReadFrame WriteFrame AppendHead MaxParts MaxPart Hello SeedEnv StreamEnv Referee GolfReport " +
	"GolfWrong Report Told Made " +
	"BotFault Greeted Order OrderNumbers Outcome OutcomeNumbers OutcomeRest ReadOutcome Note.Seat Note.Move Note.Kind Note.Text")

// sameWords maps names to the Go names that they correspond to. They differ because EOF is a macro in C++, Go has
// no generic methods, and Python and C++ have no constants in lower case.
var sameWords = map[kitWord]kitWord{
	{"", "FAIL"}: {"", "Fail"}, {"Reader", "End"}: {"Reader", "EOF"}, {"Talk", "End"}: {"Talk", "EOF"}, {"Rand", "Pick"}: {"", "Pick"},
}

// TestKitPageHasEveryWord checks that docs/kit.md lists the words of all kits side by side, as in their sources.
// Run it with -update after you add or remove a word.
func TestKitPageHasEveryWord(t *testing.T) {
	const page = "../../docs/kit.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	made := string(text)
	for _, table := range []struct {
		name      string
		languages []string
		kits      []kitWords
	}{
		{"kit", []string{"Go", "Python", "C++"}, []kitWords{goWords(t, "."), pythonWords(t, "kit.py"), cppWords(t, "kit.hpp")}},
		{"referee", []string{"Go", "Python"}, []kitWords{goWords(t, "referee"), pythonWords(t, "kit_referee.py")}},
	} {
		begin, end := "<!-- words of "+table.name+" -->\n", "<!-- end -->\n"
		before, rest, found := strings.Cut(made, begin)
		_, after, found2 := strings.Cut(rest, end)
		if !found || !found2 {
			t.Fatalf("%s has no part between %q and %q", page, begin, end)
		}
		made = before + begin + wordTables(table.languages, table.kits) + end + after
	}
	golden.Check(t, page, []byte(made))
}

// wordTables formats a table for each type, with a column for each language.
func wordTables(languages []string, kits []kitWords) string {
	var all []kitWord
	for _, k := range kits {
		for _, w := range k.order {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	var types []string
	for _, w := range all {
		if !slices.Contains(types, w.of) {
			types = append(types, w.of)
		}
	}
	var b strings.Builder
	for _, of := range types {
		if of != "" {
			fmt.Fprintf(&b, "\n### %s\n", of)
		}
		fmt.Fprintf(&b, "\n| %s | |\n|%s --- |\n", strings.Join(languages, " | "), strings.Repeat(" --- |", len(languages)))
		for _, w := range all {
			if w.of != of {
				continue
			}
			does := ""
			for _, k := range kits {
				s, there := k.said[w]
				if !there {
					b.WriteString("| – ")
					continue
				}
				fmt.Fprintf(&b, "| `%s` ", s.as)
				if does == "" {
					does = s.does
				}
			}
			fmt.Fprintf(&b, "| %s |\n", strings.ReplaceAll(does, "|", "\\|"))
		}
	}
	return b.String() + "\n"
}

// sentence returns the first sentence of a comment about a name, without the name.
func sentence(name, text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if i := regexp.MustCompile(`[.:;]( |$)`).FindStringIndex(text); i != nil {
		text = text[:i[0]]
	}
	if is, found := strings.CutPrefix(text, name+" is "); found {
		return is
	}
	text = strings.TrimPrefix(text, name+" ")
	if len(text) > 1 && 'a' <= text[1] && text[1] <= 'z' {
		text = strings.ToLower(text[:1]) + text[1:]
	}
	return text
}

func skipped(of, name string) bool {
	return slices.Contains(judgesOwn, name) || slices.Contains(judgesOwn, of) || slices.Contains(judgesOwn, of+"."+name)
}

// goWords reads the words of a Go package.
func goWords(t *testing.T, dir string) (k kitWords) {
	t.Helper()
	files, err := filepath.Glob(dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(set, file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	p, err := doc.NewFromFiles(set, parsed, "assay/judge/kit")
	if err != nil {
		t.Fatal(err)
	}
	function := func(of string, f *doc.Func) {
		if !skipped(of, f.Name) {
			k.add(of, f.Name, f.Name+"("+strings.Join(goParameters(f.Decl.Type), ", ")+")", sentence(f.Name, f.Doc))
		}
	}
	for _, f := range p.Funcs {
		function("", f)
	}
	for _, c := range p.Consts {
		for _, name := range c.Names {
			if !skipped("", name) {
				k.add("", name, name, sentence(name, c.Doc))
			}
		}
	}
	for _, typ := range p.Types {
		for _, c := range typ.Consts {
			for _, spec := range c.Decl.Specs {
				v := spec.(*ast.ValueSpec)
				k.add("", v.Names[0].Name, v.Names[0].Name, sentence("", v.Comment.Text()))
			}
		}
		for _, f := range typ.Funcs {
			function("", f)
		}
		if s, ok := typ.Decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType); ok {
			for _, field := range s.Fields.List {
				names := field.Names
				if embedded, ok := field.Type.(*ast.StarExpr); ok && names == nil {
					if name, ok := embedded.X.(*ast.Ident); ok {
						names = append(names, name)
					}
				}
				for _, name := range names {
					if name.IsExported() && !skipped(typ.Name, name.Name) {
						does := sentence(name.Name, field.Comment.Text())
						if does == "" {
							does = sentence(name.Name, field.Doc.Text())
						}
						k.add(typ.Name, name.Name, name.Name, does)
					}
				}
			}
		}
		for _, f := range typ.Methods {
			function(typ.Name, f)
		}
	}
	return k
}

func goParameters(f *ast.FuncType) (names []string) {
	for _, p := range f.Params.List {
		dots := ""
		if _, ok := p.Type.(*ast.Ellipsis); ok {
			dots = "..."
		}
		for _, name := range p.Names {
			names = append(names, name.Name+dots)
		}
	}
	return names
}

var (
	pyClass    = regexp.MustCompile(`^class (\w+)`)
	pyFunction = regexp.MustCompile(`^(?:    )?def ([A-Z]\w*)\((.*)\):`)
	pyFields   = regexp.MustCompile(`^        (self\.[A-Z].*?) = [^#]*(?:#\s*(.*))?$`)
	pyField    = regexp.MustCompile(`self\.([A-Z]\w*)`)
	pyConstant = regexp.MustCompile(`^([A-Z]\w*) = [^#]*(?:#\s*(.*))?$`)
	pyDoc      = regexp.MustCompile(`^\s*"""(.*)$`)
)

// pythonWords reads the words of a Python module. All names for problem setters begin with a capital letter.
func pythonWords(t *testing.T, file string) (k kitWords) {
	t.Helper()
	of := ""
	lines := readLines(t, file)
	for i, line := range lines {
		if m := pyClass.FindStringSubmatch(line); m != nil {
			of = m[1]
		} else if line != "" && line[0] != ' ' && line[0] != ')' {
			of = ""
		}
		switch {
		case strings.HasPrefix(of, "_"):
		case pyFunction.MatchString(line):
			m := pyFunction.FindStringSubmatch(line)
			does := ""
			if d := pyDoc.FindStringSubmatch(lines[i+1]); d != nil {
				does = sentence(m[1], strings.TrimSuffix(d[1], `"""`))
			}
			addSame(&k, of, m[1], m[1]+"("+parameters(m[2])+")", does)
		case pyFields.MatchString(line) && of != "":
			m := pyFields.FindStringSubmatch(line)
			for _, field := range pyField.FindAllStringSubmatch(m[1], -1) {
				addSame(&k, of, field[1], field[1], sentence(field[1], m[2]))
			}
		case pyConstant.MatchString(line):
			m := pyConstant.FindStringSubmatch(line)
			addSame(&k, "", m[1], m[1], sentence("", m[2]))
		}
	}
	return k
}

var (
	cppClass    = regexp.MustCompile(`^(?:class|struct) (\w+) \{`)
	cppFunction = regexp.MustCompile(`^(?:    )?(?:\[\[noreturn\]\] |inline |explicit )*[\w:<>]+ ([A-Z]\w*)\((.*?)\)(?: const)? \{`)
	cppField    = regexp.MustCompile(`^    [\w:<>]+ ([A-Z]\w*)(?: = \w+)?;\s*(?:// *(.*))?$`)
	cppConstant = regexp.MustCompile(`^    ([A-Z]+), *// *(.*)$`)
)

// cppWords reads the words of a C++ header. All names for problem setters begin with a capital letter.
func cppWords(t *testing.T, file string) (k kitWords) {
	t.Helper()
	of, inside, private, comment := "", "", false, ""
	for _, line := range readLines(t, file) {
		if strings.HasPrefix(line, "namespace ") {
			inside = strings.Fields(line)[1]
		} else if line == "}  // namespace own" {
			inside = "kit"
		}
		if m := cppClass.FindStringSubmatch(line); m != nil {
			of, private = m[1], strings.HasPrefix(line, "class")
		} else if line == "};" {
			of, private = "", false
		}
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(trimmed, "//"):
			comment += strings.TrimPrefix(trimmed, "//") + " "
			continue
		case strings.HasPrefix(trimmed, "template "):
			continue // the comment belongs to the next declaration
		case trimmed == "public:" || trimmed == "private:":
			private = trimmed == "private:"
		}
		if inside == "kit" && !private {
			if m := cppFunction.FindStringSubmatch(line); m != nil && m[1] != of {
				addSame(&k, of, m[1], m[1]+"("+parameters(m[2])+")", sentence(m[1], comment))
			} else if m := cppField.FindStringSubmatch(line); m != nil && of != "" {
				addSame(&k, of, m[1], m[1], sentence("", m[2]))
			} else if m := cppConstant.FindStringSubmatch(line); m != nil && of == "" {
				addSame(&k, "", m[1], m[1], sentence("", m[2]))
			}
		}
		comment = ""
	}
	return k
}

// addSame adds a word to k under its Go name. If the word belongs to a type but the Go word does not, the type
// becomes part of the word's written form.
func addSame(k *kitWords, of, name, as, does string) {
	if skipped(of, name) {
		return
	}
	w := kitWord{of, name}
	if same, ok := sameWords[w]; ok {
		if same.of == "" && of != "" {
			as = of + "." + as
		}
		w = same
	}
	k.add(w.of, w.name, as, does)
}

// parameters returns the names in a parameter list, without self, types, and default values.
func parameters(list string) string {
	var names []string
	for _, p := range strings.Split(list, ",") {
		p, _, _ = strings.Cut(p, "=")
		dots := ""
		if strings.Contains(p, "...") || strings.Contains(p, "*") && !strings.Contains(p, "char") {
			dots = "..."
		}
		p = p[strings.LastIndexAny(strings.TrimSpace(p), " &*.")+1+len(p)-len(strings.TrimLeft(p, " ")):]
		if p = strings.TrimSpace(p); p == "int" {
			p = "argc" // an unnamed parameter, which the function does not use
		}
		if p != "" && p != "self" {
			names = append(names, p+dots)
		}
	}
	return strings.Join(names, ", ")
}

func readLines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}
