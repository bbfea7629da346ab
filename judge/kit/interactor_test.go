package kit_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge/kit"
)

// interactor is an interactor for tests. The first word of its input selects the behavior.
func interactor(t *kit.Talk) {
	switch what := t.In.Token(); what {
	case "double":
		t.Println("go")
		n := t.Int(0, 9, "n")
		t.Printf("%d\n", 2*n)
		if word := t.Token(); word != t.Ans.Token() {
			t.Quit(kit.WA, "want another word than %s", word)
		}
		t.EOF()
		t.Quit(kit.OK, "well said")
	case "line":
		if t.Line() != "a whole  line" {
			t.Quit(kit.WA, "not that line")
		}
		t.Share(0.5)
		t.Quit(kit.OK, "")
	case "points":
		t.Score(12.5)
		t.Quit(kit.OK, "")
	case "again":
		t.NextPass("line\n")
	case "panic":
		panic("no idea")
	}
}

func TestInteractors(t *testing.T) {
	for _, row := range []struct {
		name, input, says string
		exit              int
		hears             string
		feedback          string // file=text
	}{
		{"it accepts with 42 and leaves a message", "double", "4 bye", 42, "go\n8\n", "judgemessage.txt=well said\n"},
		{"it refuses with 43 what is out of bounds", "double", "10", 43, "go\n", "judgemessage.txt=n = 10 is not in 0..9\n"},
		{"it refuses what is not a number", "double", "x", 43, "go\n", "judgemessage.txt=want an integer, got \"x\"\n"},
		{
			"it rejects a program that ends its output", "double", "4\n", 43, "go\n8\n",
			"judgemessage.txt=want a word, but the program has ended its output\n",
		},
		{
			"it refuses a program that says too much", "double", "4 bye bye", 43, "go\n8\n",
			"judgemessage.txt=the program printed more than expected\n",
		},
		{"it refuses by what it was told", "double", "4 no", 43, "go\n8\n", "judgemessage.txt=want another word than no\n"},
		{"it gives a share", "line", "a whole  line\n", 42, "", "score_multiplier.txt=0.5"},
		{"it refuses a missing line", "line", "", 43, "", "judgemessage.txt=want a line, but the program has ended its output\n"},
		{"it gives points", "points", "", 42, "", "score.txt=12.5"},
		{"it asks for another pass", "again", "", 42, "", "nextpass.in=line\n"},
		{"it is at fault where its input is not as it should be", " ", "", 3, "", ""},
		{"it is at fault where it forgets to quit", "nothing", "", 3, "", ""},
		{"it is at fault where it panics", "panic", "", 3, "", ""},
	} {
		kit.InEach(t, row.name, func(t *testing.T, l kit.Language) {
			dir := t.TempDir()
			for name, text := range map[string]string{"in": row.input + "\n", "ans": "bye\n"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			feedback := filepath.Join(dir, "feedback") + "/"
			if err := os.Mkdir(feedback, 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := l.Start(t, "interactor", filepath.Join(dir, "in"), filepath.Join(dir, "ans"), feedback)
			cmd.Stdin = strings.NewReader(row.says)
			hears, _ := cmd.Output()
			if exit := cmd.ProcessState.ExitCode(); exit != row.exit || string(hears) != row.hears {
				t.Errorf("exit code %d and %q, want %d and %q", exit, hears, row.exit, row.hears)
			}
			name, want, _ := strings.Cut(row.feedback, "=")
			left, _ := os.ReadDir(feedback)
			if got, _ := os.ReadFile(feedback + name); name != "" && string(got) != want || name == "" && len(left) > 0 {
				t.Errorf("%s is %q, want %q; there are %v", name, got, want, left)
			}
		})
	}
}

func ExampleInteract() {
	kit.Interact(func(t *kit.Talk) {
		number := t.In.Int64()
		for range 10 {
			switch guess := t.Int(1, 1000, "guess"); {
			case guess < number:
				t.Println("higher")
			case guess > number:
				t.Println("lower")
			default:
				t.Println("correct")
				t.Quit(kit.OK, "")
			}
		}
		t.Quit(kit.WA, "the number %d was not found", number)
	})
}
