package lang_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"assay/judge/lang"
)

func writeIn(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestHello(t *testing.T) {
	box, _, _ := toolbox(t)
	for _, l := range ours(t).Languages {
		t.Run(l.ID, func(t *testing.T) {
			s, err := box.Ready(t.Context(), l)
			t.Log(s, err)
			err = box.Hello(t.Context(), l)
			if missing, ok := errors.AsType[*lang.MissingError](err); ok {
				t.Skip(missing)
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}
