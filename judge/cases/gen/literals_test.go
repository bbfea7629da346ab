package gen_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/judge/cases/gen"
)

func TestLiterals(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.go": "x := 0x1f + 99 * 1e6 // 12345678901234567890 a1\n", "sub/b.py": "if n < 1000: y = 7.5",
		"c.bin": "\xff\xfe 77",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := gen.Literals(dir, filepath.Join(dir, "nosuch")), []int64{5, 7, 31, 99, 1000, 1000000}; !slices.Equal(got, want) {
		t.Errorf("Literals = %d, want %d", got, want)
	}
}
