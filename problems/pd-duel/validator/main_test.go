package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain lets the test binary be the validator, so that the tests see what the
// judge sees: an exit code and a message.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_VALIDATOR") == "1" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// validity runs the validator and returns what it says against the input.
func validity(t *testing.T, input string) (complaint string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), "RUN_VALIDATOR=1")
	cmd.Stdin = strings.NewReader(input)
	out, err := cmd.CombinedOutput()
	if (err != nil) != (len(out) > 0) {
		t.Fatalf("exit %v with %q", err, out)
	}
	return string(out)
}

func TestTheSamplesAreValid(t *testing.T) {
	files, err := filepath.Glob("../cases/sample/*.in")
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		input, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if complaint := validity(t, string(input)); complaint != "" {
			t.Errorf("%s: %s", file, complaint)
		}
	}
}

func TestValid(t *testing.T) {
	const ben = "1 Ben\n* C\n"
	for name, input := range map[string]string{
		"it takes one turn and one command": "1\n1 Ada\n* C\n" + ben,
		"it takes every form": "9\n8 Ada\nSTART C\nME -1 C D\nOPP -1 D RAND\nME MAX C C\nOPP LAST 3 D D\n" +
			"ME WIN C\nOPP WIN D\n* RAND\n" + ben,
		"it takes the most turns":                          "200000\n1 Ada\n* C\n" + ben,
		"it takes the most work":                           "100000\n19 Ada\n" + strings.Repeat("* C\n", 19) + ben,
		"it takes a hundred commands":                      "10\n100 Ada\n" + strings.Repeat("* C\n", 100) + ben,
		"it takes the longest window":                      "2\n2 Ada\nOPP LAST 2147483647 C D\n* C\n" + ben,
		"it takes odd names":                               "2\n1 *\n* C\n1 100\n* C\n",
		"it takes a name of 60 characters":                 "2\n1 " + strings.Repeat("x", 60) + "\n* C\n" + ben,
		"it takes equal names":                             "2\n1 Ben\n* D\n" + ben,
		"it takes a star in other words":                   "5\n3 Ada\nSTART C\nOPP -1 C D\nOPP -1 D C\n" + ben,
		"it takes a duel that ends before a side is stuck": "2\n2 Ada\nSTART D\nME -1 D C\n" + ben,
	} {
		t.Run(name, func(t *testing.T) {
			if complaint := validity(t, input); complaint != "" {
				t.Errorf("refused: %s", complaint)
			}
		})
	}
}

func TestNotValid(t *testing.T) {
	const ben = "1 Ben\n* C\n"
	for name, row := range map[string]struct{ input, want string }{
		"it refuses nothing at all":              {"", "line 1, column 1"},
		"it refuses no turns":                    {"0\n1 Ada\n* C\n" + ben, "turns = 0"},
		"it refuses too many turns":              {"200001\n1 Ada\n* C\n" + ben, "turns = 200001"},
		"it refuses a leading zero":              {"05\n1 Ada\n* C\n" + ben, "want an integer"},
		"it refuses a plus sign":                 {"5\n1 Ada\n* C\n+1 Ben\n* C\n", "line 4, column 1"},
		"it refuses no commands":                 {"5\n0 Ada\n" + ben, "n = 0"},
		"it refuses too many commands":           {"5\n101 Ada\n" + strings.Repeat("* C\n", 101) + ben, "n = 101"},
		"it refuses too much work":               {"100000\n20 Ada\n" + strings.Repeat("* C\n", 20) + ben, "more than 2000000"},
		"it refuses fewer commands than said":    {"5\n2 Ada\n* C\n" + ben, "line 4, column 2"},
		"it refuses more commands than said":     {"5\n1 Ada\n* C\n* D\n" + ben, "line 4, column 1"},
		"it refuses a head without a name":       {"5\n1\n* C\n" + ben, "line 2, column 2"},
		"it refuses an empty name":               {"5\n1 \n* C\n" + ben, "want a word"},
		"it refuses a name with a blank":         {"5\n1 Ada L\n* C\n" + ben, "line 2, column 6"},
		"it refuses a name that is too long":     {"5\n1 " + strings.Repeat("x", 61) + "\n* C\n" + ben, "61 characters"},
		"it refuses a name that is not ASCII":    {"5\n1 Zoë\n* C\n" + ben, "not printable ASCII"},
		"it refuses a name with a control byte":  {"5\n1 A\x01\n* C\n" + ben, "not printable ASCII"},
		"it refuses the name DRAW":               {"5\n1 DRAW\n* C\n" + ben, "DRAW"},
		"it refuses an unknown command":          {"5\n1 Ada\nYOU WIN C\n" + ben, "YOU"},
		"it refuses an unknown form":             {"5\n2 Ada\nME -2 C C\n* C\n" + ben, "-2"},
		"it refuses small letters":               {"5\n1 Ada\n* c\n" + ben, `"c"`},
		"it refuses RAND for X":                  {"5\n2 Ada\nME -1 RAND C\n* C\n" + ben, "RAND"},
		"it refuses a window of 0":               {"5\n2 Ada\nME LAST 0 C C\n* C\n" + ben, "N = 0"},
		"it refuses a window of 32 bits":         {"5\n2 Ada\nME LAST 2147483648 C C\n* C\n" + ben, "N = 2147483648"},
		"it refuses a command without an action": {"5\n2 Ada\nME WIN\n* C\n" + ben, "line 3, column 7"},
		"it refuses a command with too many":     {"5\n1 Ada\n* C D\n" + ben, "line 3, column 4"},
		"it refuses two blanks":                  {"5\n1 Ada\n*  C\n" + ben, "line 3"},
		"it refuses a blank at the end":          {"5\n1 Ada\n* C \n" + ben, "line 3, column 4"},
		"it refuses a carriage return":           {"5\r\n1 Ada\n* C\n" + ben, "line 1"},
		"it refuses a missing line end":          {"5\n1 Ada\n* C\n1 Ben\n* C", "end of the line"},
		"it refuses an empty line at the end":    {"5\n1 Ada\n* C\n" + ben + "\n", "end of the file"},
		"it refuses a stuck first strategy":      {"2\n1 Ada\nSTART C\n" + ben, "in turn 2 no command of strategy 1"},
		"it refuses a stuck second strategy":     {"3\n1 Ada\n* C\n2 Ben\nSTART C\nME MAX D C\n", "in turn 2 no command of strategy 2"},
		"it refuses who is stuck at a tie":       {"3\n3 Ada\nSTART C\nME MAX C D\nME MAX D C\n" + ben, "in turn 3"},
		"it refuses who is stuck in the end only": {"9\n2 Ada\nME LAST 9 D D\nSTART D\n" + "1 Ben\nOPP LAST 8 D D\n",
			"in turn 1 no command of strategy 2"},
	} {
		t.Run(name, func(t *testing.T) {
			if complaint := validity(t, row.input); !strings.Contains(complaint, row.want) {
				t.Errorf("said %q, want %q in it", complaint, row.want)
			}
		})
	}
}
