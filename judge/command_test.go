package judge_test

import (
	"testing"

	"assay/judge"

	"github.com/google/go-cmp/cmp"
)

func TestProgramCommand(t *testing.T) {
	p := &judge.Program{Argv: []string{"run", "-m{memory_mib}", "x"}, Env: []string{"A=1", "LIMIT={memory_mib}m"}, Dir: "/cache/p"}
	for _, row := range []struct {
		it        string
		limits    judge.Limits
		argv, env []string
	}{
		{"fills in the memory limit", judge.Limits{Memory: 256<<20 + 5}, []string{
			"run", "-m256", "x", "{memory_mib}",
		}, []string{"A=1", "LIMIT=256m"}},
		{"rounds a limit down, however small it is", judge.Limits{Memory: 1}, []string{
			"run", "-m0", "x", "{memory_mib}",
		}, []string{"A=1", "LIMIT=0m"}},
		{"leaves the word out where there is no limit", judge.Limits{}, []string{"run", "x", "{memory_mib}"}, []string{"A=1"}},
	} {
		c := p.Command(row.limits, "{memory_mib}")
		if diff := cmp.Diff(row.argv, c.Argv); diff != "" {
			t.Errorf("it %s: Argv (-want +got):\n%s", row.it, diff)
		}
		if diff := cmp.Diff(row.env, c.Env); diff != "" {
			t.Errorf("it %s: Env (-want +got):\n%s", row.it, diff)
		}
		if len(c.Mounts) != 1 || c.Mounts[0].At != judge.ProgramDir || c.Mounts[0].Writable {
			t.Errorf("it %s: Mounts = %+v, want the program's directory, read-only", row.it, c.Mounts)
		}
	}
	for memory, want := range map[int64]string{32: "12", 64: "24", 128: "56", 256: "176", 1024: "896", 8192: "1024"} {
		c := (&judge.Program{Argv: []string{"run", "-s{heap_mib}m"}}).Command(judge.Limits{Memory: memory << 20})
		if got := c.Argv[1]; got != "-s"+want+"m" {
			t.Errorf("of %d MiB the heap gets %q from its start, want %s MiB", memory, got, want)
		}
	}
	if c := (&judge.Program{Argv: []string{"run", "-s{heap_mib}m"}}).Command(judge.Limits{}); len(c.Argv) != 1 {
		t.Errorf("without a limit the command is %q", c.Argv)
	}
	if p.Argv[1] != "-m{memory_mib}" {
		t.Errorf("Command changed the program: %q", p.Argv)
	}
}
