package host_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestNamedTestsAreThere checks that the tests named in doc.go exist in the named packages.
func TestNamedTestsAreThere(t *testing.T) {
	page, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]string{"dispatch": "dispatch", "queue": "queue", "cmd/judged": "../../cmd/judged"}
	folder, named := "", 0
	for _, word := range regexp.MustCompile(`[\w/]+:|\bTest\w+`).FindAllString(string(page), -1) {
		if to, known := folders[strings.TrimSuffix(word, ":")]; known {
			folder = to
		}
		if !strings.HasPrefix(word, "Test") {
			continue
		}
		named++
		files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(data), "\nfunc "+word+"(")
		}
		if !found {
			t.Errorf("%s is not in %s", word, folder)
		}
	}
	if named < 15 {
		t.Errorf("%d tests are named", named)
	}
}
