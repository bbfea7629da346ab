package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay"
	"assay/judge/contests/golf"
	"assay/judge/running/config"
)

// missingTool is the reason of an answer that cannot run for want of an interpreter.
const missingTool = "which this machine does not have"

// rareLanguages are those that judge.toml calls rare: their answers are proved where
// somebody has them, and are not missed elsewhere.
func rareLanguages(t *testing.T) map[string]bool {
	t.Helper()
	data, err := fs.ReadFile(assay.Files, config.FileName)
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.FileName, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	rare := map[string]bool{}
	for _, l := range cfg.Languages {
		rare[l.Name] = l.Rare
	}
	return rare
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
	rare := rareLanguages(t)
	for _, file := range files {
		folder, name := filepath.Base(filepath.Dir(file)), filepath.Base(file)
		want, known := verdicts[folder]
		if !known {
			t.Errorf("%s: no verdict is called %s", file, folder)
			continue
		}
		t.Run(folder+"/"+name, func(t *testing.T) {
			t.Parallel() // compilers and interpreters that start leave a processor idle
			args := []string{"golf", "wythoff", file, "--json"}
			if want == golf.Right && !strings.HasPrefix(name, "lambda_") && !strings.HasPrefix(name, "sub_") {
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
			if strings.Contains(r.Log, missingTool) {
				if rare[r.Language] {
					t.Logf("not proved: %s", r.Log)
					return
				}
				t.Skip(r.Log)
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

// TestGolfWatch proves a file again whenever it is saved.
func TestGolfWatch(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "ans.sed")
	save := func(text string) {
		t.Helper()
		if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	save("s/.*/x/\n")
	out, lines := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var errs bytes.Buffer
		run(ctx, []string{"golf", "wythoff", file, "--watch", "--quick"}, &console{in: strings.NewReader(""), out: lines, err: &errs})
		lines.CloseWithError(fmt.Errorf("the watch ended: %s", errs.String()))
	}()
	read := bufio.NewScanner(out)
	for _, row := range []struct{ save, want string }{
		{"", "7 bytes  WRONG"},
		{"s/.*/no/", "8 bytes (+1)  WRONG"},
		{" ", "CANNOT RUN"},
	} {
		if row.save != "" {
			save(row.save)
		}
		if !read.Scan() || !strings.Contains(read.Text(), row.want) {
			t.Errorf("after saving %q: %q, %v; want %q", row.save, read.Text(), read.Err(), row.want)
		}
	}
	stop()
	go io.Copy(io.Discard, out)
	<-ended
}
