package lang

import (
	"slices"

	"assay/judge/running/config"
)

var UsualEntry = standardEntry

var WriteUnder = writeUnder

// BoundKept sets the size limit of the languages' own caches.
func (t *Toolbox) BoundKept(bytes int64) { t.cache.ownLimits.Bytes = bytes }

// Idle makes the toolbox treat the machine as idle.
func (t *Toolbox) Idle() { t.overloaded = func() bool { return false } }

// Unnamed returns the only source that no other source mentions.
func Unnamed(files map[string]string) string {
	src := &source{}
	for name, text := range files {
		src.sources, src.files = append(src.sources, name), append(src.files, sourceFile{name, []byte(text)})
	}
	return src.onlyUnmentioned()
}

// Commands returns the commands of a language for a program of several files.
func Commands(l *config.Language, entry string, sources ...string) (all [][]string) {
	for _, command := range append(slices.Clone(l.Build), l.Run) {
		all = append(all, (&toolchain{}).command(command, map[string]string{config.Entry: entry}, sources))
	}
	return all
}
