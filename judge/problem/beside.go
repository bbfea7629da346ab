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

// Files of a case in addition to its input and answer. They override the settings of its group, and exist
// only for cases written by hand:
//
//	cases/<group>/<name>.toml     which program gets which arguments
//	cases/<group>/<name>.files/   what a submission finds in its working directory

// besideCase is <name>.toml. If a key is missing, the group's setting applies.
type besideCase struct {
	Args        []string `toml:"args"`
	CheckerArgs []string `toml:"checker_args"`
	InputArgs   []string `toml:"validator_args"`
}

// fitCases applies the settings of groups and the files beside cases to the cases. If the problem needs no
// answers, it removes the path of an answer that does not exist. The groups must have been read.
func (f *Directory) fitCases(t *table) (faults judge.ProblemErrors) {
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
			if _, err := os.Stat(c.Ans); err != nil && f.LacksAnswers() {
				c.Ans = ""
			}
		}
	}
	return faults
}

// readBeside reads the additional files of a case written by hand.
func readBeside(c *judge.Case) (faults judge.ProblemErrors) {
	base := strings.TrimSuffix(c.In, ".in")
	if data, err := os.ReadFile(base + ".toml"); err == nil {
		own := besideCase{c.Args, c.CheckerArgs, c.ValidatorArgs}
		_, faults = strict.Decode(base+".toml", data, &own)
		c.Args, c.CheckerArgs, c.ValidatorArgs = own.Args, own.CheckerArgs, own.InputArgs
	} else if !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, &judge.ProblemError{File: base + ".toml", Text: Reason(err)})
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
			faults = append(
				faults,
				&judge.ProblemError{
					File: path, Text: "neither a file nor a directory",
					Hint: "put a copy of the file there: links are not followed",
				},
			)
		}
		return nil
	})
	if err != nil {
		faults = append(faults, &judge.ProblemError{File: dir, Text: Reason(err)})
	}
	return faults
}

// readInclude finds the files that submissions are built with, and makes the files of include/default visible to
// submissions, as in the format 2025-09. The cases must be complete.
func (f *Directory) readInclude() judge.ProblemErrors {
	dir := filepath.Join(f.Dir, Include)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	included, err := f.formats.Assemble(f.Problem)
	if err != nil {
		return judge.ProblemErrors{{File: dir, Text: Reason(err)}}
	}
	included.ShowIncluded()
	f.Included = included
	return nil
}

// Include is the directory that contains the files that submissions are built with.
const Include = "include"
