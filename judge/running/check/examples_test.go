package check_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"assay/judge"
	"assay/judge/internal/golden"
	"assay/judge/running/check"
)

// TestExamples judges the outputs in testdata, which contains a directory of archives for each built-in checker.
// An archive's comment may contain a line "args: ..." for the checker, and "quoted" if the texts are Go strings.
// The files are ans, and the outputs ac/*, wa/* and je/*, named after what they test. The last file, messages,
// contains the expected messages and is written with -update.
func TestExamples(t *testing.T) {
	for _, d := range check.Descriptions() {
		for _, file := range golden.Files(t, filepath.Join("testdata", d.Name, "*.txtar")) {
			t.Run(d.Name+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				testArchive(t, d.Name, file)
			})
		}
	}
}

func TestEveryFolderOfExamplesHasItsChecker(t *testing.T) {
	names := check.Descriptions()
	folders, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range folders {
		known := slices.ContainsFunc(names, func(d check.Description) bool { return d.Name == f.Name() })
		if f.IsDir() && !known && f.Name() != "fuzz" {
			t.Errorf("testdata/%s: there is no checker of that name", f.Name())
		}
	}
}

func testArchive(t *testing.T, checker, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var args []string
	quoted := false
	for comment := range strings.Lines(string(archive.Comment)) {
		if rest, ok := strings.CutPrefix(comment, "args: "); ok {
			args = strings.Fields(rest)
		}
		quoted = quoted || strings.TrimSpace(comment) == "quoted"
	}
	c, err := check.Builtin(checker, args)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := func(data []byte) string {
		if !quoted {
			return string(data)
		}
		var b strings.Builder
		for line := range strings.Lines(string(data)) {
			s, err := strconv.Unquote(strings.TrimSpace(line))
			if err != nil {
				t.Fatalf("%s: %q: %v", file, line, err)
			}
			b.WriteString(s)
		}
		return b.String()
	}
	want := map[string]judge.Verdict{"ac": judge.Accepted, "wa": judge.WrongAnswer, "je": judge.JudgeError}
	var ans string
	var messages strings.Builder
	tried := 0
	for _, f := range archive.Files {
		folder, _, _ := strings.Cut(f.Name, "/")
		switch {
		case f.Name == "ans":
			ans = text(f.Data)
			continue
		case f.Name == "messages":
			continue
		case want[folder] == "":
			t.Errorf("%s: what is %s?", file, f.Name)
			continue
		}
		tried++
		o, err := c.Check(t.Context(), check.Request{Case: "a/b", In: section(""), Ans: section(ans), Out: section(text(f.Data))})
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
		if o.Verdict != want[folder] {
			t.Errorf("%s: verdict = %s, want %s; %s", f.Name, o.Verdict, want[folder], o.Message)
		}
		if o.Verdict != judge.Accepted {
			fmt.Fprintf(&messages, "%s\n    %s\n", f.Name, o.Message)
		}
		if p := o.Place; p != nil {
			fmt.Fprintf(
				&messages, "    at line %d, column %d; byte %d of the answer, %d of the output\n", p.Line,
				p.Column, p.AnsOffset, p.OutOffset,
			)
		}
	}
	if tried == 0 {
		t.Errorf("%s: has no outputs to judge", file)
	}
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return f.Name == "messages" })
	if messages.Len() > 0 {
		archive.Files = append(archive.Files, txtar.File{Name: "messages", Data: []byte(messages.String())})
	}
	golden.Check(t, file, txtar.Format(archive))
}

func section(s string) *io.SectionReader {
	return io.NewSectionReader(strings.NewReader(s), 0, int64(len(s)))
}
