package api_test

import (
	"net/http"
	"strings"
	"testing"

	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/job"
	"assay/judge/host/workflow"
)

// TestEachBotIsBounded checks that the size of each contestant is limited, but not their total size.
func TestEachBotIsBounded(t *testing.T) {
	h := newHarness(t)
	file := func(path string, size int64) job.File {
		return job.File{Path: path, Size: size, Digest: blob.DigestOf([]byte(path))}
	}
	for _, c := range []struct {
		kind   workflow.Kind
		files  []job.File
		status int
		says   string
	}{
		{workflow.Arena, []job.File{file("1/a.py", 900), file("2/a.py", 900)}, http.StatusConflict, "lacks the bytes"},
		{workflow.Arena, []job.File{file("1/a.py", 900), file("1/b.py", 900)}, http.StatusRequestEntityTooLarge, "1800 bytes"},
		{workflow.Golf, []job.File{file("1/a.py", 900), file("2/a.py", 900)}, http.StatusRequestEntityTooLarge, "1800 bytes"},
	} {
		n := client.NewWorkflow{Kind: c.kind, Problem: "sum", Files: c.files}
		status, said := h.ask("submit", "PUT", "/v1/workflows/AAAAAAAAAAAAAAAAAAAAAAAA", n)
		if status != c.status || !strings.Contains(said, c.says) {
			t.Errorf("%s with %v: %d %s", c.kind, c.files, status, said)
		}
	}
}
