// Command mutants measures what a package's tests notice: it makes one small change in
// the code at a time, runs the tests, and lists the changes with which they still pass.
//
//	go run -C .ci/tools ./mutants [-every N] ./judge [flags of go test]
//
// It does not write to the tree: a changed file reaches the compiler as an overlay. A
// change that does not compile does not count; one with which the tests never end counts
// as noticed. A line of the file equivalent names a change that alters nothing that
// anybody could see, with the reason.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// change replaces some bytes of a file.
type change struct {
	file     string // from the root of the project
	at       token.Position
	from, to int
	text     string
	line     string // the line where it starts, as it was
}

func (c change) String() string {
	return fmt.Sprintf("%s | %s | %s", c.file, c.line, c.what())
}

// what is the change in words.
func (c change) what() string {
	if c.text == "" {
		return "left out"
	}
	return fmt.Sprintf("column %d: %s", c.at.Column, c.text)
}

func main() {
	every := flag.Int("every", 1, "try only every `N`th change")
	flag.Parse()
	if flag.NArg() == 0 || *every < 1 {
		fmt.Fprintln(os.Stderr, "usage: go run -C .ci/tools ./mutants [-every N] <package> [flags of go test]")
		os.Exit(2)
	}
	if err := run(flag.Arg(0), flag.Args()[1:], *every); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(pkg string, flags []string, every int) error {
	marked, err := equivalent("mutants/equivalent")
	if err != nil {
		return err
	}
	if err := os.Chdir("../.."); err != nil {
		return err
	}
	changes, err := changesOf(pkg)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mutants-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if passes, _, out := test(pkg, flags, ""); !passes {
		return fmt.Errorf("the tests of %s do not pass as they are:\n%s", pkg, out)
	}
	tried, noticed := 0, 0
	for i := 0; i < len(changes); i += every {
		c := changes[i]
		if marked[c.String()] {
			continue
		}
		overlay, err := c.overlay(dir)
		if err != nil {
			return err
		}
		passes, compiles, _ := test(pkg, flags, overlay)
		switch {
		case !compiles:
			continue
		case passes:
			fmt.Printf("%s:%d: %s\n", c.file, c.at.Line, c)
		default:
			noticed++
		}
		tried++
	}
	fmt.Printf("%s: %d of %d changes are noticed (%.1f %%)\n", pkg, noticed, tried, 100*float64(noticed)/float64(max(tried, 1)))
	return nil
}

// equivalent reads the changes that nobody could notice: those of String, with the
// reason behind.
func equivalent(file string) (map[string]bool, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	marked := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if at := strings.LastIndex(line, " | "); at > 0 && !strings.HasPrefix(line, "#") {
			marked[line[:at]] = true
		}
	}
	return marked, nil
}

// test runs the tests of a package, with an overlay where there is one.
func test(pkg string, flags []string, overlay string) (passes, compiles bool, out string) {
	args := []string{"test", "-vet=off", "-failfast", "-timeout=2m"}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	cmd := exec.Command("go", slices.Concat(args, []string{pkg}, flags)...)
	said, err := cmd.CombinedOutput()
	return err == nil, !strings.Contains(string(said), "[build failed]"), string(said)
}

// overlay writes the changed file and the overlay that names it.
func (c change) overlay(dir string) (string, error) {
	src, err := os.ReadFile(c.file)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, "changed.go")
	if err := os.WriteFile(changed, slices.Concat(src[:c.from], []byte(c.text), src[c.to:]), 0o644); err != nil {
		return "", err
	}
	abs, err := filepath.Abs(c.file)
	if err != nil {
		return "", err
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": {abs: changed}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, data, 0o644)
}

// changesOf are the changes in the files of a package that are not tests.
func changesOf(pkg string) (changes []change, err error) {
	files, err := filepath.Glob(filepath.Join(pkg, "*.go"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("%s has no Go files", pkg)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, src, 0)
		if err != nil {
			return nil, err
		}
		lines := strings.Split(string(src), "\n")
		add := func(from, to token.Pos, text string) {
			at := set.Position(from)
			changes = append(changes, change{
				file: filepath.ToSlash(filepath.Clean(file)), at: at, from: at.Offset, to: set.Position(to).Offset,
				text: text, line: strings.TrimSpace(lines[at.Line-1]),
			})
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			visit(n, add)
			_, imports := n.(*ast.ImportSpec)
			return !imports
		})
	}
	return changes, nil
}

// others are what an operator becomes.
var others = map[token.Token][]string{
	token.EQL: {"!="}, token.NEQ: {"=="},
	token.LSS: {"<=", ">="}, token.LEQ: {"<", ">"}, token.GTR: {">=", "<="}, token.GEQ: {">", "<"},
	token.LAND: {"||"}, token.LOR: {"&&"},
	token.ADD: {"-"}, token.SUB: {"+"}, token.MUL: {"/"}, token.QUO: {"*"}, token.REM: {"*"},
}

func visit(n ast.Node, add func(from, to token.Pos, text string)) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		for _, other := range others[n.Op] {
			add(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), other)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			add(n.OpPos, n.OpPos+1, " ")
		}
	case *ast.BasicLit:
		if v, err := strconv.ParseInt(n.Value, 10, 32); n.Kind == token.INT && err == nil {
			add(n.Pos(), n.End(), strconv.FormatInt(v+1, 10))
		}
	case *ast.BlockStmt:
		for _, s := range n.List {
			leaveOut(s, add)
		}
	case *ast.CaseClause:
		for _, s := range n.Body {
			leaveOut(s, add)
		}
	}
}

// leaveOut leaves a statement out that declares nothing.
func leaveOut(s ast.Stmt, add func(from, to token.Pos, text string)) {
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.DeferStmt:
		add(s.Pos(), s.End(), "")
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			add(s.Pos(), s.End(), "")
		}
	}
}
