package strict_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"assay/judge/internal/golden"
	"assay/judge/internal/strict"

	"github.com/google/go-cmp/cmp"
)

// sample has a field of every kind that a file may contain.
type sample struct {
	Title  string         `toml:"title"`
	Kind   string         `toml:"kind"`
	Count  int            `toml:"count"`
	Small  int8           `toml:"small"`
	Whole  uint           `toml:"whole"`
	Ratio  float64        `toml:"ratio"`
	Yes    bool           `toml:"yes"`
	Tags   []string       `toml:"tags"`
	Any    any            `toml:"any"`
	Words  map[string]int `toml:"words"`
	Limits struct {
		Time   strict.Duration `toml:"time"`
		Memory strict.Size     `toml:"memory"`
	} `toml:"limits"`
	Reference *part   `toml:"reference"`
	Groups    []group `toml:"group"`
	Private   string
	NoKey     string `toml:"-"`
}

type part struct {
	Program string `toml:"program"`
}

type group struct {
	Name  string   `toml:"name"`
	Cases []string `toml:"cases"`
	Need  struct {
		Group string `toml:"group"`
	} `toml:"need"`
}

func TestBadFiles(t *testing.T) {
	for _, file := range golden.Files(t, "testdata/bad/*.toml") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".toml"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, faults := strict.Decode(filepath.Base(file), data, &sample{})
			if len(faults) == 0 {
				t.Fatal("a bad file has no faults")
			}
			golden.Check(t, strings.TrimSuffix(file, ".toml")+".txt", []byte(faults.Error()+"\n"))
		})
	}
}

func TestDecode(t *testing.T) {
	s := sample{Kind: "kept"}
	s.Limits.Time = strict.Duration(3 * time.Second)
	_, faults := strict.Decode("x.toml", []byte(`
title = "t"
count = 1_000
small = -8
whole = 7
ratio = 3
yes = true
tags = ["a", "b"]
any = [1, "x"]
words = { a = 1, "b c" = 2 }
limits.memory = "64 KiB"
reference.program = "ref"
[[group]]
name = "one"
[[group]]
cases = []
[group.need]
group = "one"
`), &s)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	want := sample{
		Title: "t", Kind: "kept", Count: 1000, Small: -8, Whole: 7, Ratio: 3, Yes: true,
		Tags: []string{"a", "b"}, Any: []any{int64(1), "x"}, Words: map[string]int{"a": 1, "b c": 2},
		Reference: &part{"ref"}, Groups: []group{{Name: "one"}, {Cases: []string{}}},
	}
	want.Limits.Time, want.Limits.Memory = strict.Duration(3*time.Second), 64<<10
	want.Groups[1].Need.Group = "one"
	if diff := cmp.Diff(want, s); diff != "" {
		t.Errorf("Decode (-want +got):\n%s", diff)
	}
}

func TestPlaces(t *testing.T) {
	doc, faults := strict.Decode("p.toml", []byte(`# [limits] in a comment
title = """three
[limits]
quotes""""
  [limits]
time = "1s" # the time
[[group]]
name = '[x]'
cases = [
  "a = 1", # first
  'b',
]
[group.need]
group = "x"
[[group]]
  need = { group = "y" }
[words]
"a.b" = 1
'c' = 2
`), &sample{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, row := range []struct {
		it, key string
		at      string
		has     bool
	}{
		{"finds a key of the top", "title", "2:1", true},
		{"finds a table by its header", "limits", "5:4", true},
		{"finds a key of a table", "limits.time", "6:1", true},
		{"goes to the table for a key that is not set", "limits.memory", "5:4", false},
		{"finds a list of tables at the first", "group", "7:3", true},
		{"finds a table of a list", "group[1]", "15:3", true},
		{"finds an item of a list in a table of a list", "group[0].cases[1]", "11:3", true},
		{"goes to the list for an item that is not there", "group[0].cases[7]", "9:1", false},
		{"finds a table under a table of a list", "group[0].need.group", "14:1", true},
		{"finds a key of a table in braces", "group[1].need.group", "16:12", true},
		{"finds a key in quotes", `words."a.b"`, "18:1", true},
		{"finds a key in quotes that does not need them", "words.c", "19:1", true},
		{"has no place for what the file says nothing of", "kind", "0:0", false},
		{"has no place for the empty key", "", "0:0", false},
	} {
		f := doc.Fault(row.key, "text", "hint")
		if got := fmt.Sprintf("%d:%d", f.Line, f.Column); got != row.at {
			t.Errorf("it %s: Fault(%q) is at %s, want %s", row.it, row.key, got, row.at)
		}
		if got := doc.Has(row.key); got != row.has {
			t.Errorf("it %s: Has(%q) = %v, want %v", row.it, row.key, got, row.has)
		}
	}
}

func TestDeepBrackets(t *testing.T) {
	for _, open := range []string{"[", "{a="} {
		_, faults := strict.Decode("deep.toml", []byte("a=\n"+strings.Repeat(open, 5_000_000)), &sample{})
		if len(faults) != 1 || !strings.Contains(faults[0].Text, "too deep") {
			t.Errorf("Decode of 5 million %q = %v", open, faults)
		}
		_, faults = strict.Decode("deep.toml", []byte("a=\n"+strings.Repeat(open, 50_000)), &sample{})
		if len(faults) != 1 || strings.Contains(faults[0].Text, "too deep") {
			t.Errorf("Decode of 50 thousand %q: %d faults", open, len(faults))
		}
	}
}

func ExampleDoc_Fault() {
	var into struct {
		Limits struct {
			Time strict.Duration `toml:"time"`
		} `toml:"limits"`
	}
	doc, faults := strict.Decode("problem.toml", []byte("[limits]\ntime = \"90s\"\n"), &into)
	if time.Duration(into.Limits.Time) > time.Minute {
		faults = append(faults, doc.Fault("limits.time", "a time limit of more than a minute", "the judge would wait for hours"))
	}
	fmt.Println(faults.AsError())
	// Output:
	// problem.toml:2:1: a time limit of more than a minute
	//     the judge would wait for hours
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]strict.Size{
		"0": 0, "512": 512, "7B": 7, "64KiB": 65536, " 256 MiB ": 256 << 20, "1GB": 1e9, "1.5KiB": 1536, "2kB": 2000, "1TiB": 1 << 40,
	} {
		var s strict.Size
		if err := s.UnmarshalText([]byte(text)); err != nil || s != want {
			t.Errorf("size %q = %d, %v, want %d", text, s, err, want)
		}
	}
	for _, text := range []string{"", "MiB", "64K", "1e3", "-1", "+1", "0x10", "nanB", "infB", "1 000", "9999999TiB", "99999999999999999999"} {
		var s strict.Size
		if err := s.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("size %q = %d, want a fault", text, s)
		}
	}
	for size, want := range map[strict.Size]string{0: "0B", 1000: "1000B", 1 << 20: "1MiB", 3 << 29: "1536MiB"} {
		if got := size.String(); got != want {
			t.Errorf("String of %d = %q, want %q", int64(size), got, want)
		}
		var back strict.Size
		if err := back.UnmarshalText([]byte(want)); err != nil || back != size {
			t.Errorf("size %q = %d, %v, want %d", want, back, err, size)
		}
	}
}

// TestDeepFiles checks that an unusually deep file is refused, or read with limited memory.
func TestDeepFiles(t *testing.T) {
	for _, row := range []struct {
		it, text string
		refused  bool
	}{
		{"lists in lists", "any = " + strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000), false},
		{"a key of a hundred parts", "any" + strings.Repeat(".a", 100) + " = 1", false},
		{"a key of many parts", "any" + strings.Repeat(".a", 50_000) + " = 1", true},
		{"a key of many parts in quotes", "any" + strings.Repeat(` . "a"`, 50_000) + " = 1", true},
		{"a key in braces of many parts", "any = {a" + strings.Repeat(".'a'", 50_000) + " = 1}", true},
		{"a header of many parts", "[words" + strings.Repeat(".a", 50_000) + "]", true},
		{"a header of many lists", "[[group" + strings.Repeat(".a", 50_000) + "]]", true},
		{"a text of many numbers", "any = \"" + strings.Repeat("1.5 ", 50_000) + "\"", false},
		{"a text of many dots", "any = \"" + strings.Repeat(".", 50_000) + "\"", false},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, faults := strict.Decode("deep.toml", []byte("title = \"t\"\n"+row.text), &sample{})
		runtime.ReadMemStats(&after)
		if row.refused != (len(faults) == 1 && faults[0].Line == 2 && strings.Contains(faults[0].Text, "too deep")) {
			t.Errorf("%s: %v", row.it, faults)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 1<<30 {
			t.Errorf("%s: %d MiB are allocated", row.it, got>>20)
		}
	}
}
