package main

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"assay/judge/kit"
)

// TestMain lets the test binary stand in for the validator.
func TestMain(m *testing.M) {
	if os.Getenv(kit.StreamEnv) == "1" {
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
	validate := startValidator(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if f := validate(test.input); (f.Verb == string(kit.OK)) != test.valid {
				t.Errorf("validator(%q) = %s (%s), want valid = %v", test.input, f.Verb, f.Parts, test.valid)
			}
		})
	}
}

// startValidator starts the validator and returns a function that asks it.
func startValidator(t *testing.T) func(input string) kit.Frame {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), kit.StreamEnv+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Wait() // the context may have killed it
	})
	replies := bufio.NewReader(stdout)
	if hello, err := replies.ReadString('\n'); err != nil || hello != kit.Hello+" validator\n" {
		t.Fatalf("the validator says %q (%v)", hello, err)
	}
	return func(input string) kit.Frame {
		t.Helper()
		if err := kit.WriteFrame(stdin, "validate", []byte("a case"), []byte(input)); err != nil {
			t.Fatal(err)
		}
		f, err := kit.ReadFrame(replies, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
}
