//go:build linux

package mutate

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/internal/unboxed"
	"assay/judge/running/config"
)

// BenchmarkFamilies judges the mutants of two solutions of wythoff. It runs each mutant on the cases until its
// output differs. For comparison, it judges a few mutants in a plain loop, which builds each mutant and runs a
// process for each case. In the loop, the time limit is twenty times the original running time. It reports mutants
// per second of CPU time, including builds.
func BenchmarkFamilies(b *testing.B) {
	for _, row := range []struct {
		language, file string
		build, run     []string
	}{
		{"python3", "square_root.py", nil, []string{"python3", "main.py"}},
		{"cpp", "inequality.cpp", []string{"g++", "-std=gnu++20", "-O2", "-static", "-o", "main", "main.cpp"}, []string{"./main"}},
	} {
		path := filepath.Join("../../../solutions/wythoff/accepted", row.file)
		inputs := caseInputs(b)
		b.Run(row.language+"/together", func(b *testing.B) {
			for b.Loop() {
				s, err := readTokens(path, &config.Language{ID: row.language}, family(b, row.language))
				if err != nil {
					b.Fatal(err)
				}
				start := used(b)
				size := max(s.family.Batch, 1)
				if s.family.Table {
					size = len(s.Mutants)
				}
				for batch := range slices.Chunk(s.Mutants, size) {
					together(b, s, batch, row.build, inputs)
				}
				b.ReportMetric(float64(len(s.Mutants))/(used(b)-start).Seconds(), "mutants/cpu-s")
			}
		})
		b.Run(row.language+"/loop", func(b *testing.B) {
			for b.Loop() {
				s, err := readTokens(path, &config.Language{ID: row.language}, family(b, row.language))
				if err != nil {
					b.Fatal(err)
				}
				const of = 8
				n, start := 0, used(b)
				want := looped(b, s.mutantText(&Mutant{}), filepath.Ext(row.file), row.build, row.run, inputs, nil)
				for i := 0; i < len(s.Mutants); i += of {
					n++
					looped(b, s.mutantText(s.Mutants[i]), filepath.Ext(row.file), row.build, row.run, inputs, want)
				}
				b.ReportMetric(float64(n)/(used(b)-start).Seconds(), "mutants/cpu-s")
			}
		})
	}
}

// caseInputs returns the inputs of wythoff's cases.
func caseInputs(b *testing.B) (inputs [][]byte) {
	files, err := filepath.Glob("../../../testcases/wythoff/*/*.in")
	if err != nil || len(files) == 0 {
		b.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			b.Fatal(err)
		}
		inputs = append(inputs, data)
	}
	return inputs
}

// used returns the CPU time of this process and of all child processes that it has waited for.
func used(b *testing.B) (sum time.Duration) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// together builds one program from all mutants that compile, and judges these mutants.
func together(b *testing.B, s *Source, batch []*Mutant, build []string, inputs [][]byte) {
	argv := []string{"python3", ""}
	if build == nil {
		dir := built(b, s, batch, "true")
		argv[1] = filepath.Join(dir, s.family.Name)
	} else {
		command := append(slices.Clone(build[:len(build)-1]), s.family.Name)
		dir := ""
		for dir == "" {
			bad := map[string]bool{}
			var log string
			if dir, log = tried(b, s, batch, command); dir == "" {
				for _, m := range s.family.errors.FindAllStringSubmatch(log, -1) {
					bad[m[1]] = true
				}
				if len(bad) == 0 {
					b.Fatal(log)
				}
				batch = slices.DeleteFunc(slices.Clone(batch), func(m *Mutant) bool { return bad[copyName(m.ID)] })
			}
		}
		argv = []string{filepath.Join(dir, "main")}
	}
	w := newWorker(b.Context(), unboxed.Runner{}, &judge.Program{Name: s.Path, Argv: argv}, 1, judge.Limits{})
	w.stack, w.base = 256, timeBase
	defer w.close()
	var slots []uint32
	for i, input := range inputs {
		w.set(uint32(i), input)
		slots = append(slots, uint32(i))
	}
	for _, m := range batch {
		if _, _, err := w.findKill(m, slots); err != nil {
			b.Fatal(err)
		}
	}
}

// looped builds a program and runs it on inputs until its output differs from want. It returns all outputs.
func looped(b *testing.B, text, ext string, build, run []string, inputs, want [][]byte) (outs [][]byte) {
	dir := b.TempDir()
	write(b, filepath.Join(dir, "main"+ext), []byte(text))
	if build != nil {
		cmd := exec.Command(build[0], build[1:]...)
		cmd.Dir = dir
		if cmd.Run() != nil {
			return nil
		}
	}
	for i, input := range inputs {
		cmd := exec.CommandContext(b.Context(), run[0], run[1:]...)
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(input)
		timer := time.AfterFunc(500*time.Millisecond, func() { _ = cmd.Process.Kill() })
		out, err := cmd.Output()
		timer.Stop()
		outs = append(outs, out)
		if want != nil && (err != nil || !bytes.Equal(out, want[i])) {
			break
		}
	}
	return outs
}
