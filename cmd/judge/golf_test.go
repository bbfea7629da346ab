package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/golf"
)

// interpreters are what the answers in testdata/golf need, by extension.
var interpreters = map[string]string{
	".awk": "gawk", ".c": "gcc", ".go": "go", ".hs": "ghc", ".java": "javac", ".jq": "jq", ".js": "node", ".lua": "lua5.4",
	".md": "python3", ".php": "php", ".pl": "perl", ".py": "python3", ".rb": "ruby", ".rs": "rustc", ".sed": "sed", ".bc": "bc", ".tcl": "tclsh",
}

// TestGolfAnswers proves every answer of testdata/golf/<verdict>, whose name says
// what is special about it. Programs, which start a process for each input, are
// tried on samples and edges.
func TestGolfAnswers(t *testing.T) {
	verdicts := map[string]golf.Verdict{"right": golf.Right, "wrong": golf.Wrong, "slow": golf.Slow, "cannot_run": golf.CannotRun}
	files, err := filepath.Glob("testdata/golf/*/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d answers in testdata/golf, error %v", len(files), err)
	}
	for _, file := range files {
		folder, name := filepath.Base(filepath.Dir(file)), filepath.Base(file)
		want, known := verdicts[folder]
		if !known {
			t.Errorf("%s: no verdict is called %s", file, folder)
			continue
		}
		t.Run(folder+"/"+name, func(t *testing.T) {
			tool := interpreters[filepath.Ext(name)]
			if _, err := exec.LookPath(tool); err != nil {
				t.Skipf("no %q: install it", tool)
			}
			args := []string{"golf", "wythoff", file, "--json"}
			if want == golf.Right && !strings.HasPrefix(name, "lambda") && !strings.HasPrefix(name, "sub") {
				args = append(args, "--quick")
			}
			if want == golf.Slow {
				args = append(args, "--time", "0.5")
			}
			var out, errs bytes.Buffer
			run(t.Context(), args, &console{in: strings.NewReader(""), out: &out, err: &errs})
			var r golf.Result
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatalf("%v\n%s%s", err, &out, &errs)
			}
			if r.Verdict != want {
				t.Errorf("judge %s: %s, want %s\n%s", strings.Join(args, " "), r.Verdict, want, r.Text("wythoff"))
			}
			if noted := strings.HasPrefix(name, "note_"); noted && len(r.Notes) == 0 {
				t.Errorf("%s: want a note", file)
			}
		})
	}
}
