package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// runMain makes the test binary be the validator.
const runMain = "WYTHOFF_VALIDATOR_MAIN"

func TestMain(m *testing.M) {
	if os.Getenv(runMain) == "1" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestValidator(t *testing.T) {
	tests := []struct {
		name  string
		input string
		valid bool
	}{
		{"takes two empty piles", "0 0\n", true},
		{"takes the largest piles", "1000000000000000000 1000000000000000000\n", true},
		{"takes piles in either order", "9 5\n", true},
		{"refuses the empty file", "", false},
		{"refuses an empty line", "\n", false},
		{"refuses one pile", "5\n", false},
		{"refuses one pile and a blank", "5 \n", false},
		{"refuses three piles", "5 9 1\n", false},
		{"refuses a missing line end", "5 9", false},
		{"refuses a second line", "5 9\n5 9\n", false},
		{"refuses an empty line behind", "5 9\n\n", false},
		{"refuses a file of two lines with one number each", "5\n9\n", false},
		{"refuses a negative first pile", "-1 5\n", false},
		{"refuses a negative second pile", "5 -1\n", false},
		{"refuses a first pile above the largest", "1000000000000000001 0\n", false},
		{"refuses a second pile above the largest", "0 1000000000000000001\n", false},
		{"refuses a pile that wraps at 64 bits", "18446744073709551617 0\n", false},
		{"refuses a number with hundreds of digits", strings.Repeat("9", 300) + " 1\n", false},
		{"refuses a leading zero", "05 9\n", false},
		{"refuses a double zero", "00 9\n", false},
		{"refuses a plus sign", "+5 9\n", false},
		{"refuses a negative zero", "-0 9\n", false},
		{"refuses a leading blank", " 5 9\n", false},
		{"refuses a trailing blank", "5 9 \n", false},
		{"refuses two blanks", "5  9\n", false},
		{"refuses a tab", "5\t9\n", false},
		{"refuses a comma", "5,9\n", false},
		{"refuses a line that ends with CR LF", "5 9\r\n", false},
		{"refuses a byte order mark", "\ufeff5 9\n", false},
		{"refuses a NUL", "5 9\x00\n", false},
		{"refuses a fraction", "5.0 9\n", false},
		{"refuses an exponent", "1e3 9\n", false},
		{"refuses hexadecimal", "0x5 9\n", false},
		{"refuses an underscore", "1_000 9\n", false},
		{"refuses other digits", "٥ 9\n", false},
		{"refuses words", "five nine\n", false},
		{"refuses brackets", "(5, 9)\n", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			want := 3
			if test.valid {
				want = 0
			}
			if code := validate(t, test.input); code != want {
				t.Errorf("the validator exits with %d on %q, want %d", code, test.input, want)
			}
		})
	}
}

// validate runs the validator by hand on a text, and returns its exit code.
func validate(t *testing.T, input string) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env, cmd.Stdin = append(os.Environ(), runMain+"=1"), strings.NewReader(input)
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatalf("run the validator: %v", err)
	}
	return cmd.ProcessState.ExitCode()
}
