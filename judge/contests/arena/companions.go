package arena

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"

	"assay/judge/internal/pattern"
)

// importLine matches lines that may import other files, in any language.
var importLine = pattern.New(`(?m)^.*(?:import|require|include).*$`)

// Companions returns the other files that an adapter may need for a bot that is a single file. These are files in
// the bot's directory and its subdirectories that the bot's text imports or names, directly or indirectly. If a
// bot is played on another machine, all of them must be sent with it, because only that machine knows the adapter.
// Paths are relative to the bot's directory.
func Companions(bot string) (files []string) {
	if info, err := os.Stat(bot); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	folder, own := filepath.Dir(bot), filepath.Base(bot)
	entries, _ := os.ReadDir(folder)
	todo, seen := []string{own}, map[string]bool{}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		text, err := readBot(filepath.Join(folder, name))
		if seen[name] || err != nil {
			continue
		}
		seen[name] = true
		if name != own {
			files = append(files, name)
		}
		lines := bytes.Join(importLine().FindAll(text, -1), []byte("\n"))
		names := func(before, word, after string) bool { return bytes.Contains(text, []byte(before+word+after)) }
		for _, e := range entries {
			name := e.Name()
			stem := regexp.MustCompile(`\b` + regexp.QuoteMeta(name[:len(name)-len(path.Ext(name))]) + `\b`)
			switch {
			case hidden(name):
			case e.IsDir() && (stem.Match(lines) || names("", name, "/") || names(`"`, name, `"`) || names("'", name, "'")):
				for _, below := range filesIn(filepath.Join(folder, name)) {
					todo = append(todo, filepath.Join(name, below))
				}
			case e.Type().IsRegular() && path.Ext(name) != "" && (stem.Match(lines) || names("", name, "")):
				todo = append(todo, name)
			}
		}
	}
	slices.Sort(files)
	return files
}
