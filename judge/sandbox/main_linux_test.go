package sandbox_test

import (
	"os"
	"testing"

	"assay/judge/sandbox"
	"assay/judge/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	sandboxtest.Main()
	os.Exit(m.Run())
}
