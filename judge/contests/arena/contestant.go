package arena

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"assay/judge/problem"
	"assay/judge/running/lang"
)

// NewContestant makes a contestant from a file or directory. The file can be a program in any language or a bot for which
// the game has an adapter. If the game's contestants are files, it can be any file. A program that does not
// compile gives a contestant that is Broken. All other failures are errors. If language is empty, it is detected.
func NewContestant(ctx context.Context, g *problem.Game, tools *lang.Toolbox, file, language string) (*Contestant, error) {
	c := &Contestant{Bot: Bot{File: file, Name: nameOf(file)}}
	if g.Files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("read a contestant: %w", err)
		}
		sum := sha256.Sum256(text)
		c.Text, c.Hash = text, hex.EncodeToString(sum[:])
		return c, nil
	}
	source := file
	a, main, chose := adapterOf(g, file)
	c.ChosenFile = chose
	if a != nil {
		dir, err := os.MkdirTemp("", "assay-bot-*")
		if err != nil {
			return nil, fmt.Errorf("adapt a bot: %w", err)
		}
		defer os.RemoveAll(dir)
		if source, err = a.assemble(dir, file, main); err != nil {
			return nil, fmt.Errorf("adapt the bot %s: %w", file, err)
		}
	}
	l, err := tools.Detect(source, language)
	if err != nil {
		return nil, withUserPath(err, source, file)
	}
	made, err := tools.Build(ctx, source, l)
	if err != nil {
		return nil, withUserPath(err, source, file)
	}
	c.Language = l.ID
	if !made.OK {
		c.Broken = "it does not compile: " + strings.ReplaceAll(strings.TrimSpace(made.Log), source+"/", "")
		sum := sha256.Sum256([]byte(made.Log))
		c.Hash = hex.EncodeToString(sum[:])
		return c, nil
	}
	c.Program, c.Hash = made.Program, made.Program.Key
	c.Program.Name = file
	return c, nil
}

// BrokenContestant makes a contestant from a file that NewContestant rejected. If the file exists but is not usable
// as a bot, the contestant is disqualified for that reason, and the others continue to play. For any other error,
// BrokenContestant returns nil.
func BrokenContestant(file string, err error) *Contestant {
	unusable, ok := errors.AsType[*lang.UnusableError](err)
	if _, gone := os.Stat(file); !ok || gone != nil {
		return nil
	}
	why := "it is not a bot: " + unusable.Fault.Text
	sum := sha256.Sum256([]byte(why))
	return &Contestant{Bot: Bot{File: file, Name: nameOf(file), Hash: hex.EncodeToString(sum[:])}, Broken: why}
}

// MadeFor returns the rule set for which an adapted bot was made, according to its text. It returns "" if the text
// does not name one.
func MadeFor(g *problem.Game, file string) string {
	a, main, _ := adapterOf(g, file)
	if a == nil {
		return ""
	}
	text, err := readBot(main)
	if err != nil {
		return ""
	}
	for i := range g.Rules {
		if form := g.Rules[i].Form; form != nil && form.Match(text) {
			return g.Rules[i].Name
		}
	}
	return ""
}

// withUserPath replaces the path in an error about an adapted bot with the name that the user gave.
func withUserPath(err error, assembled, file string) error {
	if e, ok := errors.AsType[*lang.UnusableError](err); ok && assembled != file {
		fault := *e.Fault
		fault.File = file
		return &lang.UnusableError{Fault: &fault}
	}
	return err
}

// nameOf returns a bot's name. It is the file name without its extension, limited to characters that every
// protocol allows.
func nameOf(file string) string {
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	base := filepath.Base(file)
	name := strings.TrimSuffix(base, path.Ext(base))
	name = strings.Map(func(r rune) rune {
		if r <= ' ' || r == 0xFFFD || r == 0x7f {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	if name == "" {
		return "bot"
	}
	return name
}

// MakeNamesUnique makes the names of contestants unique. If several share a name, 2 is appended to the name of the second
// one, and so on.
func MakeNamesUnique(contestants []*Contestant) {
	taken := map[string]bool{}
	for _, c := range contestants {
		taken[c.Name] = true
	}
	used := map[string]bool{}
	for _, c := range contestants {
		name := c.Name
		for n := 2; used[name] || name != c.Name && taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", c.Name, n)
		}
		c.Name = name
		used[name] = true
	}
}

// adapter is one of a game's adapters.
type adapter struct{ *problem.Adapter }

// adapterOf finds the adapter for a bot, and the bot's main file. In a directory, the main file is the one with an
// entry name, or otherwise the only file that an adapter accepts. If an entry takes precedence over other possible
// files, chose describes this. An entry does not need an adapter.
func adapterOf(g *problem.Game, file string) (took *adapter, main, chose string) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, "", ""
	}
	for i := range g.Adapters {
		a := &adapter{&g.Adapters[i]}
		if info.Mode().IsRegular() {
			if text, err := readBot(file); err == nil && a.Takes(extension(file), text) {
				return a, file, ""
			}
			continue
		}
		entry := a.entryOf(file)
		mains := a.mains(file)
		others := slices.DeleteFunc(slices.Clone(mains), func(main string) bool { return main == entry })
		if entry != "" && len(others) > 0 {
			for i := range others {
				others[i] = filepath.Base(others[i])
			}
			chose = fmt.Sprintf(
				"%s starts the bot because of its name; %s in the same directory could also be a bot, and is not played by itself",
				filepath.Base(entry), strings.Join(others, ", "),
			)
		}
		switch {
		case entry != "" && slices.Contains(mains, entry):
			return a, entry, chose
		case entry != "":
			return nil, "", chose
		case len(mains) == 1:
			return a, mains[0], ""
		}
	}
	return nil, "", chose
}

// entryOf returns the file in a directory that has an entry name. It returns "" if there is none.
func (a *adapter) entryOf(folder string) string {
	for _, name := range a.Entry {
		if info, err := os.Stat(filepath.Join(folder, name)); err == nil && info.Mode().IsRegular() {
			return filepath.Join(folder, name)
		}
	}
	return ""
}

// mains returns the files in a directory whose text the adapter accepts.
func (a *adapter) mains(folder string) (mains []string) {
	for _, ext := range a.Extensions {
		files, _ := filepath.Glob(filepath.Join(escapeGlob(folder), "*."+ext))
		for _, f := range files {
			if text, err := readBot(f); err == nil && a.Takes(ext, text) &&
				slices.ContainsFunc(a.Main, func(re *regexp.Regexp) bool { return re.Match(text) }) {
				mains = append(mains, f)
			}
		}
	}
	return mains
}

// maxBot is the maximum size, in bytes, of a file that is searched.
const maxBot = 8 << 20

func readBot(file string) ([]byte, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxBot || info.Size() == 0 {
		return nil, fmt.Errorf("%s has %d bytes", file, info.Size())
	}
	return os.ReadFile(file)
}

func extension(file string) string { return strings.TrimPrefix(path.Ext(filepath.ToSlash(file)), ".") }

func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// assemble combines the adapter and the bot into one program. It copies the adapter's files, and copies the bot's file,
// with the files that it imports or names, to the directory As. If the bot is a directory, all its files are
// copied. The file "entry" contains the name of the bot's file.
func (a *adapter) assemble(dir, file, main string) (string, error) {
	if err := os.CopyFS(dir, os.DirFS(a.Folder)); err != nil {
		return "", err
	}
	home := filepath.Join(dir, a.As)
	if err := os.MkdirAll(home, 0o755); err != nil {
		return "", err
	}
	entry := nameOf(main) + path.Ext(main)
	if strings.HasPrefix(entry, "-") || strings.HasPrefix(entry, ".") {
		entry = "_" + entry
	}
	if err := os.WriteFile(filepath.Join(dir, "entry"), []byte(entry), 0o644); err != nil {
		return "", err
	}
	from := filepath.Dir(main)
	todo, seen := []string{filepath.Base(main)}, map[string]bool{}
	if file != main {
		todo = append(todo, filesIn(from)...)
	}
	for len(todo) > 0 {
		name := todo[0]
		todo = todo[1:]
		text, err := readBot(filepath.Join(from, name))
		if seen[name] || err != nil {
			continue
		}
		seen[name] = true
		as := name
		if name == filepath.Base(main) {
			as = entry
		}
		if err := os.MkdirAll(filepath.Join(home, filepath.Dir(as)), 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(home, as), text, 0o644); err != nil {
			return "", err
		}
		todo = append(todo, a.importedFiles(text, from)...)
	}
	return dir, nil
}

// maxCopiedFiles is the maximum number of files that are copied with a bot from one directory.
const maxCopiedFiles = 2000

// filesIn lists the files in a directory and its subdirectories, by relative path.
func filesIn(folder string) (files []string) {
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		name, bad := filepath.Rel(folder, path)
		switch {
		case err != nil || bad != nil || d.IsDir() && hidden(d.Name()) && name != ".":
			return fs.SkipDir // the bot does not need unreadable files
		case len(files) == maxCopiedFiles:
			return fs.SkipAll
		case d.Type().IsRegular() && !hidden(d.Name()):
			files = append(files, name)
		}
		return nil
	})
	return files
}

// hidden reports whether a file is hidden, or was left behind by a program.
func hidden(name string) bool { return strings.HasPrefix(name, ".") || name == "__pycache__" }

// importedFiles returns the files of a directory that the text imports or names, directly or indirectly. If it imports or
// names a directory, all files of that directory are included.
func (a *adapter) importedFiles(text []byte, folder string) (files []string) {
	imported := map[string]bool{}
	for _, re := range a.Imports {
		for _, m := range re.FindAllSubmatch(text, -1) {
			for _, name := range bytes.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune(", \t", r) }) {
				first, _, _ := strings.Cut(strings.TrimLeft(string(name), "."), ".")
				imported[first] = true
			}
		}
	}
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		name := e.Name()
		names := func(parts ...string) bool { return bytes.Contains(text, []byte(strings.Join(parts, name))) }
		switch {
		case hidden(name):
		case e.IsDir() && (imported[name] || names("", "/") || names(`"`, `"`) || names("'", "'")):
			for _, below := range filesIn(filepath.Join(folder, name)) {
				files = append(files, filepath.Join(name, below))
			}
		case e.IsDir() || path.Ext(name) == "":
		case imported[strings.TrimSuffix(name, path.Ext(name))] && slices.Contains(a.Extensions, extension(name)), names("", ""):
			files = append(files, name)
		}
	}
	return files
}
