package sandbox_test

import (
	"os"
	"testing"

	"assay/judge/running/sandbox"
	"assay/judge/running/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	sandboxtest.Main()
	if os.Getenv(judgeMark) != "" {
		playJudge()
	}
	if os.Getenv(unguardedMark) != "" {
		playUnguarded()
	}
	if os.Getenv(containedMark) != "" {
		playContained()
	}
	os.Exit(m.Run())
}
