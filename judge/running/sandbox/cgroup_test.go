//go:build linux && (amd64 || arm64)

package sandbox

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestClaimBesideASweep checks that a new judge gets its group even if another judge's cleanup locks the new
// directory for a while, as on a busy machine.
func TestClaimBesideASweep(t *testing.T) {
	for name, removes := range map[string]bool{"it is swept away": true, "the sweep leaves it": false} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "own", groupPrefix+"1-1")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			sweep, err := os.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer sweep.Close()
			if err := unix.Flock(int(sweep.Fd()), unix.LOCK_EX); err != nil {
				t.Fatal(err)
			}
			var swept sync.WaitGroup
			defer swept.Wait()
			swept.Go(func() {
				time.Sleep(100 * time.Millisecond)
				if removes {
					_ = os.Remove(dir)
				}
				_ = unix.Flock(int(sweep.Fd()), unix.LOCK_UN)
			})
			var g groups
			if err := g.claim(dir); err != nil {
				t.Fatal(err)
			}
			defer g.removeDirs()
			other, err := os.Open(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if unix.Flock(int(other.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
				t.Error("what it has claimed can be swept away")
			}
		})
	}
}
