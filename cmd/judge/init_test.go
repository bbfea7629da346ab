package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// TestInit bounds the allocations of the project's packages before a command runs. Expressions use package
// pattern, which compiles them when needed: compiling one at startup costs 100 to 2,000 allocations.
func TestInit(t *testing.T) {
	cmd := exec.Command("judge", "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := regexp.MustCompile(`(?m)^init assay/(\S+) .* (\d+) allocs$`).FindAllStringSubmatch(string(out), -1)
	all := 0
	for _, line := range lines {
		n, err := strconv.Atoi(line[2])
		if err != nil {
			t.Fatal(err)
		}
		if all += n; n > 500 {
			t.Errorf("%s makes %d allocations, want at most 500: make what it needs when it is first used", line[1], n)
		}
	}
	if all > 3000 || len(lines) < 10 {
		t.Errorf("%d packages make %d allocations, want at most 3000\n%s", len(lines), all, out)
	}
}
