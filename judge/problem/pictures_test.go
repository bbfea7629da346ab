package problem_test

import (
	"os"
	"path/filepath"
	"testing"

	"assay/judge/problem"
)

func TestFindPicture(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "statement")
	for _, name := range []string{"statement/a.png", "statement/my pic.jpg", "statement/sub/c.svg", "above.png", "statement/dir.png/x"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "x.png")
	if err := os.WriteFile(outside, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "out.png")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.png": "statement/a.png", "a": "statement/a.png", "my pic": "statement/my pic.jpg", "sub/c": "statement/sub/c.svg",
		"../above.png": "above.png", "b.png": "", "A.png": "", "../../x.png": "", "out.png": "", "dir.png": "", "": "", "100%.png": "",
	} {
		got, ok := problem.FindPicture(root, folder, name)
		if rel, _ := filepath.Rel(root, got); ok != (want != "") || ok && filepath.ToSlash(rel) != want {
			t.Errorf("FindPicture(%q) = %q, %v, want %q", name, got, ok, want)
		}
	}
}
