package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// runMain makes the test binary be the validator.
const runMain = "SYLVER_VALIDATOR_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

// validate runs the validator by hand on a text and returns its exit code and
// its message.
func validate(t *testing.T, text string) (code int, message string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), runMain+"=1")
	cmd.Stdin = strings.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatalf("run the validator: %v", err)
	}
	return cmd.ProcessState.ExitCode(), stderr.String()
}

func TestValidatorTakes(t *testing.T) {
	for name, text := range map[string]string{
		"no numbers":                       "0\n0\n",
		"one number at its lower bound":    "1 1\n1\n",
		"one number at its upper bound":    "1 1000000000000000000\n1000000000000000000\n",
		"two large numbers":                "2 1000000000000000000 999999999999999999\n5\n",
		"three numbers with m at its most": "3 1000000000000000000 1000000 7000000\n5\n",
		"k m at its most, four numbers":    "4 1000000 1000000 1000000 1000000\n5\n",
		"k m at its most, twenty numbers":  "20" + strings.Repeat(" 200000", 20) + "\n5\n",
		"repeats out of order":             "5 9 3 9 3 7\n9\n",
	} {
		t.Run(name, func(t *testing.T) {
			if code, message := validate(t, text); code != 0 {
				t.Errorf("validate(%q) exits with %d: %s", text, code, message)
			}
		})
	}
}

func TestValidatorRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing at all":               "",
		"an empty line":                "\n",
		"no x":                         "1 5\n",
		"no end of line behind x":      "1 5\n7",
		"a line too many":              "1 5\n7\n\n",
		"a number too many on line 2":  "1 5\n7 8\n",
		"fewer numbers than k":         "2 5\n7\n",
		"more numbers than k":          "1 5 6\n7\n",
		"everything on one line":       "1 5 7\n",
		"a blank behind k = 0":         "0 \n7\n",
		"a blank at a line's end":      "1 5 \n7\n",
		"a blank at a line's start":    " 1 5\n7\n",
		"two blanks":                   "1  5\n7\n",
		"a tab":                        "1\t5\n7\n",
		"a carriage return":            "1 5\r\n7\r\n",
		"a byte order mark":            "\ufeff1 5\n7\n",
		"k below 0":                    "-1\n7\n",
		"k above 20":                   "21" + strings.Repeat(" 5", 21) + "\n7\n",
		"the number 0":                 "1 0\n7\n",
		"a negative number":            "2 5 -6\n7\n",
		"a number above 10^18":         "1 1000000000000000001\n7\n",
		"a number of twenty digits":    "1 18446744073709551617\n7\n",
		"a negative x":                 "1 5\n-1\n",
		"x above 10^18":                "1 5\n1000000000000000001\n",
		"a leading zero":               "1 05\n7\n",
		"a plus sign":                  "1 5\n+7\n",
		"minus zero":                   "1 5\n-0\n",
		"a fraction":                   "1 5\n7.0\n",
		"an exponent":                  "1 1e3\n7\n",
		"a hexadecimal number":         "1 0x5\n7\n",
		"an underscore":                "1 1_000\n7\n",
		"a word":                       "1 five\n7\n",
		"m above 10^6 with three":      "3 1000001 1000001 1000001\n7\n",
		"k m above 4000000 with four":  "4 1000000000 1000001 1000002 1000003\n7\n",
		"k m above 4000000 with five":  "5 800001 900000 900000 900000 900000\n7\n",
		"k m above 4000000 at k = 20":  "20" + strings.Repeat(" 200001", 20) + "\n7\n",
		"a digit that is not ASCII":    "1 ٥\n7\n",
		"a zero byte behind x":         "1 5\n7\x00\n",
		"the numbers on a second line": "2\n5 6\n7\n",
	} {
		t.Run(name, func(t *testing.T) {
			if code, message := validate(t, text); code != 3 || message == "" {
				t.Errorf("validate(%q) exits with %d and says %q, want 3 and a reason", text, code, message)
			}
		})
	}
}
