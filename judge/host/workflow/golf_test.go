package workflow

import (
	"math/rand/v2"
	"strings"
	"testing"

	"assay/judge/blob"
	"assay/judge/contests/golf"
	"assay/judge/host/job"
)

// golfSpec returns a workflow with three golf submissions, and a header for them.
func golfSpec(t *testing.T) *Spec {
	t.Helper()
	d := blob.DigestOf([]byte("x"))
	s := &Spec{Kind: Golf, Work: job.Work{Bundle: d, Config: d, Problem: "sum", Program: "sum", IsDir: true}}
	for _, path := range []string{"header", "0/a.py", "1/a.py", "2/b.py"} {
		s.Work.Files = append(s.Work.Files, job.File{Path: path, Digest: d})
	}
	s.Options = output(t, GolfOptions{
		Submissions: []GolfFile{{"x/a.py", "0/a.py"}, {"y/a.py", "1/a.py"}, {"b.py", "2/b.py"}},
		Reading:     golf.ReadOptions{Header: "header", Language: "python"}, Check: golf.Options{Seed: 7, Quick: true},
	})
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestGolfIsPlanned checks that each golf submission is checked once, with its own files, for any order of the
// parts.
func TestGolfIsPlanned(t *testing.T) {
	s := golfSpec(t)
	done := func(n int) TaskResult { return TaskResult{Key: GolfCheckKey(n), State: job.Done} }
	bad := TaskResult{Key: GolfCheckKey(1), State: job.Failed, Reason: "no disk"}
	for name, tt := range map[string]struct {
		parts  []TaskResult
		keys   string
		done   bool
		failed string
	}{
		"at first":      {nil, "proof 0, proof 1, proof 2", false, ""},
		"in the middle": {[]TaskResult{done(2), done(0)}, "proof 1", false, ""},
		"twice":         {[]TaskResult{done(2), done(0), done(2)}, "proof 1", false, ""},
		"at the end":    {[]TaskResult{done(2), done(0), done(1)}, "", true, ""},
		"one is bad":    {[]TaskResult{done(2), bad, done(0)}, "", true, "no disk"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 {
				rand.Shuffle(len(tt.parts), func(i, j int) { tt.parts[i], tt.parts[j] = tt.parts[j], tt.parts[i] })
				if keys, step := next(t, s, tt.parts); keys != tt.keys || step.Done != tt.done || step.Failed != tt.failed {
					t.Fatalf("got %q, %+v", keys, step)
				}
			}
		})
	}
	_, step := next(t, s, []TaskResult{done(0)})
	work := step.Tasks[0].Work
	if len(work.Files) != 2 || work.Files[0].Path != "header" || work.Files[1].Path != "1/a.py" || !work.IsDir || work.Kind != job.GolfCheck {
		t.Errorf("the job does %+v", work)
	}
	for _, want := range []string{`"name":"y/a.py","file":"1/a.py"`, `"language":"python"`, `"header":"header"`, `"seed":7,"quick":true`} {
		if !strings.Contains(string(work.Options), want) {
			t.Errorf("the options are %s, want %s", work.Options, want)
		}
	}
	if priority := step.Tasks[0].Priority; priority != job.PracticePriority {
		t.Errorf("the priority is %v", priority)
	}
}

// TestGolfOfOthers checks that invalid specs are rejected before they are stored.
func TestGolfOfOthers(t *testing.T) {
	answers := func(a ...GolfFile) GolfOptions { return GolfOptions{Submissions: a} }
	for want, change := range map[string]func(*Spec){
		"about a problem of the server": func(s *Spec) { s.Work.Snapshot = true },
		"cannot be read":                func(s *Spec) { s.Options = []byte("[") },
		"0 answers":                     func(s *Spec) { s.Options = []byte("{}") },
		"257 answers":                   func(s *Spec) { s.Options = output(t, answers(make([]GolfFile, 257)...)) },
		"has no name":                   func(s *Spec) { s.Options = output(t, answers(GolfFile{"", "0/a.py"})) },
		`"/etc/passwd", which did not`:  func(s *Spec) { s.Options = output(t, answers(GolfFile{"a", "/etc/passwd"})) },
		`"", which did not`:             func(s *Spec) { s.Options = output(t, answers(GolfFile{"a", ""})) },
		`"footer", which did not`: func(s *Spec) {
			o := answers(GolfFile{"a", "0/a.py"})
			o.Reading.Footer = "footer"
			s.Options = output(t, o)
		},
	} {
		s := golfSpec(t)
		change(s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
