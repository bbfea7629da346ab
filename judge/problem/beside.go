package problem

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/internal/strict"
)

// What a case has beside its input and answer: what its group says, and, for a case
// written by hand,
//
//	cases/<group>/<name>.toml     who is given which arguments
//	cases/<group>/<name>.files/   what a submission finds in its working directory

// besideCase is <name>.toml. A key that is not there leaves what the group says.
type besideCase struct {
	Args        []string `toml:"args"`
	CheckerArgs []string `toml:"checker_args"`
	InputArgs   []string `toml:"validator_args"`
}

// fitCases gives the cases what they have beside their files, and takes the answers
// away that nobody needs to write. The groups must have been read.
func (f *Folder) fitCases(t *table) (faults judge.Faults) {
	for g := range f.Groups {
		var common besideCase
		if i := slices.IndexFunc(t.Group, func(row group) bool { return row.Name == f.Groups[g].Name }); i >= 0 {
			common = besideCase{Args: t.Group[i].Args, CheckerArgs: t.Group[i].CheckerArgs, InputArgs: t.Group[i].InputArgs}
		}
		for i := range f.Groups[g].Cases {
			c := &f.Groups[g].Cases[i]
			c.Args, c.CheckerArgs, c.ValidatorArgs = common.Args, common.CheckerArgs, common.InputArgs
			if c.Line != "" {
				continue
			}
			faults = append(faults, readBeside(c)...)
			if _, err := os.Stat(c.Ans); err != nil && f.Unanswered() {
				c.Ans = ""
			}
		}
	}
	return faults
}

// readBeside reads what stands beside a case written by hand.
func readBeside(c *judge.Case) (faults judge.Faults) {
	base := strings.TrimSuffix(c.In, ".in")
	if data, err := os.ReadFile(base + ".toml"); err == nil {
		own := besideCase{c.Args, c.CheckerArgs, c.ValidatorArgs}
		_, faults = strict.Decode(base+".toml", data, &own)
		c.Args, c.CheckerArgs, c.ValidatorArgs = own.Args, own.CheckerArgs, own.InputArgs
	} else if !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, &judge.Fault{File: base + ".toml", Text: Reason(err)})
	}
	dir := base + ".files"
	if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
		return faults
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Type().IsRegular():
			name, err := filepath.Rel(dir, path)
			c.Files = append(c.Files, judge.CaseFile{Name: filepath.ToSlash(name), Path: path})
			return err
		case !d.IsDir():
			faults = append(faults, &judge.Fault{File: path, Text: "neither a file nor a folder", Hint: "put a copy of the file there: links are not followed"})
		}
		return nil
	})
	if err != nil {
		faults = append(faults, &judge.Fault{File: dir, Text: Reason(err)})
	}
	return faults
}

// readInclude finds the files that submissions are built with, and shows them those of
// include/default, as the format 2025-09 does. The cases must be whole.
func (f *Folder) readInclude() judge.Faults {
	dir := filepath.Join(f.Dir, Include)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	included, err := f.formats.Assemble(f.Problem)
	if err != nil {
		return judge.Faults{{File: dir, Text: Reason(err)}}
	}
	included.ShowIncluded()
	f.Included = included
	return nil
}

// Include is the folder of what submissions are built with.
const Include = "include"
