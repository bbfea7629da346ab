package main

import (
	"os"
	"strings"
	"testing"
)

// TestUnitsRunThisProgram checks that the units run this program at its current path.
func TestUnitsRunThisProgram(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for command, unit := range map[string]string{"serve": "judged.service", "worker": "judged-worker.service"} {
		var said strings.Builder
		if err := printUnit(&said, unit); err != nil {
			t.Fatal(err)
		}
		if got := said.String(); !strings.Contains(got, "\nExecStart="+program+" "+command+" ") || strings.Contains(got, "/usr/bin/judged") {
			t.Errorf("%s runs something else:\n%s", unit, got)
		}
	}
}
