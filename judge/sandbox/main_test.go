package sandbox_test

import (
	"os"
	"testing"

	"assay/judge/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.Main()
	os.Exit(m.Run())
}
