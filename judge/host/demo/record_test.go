package demo

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"assay/judge"
	"assay/judge/host/job"
	"assay/judge/internal/golden"
	"assay/judge/running/sandbox"
	"assay/judge/workspace"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}

// taken lists the recorded programs of solutions/ and their languages.
var taken = [][2]string{
	{"wythoff/accepted/square_root.py", "python3"}, {"wythoff/accepted/inequality.cpp", "cpp"}, {"wythoff/accepted/square_root.go", "go"},
	{"wythoff/wrong_answer/double_phi.py", "python3"}, {"wythoff/wrong_answer/int_32.cpp", "cpp"}, {
		"wythoff/wrong_answer/rounds_up.py", "python3",
	},
	{"wythoff/time_limit_exceeded/tries_every_move.cpp", "cpp"}, {"wythoff/run_time_error/recursion_depth.py", "python3"},
	{"wythoff/compile_error/unused_variable.go", "go"},
	{"sylver/accepted/round_robin.py", "python3"}, {"sylver/accepted/dijkstra.cpp", "cpp"}, {"sylver/accepted/RoundRobin.java", "java"},
	{"sylver/wrong_answer/one_lap.py", "python3"}, {"sylver/wrong_answer/product_64_bits.cpp", "cpp"}, {
		"sylver/wrong_answer/lower_case.py", "python3",
	},
	{"sylver/time_limit_exceeded/exponential_recursion.py", "python3"}, {"sylver/run_time_error/third_line.py", "python3"},
	{"sylver/memory_limit_exceeded/table_of_x.cpp", "cpp"},
	{"pd-duel/accepted/deques.py", "python3"}, {"pd-duel/accepted/prefix_sums.cpp", "cpp"}, {"pd-duel/accepted/running_windows.go", "go"},
	{"pd-duel/wrong_answer/rewards_swapped.go", "go"}, {"pd-duel/wrong_answer/max_means_all.cpp", "cpp"}, {
		"pd-duel/wrong_answer/start_in_every_turn.go", "go",
	},
	{"pd-duel/time_limit_exceeded/slices_the_history.py", "python3"}, {"pd-duel/run_time_error/name_is_a_number.go", "go"},
	{"pd-duel/compile_error/missing_semicolon.cpp", "cpp"},
}

// TestRecorded checks that the recordings match the programs and the verdicts of their directories. With -update
// it judges the programs again.
func TestRecorded(t *testing.T) {
	if golden.Updating() {
		record(t)
	}
	all, err := readRecordings[recording](recordedData)
	if err != nil || len(all) != len(taken) {
		t.Fatalf("%d recordings of %d programs, %v", len(all), len(taken), err)
	}
	folders := map[judge.Verdict]string{
		judge.Accepted: "accepted", judge.WrongAnswer: "wrong_answer", judge.TimeLimit: "time_limit_exceeded",
		judge.RunTimeError: "run_time_error",
		judge.MemoryLimit:  "memory_limit_exceeded", judge.CompileError: "compile_error",
	}
	for i, r := range all {
		file := taken[i][0]
		source, err := os.ReadFile(filepath.Join("../../../solutions", file))
		if err != nil || string(source) != r.Source {
			t.Errorf("%s is another than when it was recorded (%v): go test ./judge/host/demo -run TestRecorded -update", file, err)
		}
		if got := filepath.Join(r.Problem, folders[r.Result.Finished.Verdict], r.File); got != filepath.FromSlash(file) {
			t.Errorf("the recording of %s is %s", file, got)
		}
		events, err := job.Unpack(r.Result.Events)
		if err != nil || len(events) == 0 {
			t.Errorf("%s: %d events, %v", file, len(events), err)
		}
	}
}

// record judges the programs and writes the recording.
func record(t *testing.T) {
	w, err := workspace.Find(workspace.Env{Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(workspace.RunOptions{Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var file bytes.Buffer
	z, err := gzip.NewWriterLevel(&file, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range taken {
		path := filepath.Join("../../../solutions", one[0])
		r := recording{Problem: filepath.Dir(filepath.Dir(one[0])), File: filepath.Base(path), Language: one[1]}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r.Source = string(source)
		p, err := w.Open(r.Problem)
		if err != nil {
			t.Fatal(err)
		}
		var events []judge.Event
		listen := func(e judge.Event) {
			if _, passing := e.(*judge.Progressed); passing {
				return
			}
			events = append(events, e)
			if c, ok := e.(*judge.CaseJudged); ok {
				r.Result.CPUUS += c.Exec.CPU.Microseconds()
			}
		}
		r.Result.State, r.Result.Version, r.Result.Machine = job.Done, "recorded", runtime.GOOS+"/"+runtime.GOARCH
		if r.Result.Finished, err = w.Submit(t.Context(), p, workspace.Submission{Path: path, Name: r.File, Language: r.Language},
			judge.Options{Jobs: 1}, listen); err != nil {
			t.Fatalf("%s: %v", one[0], err)
		}
		if r.Result.Events, r.Result.Rows, err = job.Pack(events); err != nil {
			t.Fatal(err)
		}
		t.Log(one[0], r.Result.Finished.Verdict)
		if err := json.NewEncoder(z).Encode(&r); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	recordedData = file.Bytes()
	if err := os.WriteFile("recorded.jsonl.gz", recordedData, 0o644); err != nil {
		t.Fatal(err)
	}
}
