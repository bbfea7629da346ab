// Package drivers reads how golf answers are called in each language. A language has a
// directory here, named by its id: golf.toml describes the form of answers and names the
// programs beside it that call them. README.md is the manual of golf.toml.
//
// A contest can have directories of the same form, which take precedence over these.
// The package does not know how a language is built and run, which judge.toml describes.
// It reads and checks; package golf fills drivers with answers and runs them.
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

// File is the name of a driver's description, and Dir the name of the directory of drivers
// in the root of a contest.
const (
	File = "golf.toml"
	Dir  = "golf"
)

// Driver says how answers in one language are called. The zero value only knows
// programs that are run as judge.toml says.
type Driver struct {
	Like string `toml:"like"` // another language, whose driver holds where this one says nothing

	Programs []string `toml:"programs"` // expressions that tell a whole program
	Argv     []string `toml:"argv"`     // expressions of programs that take arguments
	Inputs   []string `toml:"inputs"`   // forms of input that are tried first
	Wraps    []Wrap   `toml:"wraps"`    // what programs may need around them
	Ending   string   `toml:"ending"`   // what a program's file needs at its end
	Inline   string   `toml:"inline"`   // an expression of flags behind which the code itself stands

	Names    []string            `toml:"names"`     // expressions whose $1 is a name that an answer gives a function
	Values   []string            `toml:"values"`    // those of names that may hold a function; they are tried later
	Split    bool                `toml:"split"`     // the last line may be a function without a name
	Hoist    string              `toml:"hoist"`     // an expression of what goes before everything
	Answer   string              `toml:"answer"`    // name of the answer's own file, beside the driver
	Around   string              `toml:"around"`    // what that file holds, where it is not just the code
	Calls    map[string]string   `toml:"calls"`     // how a form calls it
	Arg      string              `toml:"arg"`       // one argument
	Words    map[string][]string `toml:"words"`     // an item for each argument, and what goes between
	OneBuild bool                `toml:"one_build"` // the driver reads the form and the name, so that it is built once
	Case     string              `toml:"case"`      // one call, in drivers that know all of them
	Loaded   string              `toml:"loaded"`    // for drivers that read code: the code of the frame that says so
	Each     string              `toml:"each"`      // and the code for one input
	Build    [][]string          `toml:"build"`     // of all answers, instead of the language's own
	Run      []string            `toml:"run"`       // of functions, instead of the language's own

	ServerRun []string `toml:"server_run"` // of the server, instead of the language's own

	DriverFile string `toml:"driver"`
	ServerFile string `toml:"server"`
	Driver     string // the text of DriverFile: calls the answer on every input
	Server     string // that of ServerFile: runs a program on many inputs
}

// Wrap is what a program may need around it.
type Wrap struct {
	Name   string `toml:"name"`   // what people call it
	When   string `toml:"when"`   // an expression of programs that need it; "" for all
	Unless string `toml:"unless"` // an expression of programs that do not
	Code   string `toml:"code"`   // with {code}
}

// Set holds drivers by the ids of their languages.
type Set map[string]*Driver

// Of is the driver of a language; one that has none gets the zero Driver.
func (s Set) Of(id string) *Driver {
	if d, ok := s[id]; ok {
		return d
	}
	return &Driver{}
}

// Read reads the drivers of the languages with these ids. Own, if it is not nil, is the
// contest's directory, which takes precedence language by language. The error
// is a judge.Faults where a file is at fault.
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
	name  string // as people know it
}

type reader struct {
	sources []source // the contest's goes before the judge's own
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
				hint = "a new language is a [[language]] in judge.toml"
			}
			r.faults = append(r.faults, &judge.Fault{File: path.Join(Dir, file), Text: fmt.Sprintf("there is no language %q", id), Hint: hint})
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
			r.faults = append(r.faults, &judge.Fault{File: name, Text: "cannot be read: " + reason(err), Hint: "a directory in " + Dir + " that is named after a language contains its driver"})
			return nil
		}
		dir, err := fs.Sub(s.files, id)
		if err != nil {
			return nil
		}
		var d Driver
		doc, faults := strict.Decode(name, data, &d)
		k := &checker{doc: doc, faults: faults, dir: dir}
		if len(faults) == 0 { // of what could not be read there is nothing more to say
			d.Driver, d.Server = k.text("driver", d.DriverFile), k.text("server", d.ServerFile)
			k.check(&d)
		}
		if d.Like != "" && len(k.faults) == 0 {
			next := 0
			if d.Like == id {
				next = from + n + 1 // the judge's own, with changes
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

// reason is what the system says, without the path.
func reason(err error) string {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err.Error()
	}
	return err.Error()
}

// inherit fills what a driver does not say with what the one says that it is like.
func (r *reader) inherit(d *Driver, k *checker, from int, seen []string) {
	before := len(r.faults)
	if slices.Contains(seen[:len(seen)-1], seen[len(seen)-1]) {
		k.fault("like", "one of them must say everything itself", "these are like one another: %s", strings.Join(seen, ", "))
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
		files, _ := fs.Glob(s.files, "*/"+File) // the pattern is a good one
		for _, file := range files {
			ids = append(ids, path.Dir(file))
		}
	}
	return ids
}
