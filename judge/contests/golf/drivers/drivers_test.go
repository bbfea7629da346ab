package drivers_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"assay/judge"
	"assay/judge/contests/golf/drivers"
	"assay/judge/running/config"
)

// ids returns the ids of the languages in the judge's own judge.toml.
func ids(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("../../../../judge.toml")
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load("judge.toml", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return cfg.IDs()
}

// TestOurs checks that every directory here belongs to a language, and can be read.
func TestOurs(t *testing.T) {
	known := ids(t)
	files, err := filepath.Glob("*/" + drivers.File)
	if err != nil || len(files) < 30 {
		t.Fatalf("%d drivers, error %v", len(files), err)
	}
	set, err := drivers.Read(nil, known)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if id := filepath.Dir(file); !slices.Contains(known, id) {
			t.Errorf("%s: judge.toml has no language %q", file, id)
		} else if set[id] == nil {
			t.Errorf("%s was not read", file)
		}
	}
	if len(set) != len(files) {
		t.Errorf("%d drivers of %d files", len(set), len(files))
	}
	if got, want := set.ForLanguage("pypy").Driver, set.ForLanguage("python3").Driver; got != want || got == "" {
		t.Errorf("the driver of pypy is not that of python3, which it is like:\n%s", got)
	}
	if set.ForLanguage("klingon") == nil {
		t.Error("a language without a driver has none at all")
	}
}

// TestTheManualNamesEveryKey checks that README.md mentions every key.
func TestTheManualNamesEveryKey(t *testing.T) {
	manual, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []any{drivers.Driver{}, drivers.Wrap{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(table)) {
			if key := field.Tag.Get("toml"); key != "" && !strings.Contains(string(manual), "`"+key) {
				t.Errorf("README.md does not name the key %q", key)
			}
		}
	}
}

// TestOfAContest shows which driver counts where a contest brings its own.
func TestOfAContest(t *testing.T) {
	own := fstest.MapFS{
		"mython/golf.toml":  {Data: []byte("like = \"python3\"\nhoist = \"rem\"\n")},
		"python3/golf.toml": {Data: []byte("like = \"python3\"\nnames = ['fun (\\w+)']\n")},
		"perl/golf.toml":    {Data: []byte("driver = \"mine.pl\"\n[calls]\nargs = \"x\"\n")},
		"perl/mine.pl":      {Data: []byte("print 1\n")},
		"domain/main.go":    {Data: []byte("package main\n")}, // a contest that is one problem has this
	}
	brought, err := drivers.Read(nil, ids(t))
	if err != nil {
		t.Fatal(err)
	}
	set, err := drivers.Read(own, append(ids(t), "mython"))
	if err != nil {
		t.Fatal(err)
	}
	python := brought.ForLanguage("python3")
	if d := set.ForLanguage("python3"); !slices.Equal(d.Names, []string{`fun (\w+)`}) || d.Driver != python.Driver {
		t.Errorf("python3 is not the judge's own with other names: %+v", d)
	}
	if d := set.ForLanguage("mython"); d.Hoist != "rem" || d.Server != python.Server || !slices.Equal(d.Names, []string{`fun (\w+)`}) {
		t.Errorf("mython is not like the contest's python3: %+v", d)
	}
	if d := set.ForLanguage("perl"); d.Driver != "print 1\n" || d.Server != "" || len(d.Names) > 0 {
		t.Errorf("perl takes something from the judge's own: %+v", d)
	}
	if set.ForLanguage("ruby").Driver != brought.ForLanguage("ruby").Driver {
		t.Error("ruby changed, though the contest says nothing of it")
	}
}

func TestFaults(t *testing.T) {
	for _, row := range []struct {
		it, id, toml string
		want         []string
	}{
		{"names an unknown key", "perl", "drvier = \"x\"\n", []string{"golf/perl/golf.toml:1", `unknown key "drvier"`, `did you mean "driver"?`}},
		{"names a file that is not there", "perl", "server = \"sever.pl\"\n", []string{
			"golf/perl/golf.toml:1", `the directory has no file "sever.pl"`, `did you mean "server.pl"?`,
		}},
		{"refuses a file elsewhere", "perl", "driver = \"../ruby/driver.rb\"\n", []string{
			`"../ruby/driver.rb" is not the name of a file in this directory`,
		}},
		{"refuses an expression that does not close", "perl", "\nnames = ['(a']\n", []string{"golf/perl/golf.toml:2", "missing closing )"}},
		{"refuses a flag that is not an expression", "perl", "inline = '['\n", []string{"missing closing ]"}},
		{"wants calls of a driver", "perl", "driver = \"server.pl\"\n", []string{"a driver needs calls"}},
		{"wants two texts of a word", "perl", "[words]\nx = [\"a\"]\n",
			[]string{"a list needs two strings: the text for each argument, and the separator"}},
		{"wants a name of a wrap", "perl", "[[wraps]]\ncode = \"x\"\n", []string{"a wrap has a name, and code with {code} in it"}},
		{"wants a server to run", "perl", "server_run = [\"perl\"]\n", []string{"there is no server to run"}},
		{"wants the frame of what reads code", "perl", "each = \"{call}\"\n", []string{"each and loaded must be set together"}},
		{"knows no such language to be like", "perl", "like = \"rubi\"\n", []string{`the language "rubi" has no driver`, `did you mean "ruby"?`}},
		{"refuses drivers that are like each other", "perl", "like = \"lua\"\n", []string{
			"these drivers refer to one another by `like`: golf/lua/golf.toml, golf/perl/golf.toml, golf/lua/golf.toml",
		}},
		{"refuses a driver of no language", "prel", "", []string{"golf/prel/golf.toml", `unknown language "prel"`, `did you mean "perl"?`}},
		{"says what is wrong with TOML", "perl", "like = \n", []string{"golf/perl/golf.toml:1"}},
	} {
		t.Run(row.it, func(t *testing.T) {
			_, err := drivers.Read(fstest.MapFS{
				row.id + "/golf.toml": {Data: []byte(row.toml)},
				row.id + "/server.pl": {Data: []byte("1\n")},
				"lua/golf.toml":       {Data: []byte("like = \"perl\"\n")},
			}, ids(t))
			if _, ok := errors.AsType[judge.ProblemErrors](err); !ok {
				t.Fatalf("Read = %v, want faults", err)
			}
			for _, want := range row.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("Read = %v\nwant in it: %s", err, want)
				}
			}
		})
	}
}

// TestAFolderWithoutItsFile tells that a language's directory has no golf.toml.
func TestAFolderWithoutItsFile(t *testing.T) {
	_, err := drivers.Read(fstest.MapFS{"perl/driver.pl": {}}, ids(t))
	if err == nil || !strings.Contains(err.Error(), "golf/perl/golf.toml: cannot be read: file does not exist") {
		t.Errorf("Read = %v, want that golf.toml is missing", err)
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("*/" + drivers.File)
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var own fs.FS = fstest.MapFS{"perl/golf.toml": {Data: data}, "perl/driver.pl": {}}
		_, err := drivers.Read(own, []string{"perl"})
		if _, isFault := errors.AsType[judge.ProblemErrors](err); err != nil && !isFault {
			t.Errorf("Read = %v, which is not a fault", err)
		}
	})
}
