// Package drivers reads how golf submissions are called in each language. A language has a directory here,
// named by its id. In it, golf.toml describes the form of submissions and names the programs that call them.
// README.md documents golf.toml.
//
// A contest can have directories of the same form, which take precedence. The package does not know how a
// language is built and run, which judge.toml describes. It reads and checks drivers; package golf inserts
// submissions into them and runs them.
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

// File is the name of a driver's description. Dir is the name of the directory of drivers in the root of a
// contest.
const (
	File = "golf.toml"
	Dir  = "golf"
)

// Driver says how submissions in one language are called. The zero value only supports programs that are run
// as judge.toml says.
type Driver struct {
	Like string `toml:"like"` // another language, whose driver supplies missing settings

	Programs []string `toml:"programs"` // expressions that match a whole program
	Argv     []string `toml:"argv"`     // expressions of programs that take arguments
	Broken   []string `toml:"broken"`   // expressions of the compiler's output for a program that cannot be parsed
	Inputs   []string `toml:"inputs"`   // forms of input that are tried first
	Wraps    []Wrap   `toml:"wraps"`    // code that programs may need around them
	Ending   string   `toml:"ending"`   // required end of a program's file
	Inline   string   `toml:"inline"`   // an expression of flags that are followed by the code itself

	Names    []string            `toml:"names"`     // expressions whose $1 is the name of a function
	Values   []string            `toml:"values"`    // expressions of names that may contain a function, tried later
	Split    bool                `toml:"split"`     // the last line may be a function without a name
	Hoist    string              `toml:"hoist"`     // an expression of what must come first
	Answer   string              `toml:"answer"`    // name of the submission's file, beside the driver
	Around   string              `toml:"around"`    // content of that file, if it is not just the code
	Calls    map[string]string   `toml:"calls"`     // how a form calls it
	Arg      string              `toml:"arg"`       // one argument
	Words    map[string][]string `toml:"words"`     // an item for each argument, and a separator
	OneBuild bool                `toml:"one_build"` // the driver reads the form and the name, so it is built once
	Case     string              `toml:"case"`      // one call, in drivers that know all of them
	Loaded   string              `toml:"loaded"`    // for drivers that read code: the code that writes the frame of a loaded submission
	Each     string              `toml:"each"`      // and the code for one input
	Build    [][]string          `toml:"build"`     // of all submissions, instead of the language's own
	Run      []string            `toml:"run"`       // of functions, instead of the language's own

	ServerRun []string `toml:"server_run"` // of the server, instead of the language's own

	DriverFile string `toml:"driver"`
	ServerFile string `toml:"server"`
	Driver     string // the text of DriverFile: calls the submission on every input
	Server     string // the text of ServerFile: runs a program on many inputs
}

// Wrap is code that a program may need around it.
type Wrap struct {
	Name   string `toml:"name"`   // name for people
	When   string `toml:"when"`   // an expression of programs that need it; empty for all
	Unless string `toml:"unless"` // an expression of programs that do not need it
	Code   string `toml:"code"`   // with {code}
}

// Set contains drivers by the ids of their languages.
type Set map[string]*Driver

// Of returns the driver of a language. For a language without a driver it returns the zero Driver.
func (s Set) Of(id string) *Driver {
	if d, ok := s[id]; ok {
		return d
	}
	return &Driver{}
}

// Read reads the drivers of the languages with these ids. Own, if not nil, is the contest's directory, which
// takes precedence for each language. If a file is at fault, the error is judge.Faults.
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
	name  string // name for people
}

type reader struct {
	sources []source // the contest's comes before the built-in one
	ids     []string
	set     Set
	faults  judge.Faults
}

// unknown rejects drivers of the contest for unknown languages.
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
			r.faults = append(r.faults, &judge.Fault{File: path.Join(Dir, file), Text: fmt.Sprintf("unknown language %q", id), Hint: hint})
		}
	}
	return nil
}

// driver reads the driver of a language. It returns nil if there is none, or a file is at fault.
// The search begins at the source from; seen are the directories that led here by "like".
func (r *reader) driver(id string, from int, seen []string) *Driver {
	for n, s := range r.sources[from:] {
		file := path.Join(id, File)
		name := path.Join(s.name, file)
		data, err := fs.ReadFile(s.files, file)
		if err != nil {
			if _, none := fs.Stat(s.files, id); errors.Is(none, fs.ErrNotExist) {
				continue
			}
			r.faults = append(r.faults, &judge.Fault{
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
		if len(faults) == 0 { // nothing more can be said about what could not be read
			d.Driver, d.Server = k.text("driver", d.DriverFile), k.text("server", d.ServerFile)
			k.check(&d)
		}
		if d.Like != "" && len(k.faults) == 0 {
			next := 0
			if d.Like == id {
				next = from + n + 1 // the built-in driver, with changes
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

// reason returns the system's error, without the path.
func reason(err error) string {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err.Error()
	}
	return err.Error()
}

// inherit adds to a driver the settings that it lacks, from the driver named by "like".
func (r *reader) inherit(d *Driver, k *checker, from int, seen []string) {
	before := len(r.faults)
	if slices.Contains(seen[:len(seen)-1], seen[len(seen)-1]) {
		k.fault("like", "one of them must not use `like`", "these drivers refer to one another by `like`: %s", strings.Join(seen, ", "))
		return
	}
	base := r.driver(d.Like, from, seen)
	if base == nil {
		if len(r.faults) == before {
			k.fault("like", suggest.Hint(d.Like, r.known()), "the language %q has no driver", d.Like)
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

// known returns the languages that have a driver in some source.
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
