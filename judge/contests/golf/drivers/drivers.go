// Package drivers reads how golf submissions are called in each language. Each language has a directory here,
// named by its id. The file golf.toml in it describes the form of submissions and names the programs that call
// them. README.md documents golf.toml.
//
// A contest can have its own directories of the same form, which take precedence. The package reads and checks
// drivers; package golf inserts submissions into them and runs them. The file judge.toml, not this package,
// describes how a language is built and run.
package drivers

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
)

// embedded are the drivers of the judge itself. The pattern also takes files whose names
// start with "_", which hides Go's driver from the go command.
//
//go:embed */*
var embedded embed.FS

// File is the name of a driver's description. Dir is the name of the directory in the contest's root that contains
// its drivers.
const (
	File = "golf.toml"
	Dir  = "golf"
)

// Driver describes how submissions in one language are called. The zero value supports only programs that are run
// according to judge.toml.
type Driver struct {
	Base string `toml:"like"` // another language, whose driver supplies missing settings

	Programs []string `toml:"programs"` // regular expressions that match a whole program
	Argv     []string `toml:"argv"`     // regular expressions that match programs with arguments
	Broken   []string `toml:"broken"`   // regular expressions that match compiler errors for unparsable programs
	Inputs   []string `toml:"inputs"`   // input forms to try first
	Wraps    []Wrap   `toml:"wraps"`    // code in which programs may need to be wrapped
	Ending   string   `toml:"ending"`   // required end of a program's file
	Inline   string   `toml:"inline"`   // regular expression for flags that are followed by the code itself

	Names    []string            `toml:"names"`     // regular expressions whose $1 is the name of a function
	Values   []string            `toml:"values"`    // regular expressions for names that may hold a function; tried later
	Split    bool                `toml:"split"`     // the last line may be a function without a name
	Hoist    string              `toml:"hoist"`     // regular expression for code that must come first
	Answer   string              `toml:"answer"`    // name of the submission's file in the driver's directory
	Around   string              `toml:"around"`    // content of that file, if it is more than the code
	Calls    map[string]string   `toml:"calls"`     // code of the call for each form
	Arg      string              `toml:"arg"`       // code of one argument
	Words    map[string][]string `toml:"words"`     // code for each argument, and a separator
	OneBuild bool                `toml:"one_build"` // built once, because the driver reads the form and the name at run time
	Case     string              `toml:"case"`      // code of one call, in drivers that contain all calls
	Loaded   string              `toml:"loaded"`    // in drivers that read code, the code that writes the frame after loading
	Each     string              `toml:"each"`      // in drivers that read code, the code for one input
	Build    [][]string          `toml:"build"`     // build commands for all submissions, instead of the language's
	Run      []string            `toml:"run"`       // command to run functions, instead of the language's

	ServerRun []string `toml:"server_run"` // command to run the server, instead of the language's

	DriverFile string `toml:"driver"`
	ServerFile string `toml:"server"`
	Driver     string // text of DriverFile, which calls the submission on every input
	Server     string // text of ServerFile, which runs a program on many inputs
}

// Wrap is code in which a program may need to be wrapped.
type Wrap struct {
	Name   string `toml:"name"`   // name for messages
	When   string `toml:"when"`   // regular expression for programs that need it; empty means all
	Unless string `toml:"unless"` // regular expression for programs that do not need it
	Code   string `toml:"code"`   // with {code}
}

// Set maps language ids to drivers.
type Set map[string]*Driver

// ForLanguage returns the driver of a language. If the language has no driver, it returns the zero Driver.
func (s Set) ForLanguage(id string) *Driver {
	if d, ok := s[id]; ok {
		return d
	}
	return &Driver{}
}

// Read reads the drivers of the languages with these ids. Own, if not nil, is the contest's directory, which takes
// precedence for each language. If a file is invalid, Read returns judge.ProblemErrors.
func Read(own fs.FS, ids []string) (Set, error) {
	r := &reader{ids: ids, set: Set{}}
	if own != nil {
		r.sources = append(r.sources, source{own, Dir})
	}
	r.sources = append(r.sources, source{embedded, "the judge's own " + Dir})
	for _, id := range ids {
		if d := r.driver(id, 0, nil); d != nil {
			r.set[id] = d
		}
	}
	if own != nil {
		if err := r.unknown(own); err != nil {
			return nil, err
		}
	}
	return r.set, r.faults.AsError()
}

// source is a directory of drivers.
type source struct {
	files fs.FS
	name  string // name for messages
}

type reader struct {
	sources []source // the contest's source precedes the built-in one
	ids     []string
	set     Set
	faults  judge.ProblemErrors
}

// unknown rejects drivers in the contest for unknown languages.
func (r *reader) unknown(own fs.FS) error {
	files, err := fs.Glob(own, "*/"+File)
	if err != nil {
		return fmt.Errorf("list %s: %w", Dir, err)
	}
	for _, file := range files {
		if id := path.Dir(file); !slices.Contains(r.ids, id) {
			hint := suggest.Hint(id, r.ids)
			if hint == "" {
				hint = "add a [[language]] for it to judge.toml"
			}
			r.faults = append(
				r.faults,
				&judge.ProblemError{File: path.Join(Dir, file), Text: fmt.Sprintf("unknown language %q", id), Hint: hint},
			)
		}
	}
	return nil
}

// driver reads the driver of a language. It returns nil if there is none, or if a file is invalid. The search
// begins at the source with index from. Seen lists the files whose "like" keys led to this driver.
func (r *reader) driver(id string, from int, seen []string) *Driver {
	for n, s := range r.sources[from:] {
		file := path.Join(id, File)
		name := path.Join(s.name, file)
		data, err := fs.ReadFile(s.files, file)
		if err != nil {
			if _, none := fs.Stat(s.files, id); errors.Is(none, fs.ErrNotExist) {
				continue
			}
			r.faults = append(r.faults, &judge.ProblemError{
				File: name, Text: "cannot be read: " + reason(err),
				Hint: "a directory in " + Dir + " that is named after a language contains its driver",
			})
			return nil
		}
		dir, err := fs.Sub(s.files, id)
		if err != nil {
			return nil
		}
		var d Driver
		doc, faults := strict.Decode(name, data, &d)
		k := &checker{doc: doc, faults: faults, dir: dir}
		if len(faults) == 0 { // otherwise, the settings may be incomplete
			d.Driver, d.Server = k.text("driver", d.DriverFile), k.text("server", d.ServerFile)
			k.check(&d)
		}
		if d.Base != "" && len(k.faults) == 0 {
			next := 0
			if d.Base == id {
				next = from + n + 1 // inherit from the built-in driver
			}
			r.inherit(&d, k, next, append(seen, name))
		}
		if len(k.faults) == 0 {
			k.complete(&d)
		}
		if len(k.faults) > 0 {
			r.faults = append(r.faults, k.faults...)
			return nil
		}
		return &d
	}
	return nil
}

// reason returns the system error in err, without the path.
func reason(err error) string {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err.Error()
	}
	return err.Error()
}

// inherit copies the settings that a driver lacks from the driver named by "like".
func (r *reader) inherit(d *Driver, k *checker, from int, seen []string) {
	before := len(r.faults)
	if slices.Contains(seen[:len(seen)-1], seen[len(seen)-1]) {
		k.fault("like", "one of them must not use `like`", "these drivers refer to one another by `like`: %s", strings.Join(seen, ", "))
		return
	}
	base := r.driver(d.Base, from, seen)
	if base == nil {
		if len(r.faults) == before {
			k.fault("like", suggest.Hint(d.Base, r.known()), "the language %q has no driver", d.Base)
		}
		return
	}
	to, old := reflect.ValueOf(d).Elem(), reflect.ValueOf(base).Elem()
	for i := range to.NumField() {
		if key := to.Type().Field(i).Tag.Get("toml"); key != "" && !k.doc.Has(key) {
			to.Field(i).Set(old.Field(i))
		}
	}
	if !k.doc.Has("driver") {
		d.Driver = base.Driver
	}
	if !k.doc.Has("server") {
		d.Server = base.Server
	}
}

// known returns the languages for which some source has a driver.
func (r *reader) known() []string {
	var ids []string
	for _, s := range r.sources {
		files, _ := fs.Glob(s.files, "*/"+File) // the pattern is valid
		for _, file := range files {
			ids = append(ids, path.Dir(file))
		}
	}
	return ids
}
