//go:build linux

package sandboxtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"assay/judge"
)

// writables checks the limits of writable directories.
func (su *suite) writables(t *testing.T) {
	for _, row := range []struct {
		name         string
		bytes, files int64
		argv         []string
		killed       judge.Resource
		needs        Ability
	}{
		{"it lets a program write what it may", 32 << 20, 100, []string{"fill", ".", "16"}, "", 0},
		{"it kills for bytes that are too many", 16 << 20, 100, []string{"fill", ".", "600"}, judge.Output, 0},
		{"it kills for files that are too many", 16 << 20, 1000, []string{"many-files"}, judge.Output, 0},
		{"it kills for directories that are too deep", 1 << 30, 3000, []string{"nest", "4000"}, judge.Output, 0},
		{"it kills for bytes in a file that has no name any more", 16 << 20, 100, []string{"fill-unlinked", "600"}, judge.Output, 0},
		{"it kills for bytes that only its memory leads to", 16 << 20, 100, []string{"fill-mapped", "600"}, judge.Output, 0},
		{"it prevents allocation by older calls", 16 << 20, 100, []string{"reserve-room"}, "", Isolates},
		{"it prevents allocation without writing", 16 << 20, 100, []string{"allocate", ".", "12"}, "", Isolates},
	} {
		if row.needs&^su.can != 0 {
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			room := t.TempDir()
			if err := os.Chmod(room, 0o777); err != nil {
				t.Fatal(err)
			}
			c := su.command(generousLimits, append([]string{hostileName}, row.argv...)...)
			c.Mounts = append(c.Mounts, judge.Mount{Host: room, At: "/room", Writable: true, Bytes: row.bytes, Files: row.files})
			c.Dir, c.Limits.Wall = "/room", time.Minute
			got := su.run(t, c)
			if got.Killed != row.killed || row.killed == "" && got.Exit != 0 {
				t.Errorf("got %+v, want killed for %q; it says %s", got.Exec, row.killed, got.stderr)
			}
			var bytes, files int64
			_ = filepath.WalkDir(room, func(path string, d fs.DirEntry, err error) error {
				if info, infoErr := d.Info(); err == nil && infoErr == nil {
					files++
					bytes += info.Size()
				}
				return nil
			})
			t.Logf("it left %d files and %d bytes", files, bytes)
		})
	}
	t.Run("it refuses bounds that mean nothing", func(t *testing.T) {
		c := su.command(generousLimits, "noop")
		c.Mounts[0].Bytes = 1
		if _, err := su.s.Run(t.Context(), c); err == nil {
			t.Error("a directory that programs cannot write to has a bound")
		}
	})
}
