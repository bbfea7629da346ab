package mutate

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// kitPath is the import path of the kit.
const kitPath = "assay/judge/kit"

// importer computes the types of packages from their sources, without function bodies. This takes a quarter of a
// second for a few dozen packages, and does not need a build.
type importer struct {
	fset  *token.FileSet
	tools Toolchain
	own   map[string][]byte // files of the program
	done  map[string]*types.Package
	build build.Context
}

func newImporter(fset *token.FileSet, tools Toolchain, own map[string][]byte) *importer {
	context := build.Default
	context.GOROOT, context.CgoEnabled = tools.Goroot, false
	i := &importer{fset: fset, tools: tools, own: own, done: map[string]*types.Package{"unsafe": types.Unsafe}, build: context}
	maps.Copy(i.done, tools.known)
	return i
}

// Import returns the package with the given import path.
func (i *importer) Import(name string) (*types.Package, error) {
	if pkg := i.done[name]; pkg != nil {
		return pkg, nil
	}
	files, err := i.parse(name)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("package %s is not to be found", name)
	}
	config := types.Config{Importer: i, IgnoreFuncBodies: true, Sizes: types.SizesFor("gc", i.build.GOARCH), Error: func(error) {}}
	pkg, _ := config.Check(name, i.fset, files, nil)
	pkg.MarkComplete()
	i.done[name] = pkg
	if i.tools.known != nil && i.standard(name) {
		i.tools.known[name] = pkg
	}
	return pkg, nil
}

// standard reports whether a package belongs to the Go distribution.
func (i *importer) standard(name string) bool {
	_, err := os.Stat(filepath.Join(i.tools.Goroot, "src", filepath.FromSlash(name)))
	return err == nil
}

// parse parses a package of the standard library, the kit, or a directory of the program.
func (i *importer) parse(name string) ([]*ast.File, error) {
	if below, is := strings.CutPrefix(name+"/", kitPath+"/"); is && i.tools.Kit != nil {
		return i.parseFS(i.tools.Kit, path.Clean(below))
	}
	for _, dir := range []string{name, "vendor/" + name} {
		dir = filepath.Join(i.tools.Goroot, "src", filepath.FromSlash(dir))
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		listed, err := i.build.ImportDir(dir, 0)
		if err != nil {
			return nil, err
		}
		var files []*ast.File
		for _, file := range listed.GoFiles {
			f, err := parser.ParseFile(i.fset, filepath.Join(dir, file), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		return files, nil
	}
	return i.parseOwn(name)
}

// parseOwn parses a package in a directory of the program. Its import path is the module path followed by the
// directory.
func (i *importer) parseOwn(name string) (files []*ast.File, err error) {
	_, dir, _ := strings.Cut(name, "/")
	for file, data := range i.own {
		if path.Dir(file) != dir || path.Ext(file) != ".go" {
			continue
		}
		f, err := parser.ParseFile(i.fset, file, data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func (i *importer) parseFS(from fs.FS, dir string) (files []*ast.File, err error) {
	names, err := fs.Glob(from, path.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(i.fset, path.Join("kit", name), data, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}
