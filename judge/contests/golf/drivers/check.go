package drivers

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/strict"
	"assay/judge/internal/suggest"
)

// checker checks a driver beyond the types of its keys.
type checker struct {
	doc    *strict.Doc
	faults judge.ProblemErrors
	dir    fs.FS
}

func (k *checker) fault(key, hint, format string, args ...any) {
	k.faults = append(k.faults, k.doc.Fault(key, fmt.Sprintf(format, args...), hint))
}

// text reads a file of the driver's directory.
func (k *checker) text(key, name string) string {
	if name == "" {
		return ""
	}
	if path.Base(name) != name {
		k.fault(key, "put the file beside "+File, "%q is not the name of a file in this directory", name)
		return ""
	}
	data, err := fs.ReadFile(k.dir, name)
	if err != nil {
		files, _ := fs.Glob(k.dir, "*") // the pattern is valid
		k.fault(
			key, suggest.Hint(name, slices.DeleteFunc(files, func(f string) bool { return f == File })),
			"the directory has no file %q", name,
		)
	}
	return string(data)
}

// check checks the settings of one golf.toml file.
func (k *checker) check(d *Driver) {
	for _, row := range []struct {
		key  string
		list []string
	}{{"programs", d.Programs}, {"argv", d.Argv}, {"broken", d.Broken}, {"names", d.Names}, {"values", d.Values}} {
		for i, expr := range row.list {
			k.expression(fmt.Sprintf("%s[%d]", row.key, i), expr)
		}
	}
	k.expression("hoist", d.Hoist)
	k.expression("inline", d.Inline)
	for _, word := range slices.Sorted(maps.Keys(d.Words)) {
		if len(d.Words[word]) != 2 {
			k.fault("words."+word, `params = ["int a{n}", ", "]`, "a list needs two strings: the text for each argument, and the separator")
		}
	}
	for i, w := range d.Wraps {
		key := fmt.Sprintf("wraps[%d]", i)
		k.expression(key+".when", w.When)
		k.expression(key+".unless", w.Unless)
		if w.Name == "" || !strings.Contains(w.Code, "{code}") {
			k.fault(key, `write name = "a name for people" and code = "... {code} ..."`, "a wrap has a name, and code with {code} in it")
		}
	}
}

// complete checks that a driver, including its inherited settings, has all the settings that it needs.
func (k *checker) complete(d *Driver) {
	if d.Driver != "" && len(d.Calls) == 0 {
		k.fault("driver", "the table [calls] has args, list, ...", "a driver needs calls")
	}
	if (d.Loaded == "") != (d.Each == "") {
		k.fault("each", "set both: a driver that is an interpreter needs them", "each and loaded must be set together")
	}
	if len(d.ServerRun) > 0 && d.Server == "" {
		k.fault("server_run", `server = "server.py" names its program`, "there is no server to run")
	}
}

func (k *checker) expression(key, expr string) {
	if _, err := regexp.Compile(expr); err != nil {
		k.fault(key, "see https://pkg.go.dev/regexp/syntax", "%v", err)
	}
}
