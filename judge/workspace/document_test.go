package workspace_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/workspace"
)

// TestFormulasOfAnHTMLFile checks that a page that cannot run scripts shows the formulas in an HTML statement.
func TestFormulasOfAnHTMLFile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pack")
	for name, text := range map[string]string{
		"problem.yaml":                          "name: Copy\n",
		"problem_statement/problem.en.html":     "<p>Read \\(n\\) and $m$. <code>$k$</code></p>\n",
		"data/secret/1.in":                      "1\n",
		"data/secret/1.ans":                     "1\n",
		"submissions/accepted/copy.sh":          "cat\n",
		"input_validators/validate/validate.sh": "exit 42\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.Find(workspace.Env{Dir: t.TempDir(), Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.ReadStatement("")
	if err != nil || s.Document == nil {
		t.Fatalf("ReadStatement = %+v, %v, want a document", s, err)
	}
	if page := string(s.Document.Data); strings.Count(page, "<math") != 2 || !strings.Contains(page, "<code>$k$</code>") {
		t.Errorf("the page is %s", page)
	}
}
