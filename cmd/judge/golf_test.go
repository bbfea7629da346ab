package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/cmd/internal/cli"
	"assay/judge/contests/golf"
	"assay/judge/report"
	"assay/judge/workspace"
)

// missingTool is part of the reason for a submission that cannot run because an interpreter is missing.
const missingTool = "which is not installed"

// golfRange opens the bundled golf problem once for a whole test.
func golfRange(t testing.TB) (*workspace.Workspace, *golf.SubmissionChecker) {
	t.Helper()
	contest, err := cli.FindContest()
	if err != nil {
		t.Fatal(err)
	}
	if err := contest.Start(workspace.RunOptions{Jobs: runtime.NumCPU()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { contest.Close() })
	folder, err := contest.Open("wythoff")
	if err != nil {
		t.Fatal(err)
	}
	stage, err := contest.StartGolf(context.Background(), folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stage.Checker.Close() })
	return contest, stage
}

// slowAnswers are submissions that take at least about two seconds of CPU time each: programs in languages that
// start slowly, compilers, and functions that are interpreted slowly.
var slowAnswers = []string{
	"arguments.py", "arguments.rb", "function.kt", "lambda.kt", "list_argument.hs", "note_main.pro", "note_prompt.js",
	"note_readline.js", "note_untagged.php",
	"all_moves.py", "asks_the_network.py", "floods.py", "glued.py", "goes_home.py", "losing_text_counts.bc", "losing_text_is_a_position.gp",
	"losing_text_varies.lisp", "no_diagonal.pro", "only_the_diagonal.scm", "program_prompts.py",
	"table_too_short.cpp", "text_before_the_move.py",
	"binary.py", "no_diagonal.tcl", "phi_too_short.jq", "syntax.py", "text_behind_the_move.sh",
}

// TestGolfAnswers checks every submission in testdata/golf/<verdict>. Each file name tells what is special about
// the submission. Programs start a process for each input, so they are tried only on samples and edges. Without
// ASSAY_SLOW, the test uses one correct submission per language and skips slow ones.
func TestGolfAnswers(t *testing.T) {
	verdicts := map[string]golf.Verdict{"right": golf.Correct, "wrong": golf.Incorrect, "slow": golf.TooSlow, "cannot_run": golf.CannotRun}
	files, err := filepath.Glob("testdata/golf/*/*")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d answers in testdata/golf, error %v", len(files), err)
	}
	contest, stage := golfRange(t)
	rare := map[string]bool{} // names of languages that most machines lack
	for _, l := range contest.Config.Languages {
		rare[l.Name] = l.Rare
	}
	proved := map[string]bool{} // extensions of correct submissions
	for _, file := range files {
		folder, name, ext := filepath.Base(filepath.Dir(file)), filepath.Base(file), filepath.Ext(file)
		want, known := verdicts[folder]
		if !known {
			t.Errorf("%s: no verdict is called %s", file, folder)
			continue
		}
		left := slices.Contains(slowAnswers, name) || want == golf.Correct && proved[ext] && !strings.HasPrefix(name, "note_")
		proved[ext] = proved[ext] || want == golf.Correct && !left
		t.Run(folder+"/"+name, func(t *testing.T) {
			if left && os.Getenv("ASSAY_SLOW") == "" {
				t.Skip("slow, or not the first of its language: proved with ASSAY_SLOW=1")
			}
			t.Parallel() // starting compilers and interpreters leave a processor idle
			o := golf.Options{Seed: 1, Jobs: runtime.NumCPU()}
			o.Quick = want == golf.Correct && !strings.HasPrefix(name, "lambda_") && !strings.HasPrefix(name, "sub_")
			if want == golf.TooSlow {
				o.Time = 500 * time.Millisecond
			}
			r, err := contest.CheckGolf(t.Context(), stage, file, golf.ReadOptions{}, o)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(r.Log, missingTool) {
				if rare[r.Language] {
					t.Logf("not proved: %s", r.Log)
					return
				}
				t.Skip(r.Log)
			}
			if r.Verdict != want {
				t.Errorf("%s: %s, want %s\n%s", file, r.Verdict, want, report.GolfResult(&r.GolfChecked))
			}
			if noted := strings.HasPrefix(name, "note_"); noted && len(r.Notes) == 0 {
				t.Errorf("%s: want a note", file)
			}
		})
	}
}

// TestGolfWatch checks that a file is rechecked whenever it is saved.
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
