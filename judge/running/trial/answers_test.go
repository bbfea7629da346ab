package trial_test

import (
	"archive/zip"
	"os"
	"path/filepath"
	"testing"

	"assay/judge"
	"assay/judge/running/check"
	"assay/judge/running/trial"
)

func TestAnswers(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	c := judge.Case{Group: "g", Name: "sub/1", In: write("1.in", "x\n"), Ans: write("1.ans", "7\n")}
	archive := func(name string, files map[string]string) string {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w := zip.NewWriter(f)
		for name, text := range files {
			entry, err := w.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			entry.Write([]byte(text))
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		return f.Name()
	}
	write("whole/g/sub/1.out", "7\n")
	write("flat/1.ans", "7")
	write("other/2.out", "7\n")
	if err := os.Symlink("../1.ans", filepath.Join(dir, "other", "1.out")); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, path string
		want       judge.Verdict
	}{
		{"it finds an output by group and case", dir + "/whole", judge.Accepted},
		{"it finds an output by its bare name", dir + "/flat", judge.Accepted},
		{"it follows no link out of the directory", dir + "/other", judge.WrongAnswer},
		{"it takes one file for every case", write("one.txt", "7\n"), judge.Accepted},
		{"it refuses a wrong output", write("wrong.txt", "8\n"), judge.WrongAnswer},
		{"it refuses an output that is too long", write("long.txt", "7         \n"), judge.OutputLimit},
		{"it reads an archive", archive("good.zip", map[string]string{"sub/1.out": "7\n"}), judge.Accepted},
		{"it refuses an archive that is none", write("broken.zip", "7\n"), judge.CompileError},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := &judge.Problem{
				Kind: judge.Kind{OutputOnly: true}, Limits: judge.Limits{Output: 8},
				Checker: judge.CheckerSpec{Name: "tokens"},
				Groups:  []judge.Group{{Name: "g", Cases: []judge.Case{c}}},
			}
			bench, err := trial.New(t.Context(), trial.Setup{Problem: p, Programs: &check.SetterPrograms{Problem: p}, Source: test.path,
				TempDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			defer bench.Close()
			sum, err := judge.Run(t.Context(), p, bench, judge.Options{}, func(judge.Event) {})
			if err != nil || sum.Verdict != test.want {
				t.Errorf("%+v, %v, want %s", sum, err, test.want)
			}
		})
	}
}
