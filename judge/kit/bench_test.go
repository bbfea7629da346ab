package kit_test

import (
	"bufio"
	"testing"

	"assay/judge/kit"
)

// BenchmarkStream asks a checker about a small case, over and over, in each language.
func BenchmarkStream(b *testing.B) {
	for _, w := range []writer{inGo, inPython} {
		b.Run(string(w), func(b *testing.B) {
			cmd := w.start(b, "checker")
			cmd.Env = append(cmd.Env, kit.StreamEnv+"=1")
			to, err := cmd.StdinPipe()
			if err != nil {
				b.Fatal(err)
			}
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				b.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				b.Fatal(err)
			}
			from := bufio.NewReader(stdout)
			if _, err := from.ReadString('\n'); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := kit.WriteFrame(to, "check", []byte("a/b"), []byte("3 4\n"), []byte("7\n"), []byte("7\n")); err != nil {
					b.Fatal(err)
				}
				if f, err := kit.ReadFrame(from, 1<<20); err != nil || f.Verb != string(kit.OK) {
					b.Fatal(f, err)
				}
			}
			b.StopTimer()
			to.Close()
			if err := cmd.Wait(); err != nil {
				b.Fatal(err)
			}
		})
	}
}
