package kit_test

import (
	"testing"

	"assay/judge/kit"
)

// BenchmarkStream sends the same small case to a checker in each language.
func BenchmarkStream(b *testing.B) {
	for _, l := range kit.Languages {
		b.Run(string(l), func(b *testing.B) {
			to, from := kit.Stream(b, l.Start(b, "checker"))
			for b.Loop() {
				if err := kit.WriteFrame(to, "check", []byte("a/b"), []byte("3 4\n"), []byte("7\n"), []byte("7\n")); err != nil {
					b.Fatal(err)
				}
				if f, err := kit.ReadFrame(from, 1<<20); err != nil || f.Verb != string(kit.OK) {
					b.Fatal(f, err)
				}
			}
		})
	}
}
