package contestexport

import (
	"testing"

	"assay/judge/host/intake"
	"assay/judge/host/job"
	"assay/judge/host/store"
)

// TestNames checks that safe returns names that every system can unpack below a directory.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"sum.py": "sum.py", "a/b.py": "a/b.py", "a b/ü.py": "a_b/_.py", "../../etc/passwd": "etc/passwd", "/x": "x", "a//b": "a/b", "..": "",
		"azAZ09-_.+@[`{:;": "azAZ09-_.+______", ".git/config": "git/config", "c++": "c++", `a\b`: "a_b", "nul.": "nul",
	} {
		if got := safePath(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
	used := map[string]bool{}
	for i, want := range []string{"a_b.py", "2-A_b.py", "3-", "4-a_b.py", "6-a_b.py", "6-6-A_b.py"} {
		if got := uniqueName(used, i, []string{"a b.py", "A_b.py", "..", "a_b.py", "6-a_b.py", "A_b.py"}[i]); got != want {
			t.Errorf("file %d is %q, want %q", i, got, want)
		}
	}
}

// TestLanguageOf checks that the language is the requested one, or else follows from the file extension.
func TestLanguageOf(t *testing.T) {
	known := []intake.SubmissionLanguage{{ID: "cpp", Extensions: []string{"cc", "cpp"}}, {ID: "sh"}}
	for _, tt := range []struct{ asked, file, want string }{
		{"", "a.cc", "cpp"}, {"", "a.CPP", "cpp"}, {"", "a.b/c.rs", "rs"}, {"", "Makefile", "other"}, {"py3", "a.cc", "py3"},
	} {
		if got := languageOf(&store.Submission{Language: tt.asked, Files: []job.File{{Path: tt.file}}}, known); got != tt.want {
			t.Errorf("%v is in %q", tt, got)
		}
	}
}
