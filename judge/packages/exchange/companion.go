package exchange

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/problem"
)

// Task is the data that Competitive Companion sends about the problem open in the user's browser: the samples and
// the limits.
type Task struct {
	Name        string `json:"name"`
	Group       string `json:"group"`
	URL         string `json:"url"`
	Interactive bool   `json:"interactive"`
	TimeMS      int64  `json:"timeLimit"`
	MemoryMB    int64  `json:"memoryLimit"`
	Tests       []struct {
		Input  string `json:"input"`
		Output string `json:"output"`
	} `json:"tests"`
	Languages struct {
		Java struct {
			TaskClass string `json:"taskClass"`
		} `json:"java"`
	} `json:"languages"`
}

// ReadTask parses the JSON. Faults name file as its file.
func ReadTask(file string, data []byte) (*Task, error) {
	var t Task
	if err := json.Unmarshal(data, &t); err != nil {
		fault := &judge.ProblemError{File: file, Text: "is not what Competitive Companion sends: " + err.Error()}
		if syntax, ok := err.(*json.SyntaxError); ok {
			fault.Line = 1 + strings.Count(string(data[:min(int(syntax.Offset), len(data))]), "\n")
		}
		return nil, fault
	}
	switch {
	case t.Name == "" || len(t.Tests) == 0:
		return nil, &judge.ProblemError{
			File: file, Text: "is not what Competitive Companion sends: it has no name, or no tests",
			Hint: `it has keys such as "name", "timeLimit" and "tests"`,
		}
	case t.Interactive:
		return nil, &judge.ProblemError{
			File: file, Text: "the problem is interactive, and its samples are dialogues",
			Hint: "make a directory by hand: judge new <name> --kind interactive",
		}
	}
	return &t, nil
}

// ID returns a name for the problem's directory.
func (t *Task) ID() string {
	if id := goodName(strings.ToLower(t.Name)); id != "unnamed" {
		return strings.Trim(id, "-._")
	}
	return goodName(t.Languages.Java.TaskClass)
}

// Companion writes a task as the problem directory dir, which contains only the samples.
func Companion(t *Task, dir string) (Notes, error) {
	notes := Notes{"there are only the samples, and no statement; outputs are compared word by word"}
	err := createAtomically(func(dirs []string) error {
		var toml tomlFile
		toml.text("title", t.Name)
		toml.text("source", strings.TrimSpace(t.Group+" "+t.URL))
		toml.table("limits")
		toml.duration("time", time.Duration(t.TimeMS)*time.Millisecond)
		toml.size("memory", t.MemoryMB<<20)
		toml.table("checker")
		toml.text("name", "tokens")
		toml.texts("args", []string{"case_sensitive"})
		if err := write(filepath.Join(dirs[0], problem.File), []byte(toml.String()), 0o644); err != nil {
			return err
		}
		for i, test := range t.Tests {
			base := filepath.Join(dirs[0], "cases", problem.Sample, fmt.Sprint(i+1))
			if err := write(base+".in", text(test.Input), 0o644); err != nil {
				return err
			}
			if err := write(base+".ans", text(test.Output), 0o644); err != nil {
				return err
			}
		}
		return write(filepath.Join(dirs[0], "statement.md"), fmt.Appendf(nil, "The statement is at <%s>.\n", t.URL), 0o644)
	}, dir)
	return notes, err
}

// text converts line ends to line feeds, and makes sure that the last line ends with one.
func text(s string) []byte {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		s += "\n"
	}
	return []byte(s)
}
