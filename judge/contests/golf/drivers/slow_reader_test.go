package drivers_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestASlowReader checks that no output of a submission is lost if a busy judge reads it late. Node.js does not
// wait by itself: it fails with EAGAIN.
func TestASlowReader(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no node: apt-get install nodejs")
	}
	driver, err := os.ReadFile("javascript/driver.js")
	if err != nil {
		t.Fatal(err)
	}
	const inputs, each = 40, 10_000
	for how, answer := range map[string]string{
		"console.log":          `(i,j)=>console.log("x".repeat(9999))`,
		"process.stdout.write": `(i,j)=>{process.stdout.write("x".repeat(9999)+"\n")}`,
		"fs.writeSync":         `(i,j)=>{require("fs").writeSync(1,"x".repeat(9999)+"\n")}`,
	} {
		t.Run(how, func(t *testing.T) {
			dir := t.TempDir()
			text := strings.NewReplacer("{name}", "", "{call}", "f(...a)").Replace(string(driver))
			for name, data := range map[string]string{"main.js": text, "answer": answer} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "node", "main.js")
			cmd.Dir, cmd.Stdin = dir, strings.NewReader("M\n"+strings.Repeat("1 2\n", inputs))
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(500 * time.Millisecond) // until the pipe is full
			got, err := io.ReadAll(out)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			if err != nil || strings.Count(string(got), "x") != inputs*(each-1) || strings.Contains(string(got), "EAGAIN") {
				t.Errorf(
					"%v: %d bytes with %d letters of %d, EAGAIN: %t", err, len(got),
					strings.Count(string(got), "x"), inputs*(each-1), strings.Contains(string(got), "EAGAIN"),
				)
			}
		})
	}
}
