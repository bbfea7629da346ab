package demo

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/judge"
	"assay/judge/contests/golf"
	"assay/judge/internal/golden"
	"assay/judge/workspace"
)

// answers lists the golf submissions with recorded checks, in the order in which they are sent.
var answers = []string{
	"right/local_names.py", "right/struct.c", "right/class.java", "right/logs.js", "wrong/glued.py", "right/prints.go",
	"right/method.rb", "right/arguments.pl",
	"right/string_argument.py", "right/out_pointers.c", "right/field.java", "right/anonymous.js", "right/slice.go",
	"right/lambda.rb", "right/list_argument.pl", "right/prints.php",
	"right/in_place.py", "right/prints.c", "right/array_result.java", "right/curried.js", "right/results.go", "right/pours.rb",
	"right/references.php", "right/functor.cpp",
	"right/note_complex.py", "right/guards.hs", "right/lambda_list.py", "right/pair.cpp", "right/tuple.rs",
	"right/arguments.lua", "right/tuple_argument.py", "right/infix_operator.hs",
}

// TestTheHole checks that the recordings match the files and contain 30 valid submissions in at least 10
// languages. With -update it checks the submissions again and records the results.
func TestTheHole(t *testing.T) {
	const folder = "../../../cmd/judge/testdata/golf"
	if golden.Updating() {
		recordedGolfData = proveAnswers(t, folder)
	}
	all, err := readRecordings[recordedGolf](recordedGolfData)
	if err != nil || len(all) != len(answers) {
		t.Fatalf("%d proofs of %d answers, %v", len(all), len(answers), err)
	}
	var right int
	var languages []string
	for i, s := range all {
		source, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(answers[i])))
		if err != nil || string(source) != s.Source {
			t.Errorf("%s is another than when it was proved (%v): go test ./judge/host/demo -run TestTheHole -update", answers[i], err)
		}
		if want := filepath.Dir(answers[i]) == "right"; want != (s.Proved.Verdict == judge.GolfCorrect) {
			t.Errorf("%s is %s", answers[i], s.Proved.Verdict)
		} else if want {
			right++
		}
		if !slices.Contains(languages, s.Language) {
			languages = append(languages, s.Language)
		}
	}
	if right < 30 || len(languages) < 10 {
		t.Errorf("%d are right, in %d languages", right, len(languages))
	}
}

// proveAnswers checks the golf submissions and writes the recording.
func proveAnswers(t *testing.T, folder string) []byte {
	w, err := workspace.Find(workspace.Env{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(workspace.RunOptions{Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p, err := w.Open("wythoff")
	if err != nil {
		t.Fatal(err)
	}
	stage, err := w.StartGolf(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Checker.Close()
	var file bytes.Buffer
	z, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range answers {
		path := filepath.Join(folder, filepath.FromSlash(one))
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := recordedGolf{File: "answer" + filepath.Ext(path), Source: string(source)}
		result, err := w.CheckGolf(t.Context(), stage, one, golf.ReadOptions{Path: path}, golf.Options{Seed: 1, Jobs: 1})
		if err != nil {
			t.Fatalf("%s: %v", one, err)
		}
		s.Proved = result.GolfChecked
		s.Proved.File, s.Proved.Explain = s.File, nil
		for _, l := range w.Config.Languages {
			if l.Name == result.Language {
				s.Language = l.ID
			}
		}
		t.Log(one, s.Language, result.Verdict, result.Bytes)
		if err := json.NewEncoder(z).Encode(&s); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("hole.jsonl.gz", file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
