package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/workspace"
)

// mostSample is the maximum number of bytes of a sample input or answer that a page shows. The problem's own
// statement contains the rest.
const mostSample = 64 << 10

// sheet returns the problem metadata that a server shows to contestants. If the problem has no statement, the
// metadata contains none.
func sheet(ctx context.Context, contest *workspace.Workspace, f *workspace.Problem) (*client.Sheet, error) {
	s := &client.Sheet{
		Format: client.SheetFormat, Title: f.Title, TimeMS: f.Limits.CPU.Milliseconds(),
		Memory: f.Limits.Memory, Output: f.Limits.Output, Golf: f.Golf != nil,
	}
	for _, g := range f.Groups {
		s.Cases += len(g.Cases)
	}
	if err := statements(ctx, s, contest, f); err != nil {
		return nil, err
	}
	if f.Golf != nil {
		text, err := contest.GolfStatement(ctx, f)
		if _, fault := errors.AsType[*judge.Fault](err); err != nil && !fault { // judge verify reports faults
			return nil, err
		}
		s.GolfStatement = strings.ToValidUTF8(string(text), "\uFFFD")
		s.GolfPictures = shownFiles(s, f.PicturesOf(text, cmp.Or(f.Golf.Statement, f.Statement())))
	}
	for _, g := range f.Groups {
		if g.Name != judge.Sample && !strings.HasPrefix(g.Name, judge.Sample+"/") {
			continue
		}
		for _, c := range g.Cases {
			sample := client.Sample{Name: c.Name}
			for path, to := range map[string]*string{c.In: &sample.In, c.Ans: &sample.Ans} {
				if path == "" {
					continue
				}
				text, more, err := beginning(path)
				if err != nil {
					return nil, err
				}
				*to, sample.Cut = text, sample.Cut || more
			}
			s.Samples = append(s.Samples, sample)
		}
	}
	for _, l := range contest.Config.Languages {
		s.Languages = append(s.Languages, client.OfferedLanguage{ID: l.ID, Name: l.Name, Extensions: l.Extensions})
	}
	if f.Game != nil {
		var err error
		if s.Game, err = sheetGame(contest, f); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// statements adds the statements of all languages to a sheet, with the files that they show and the
// attachments. Files that cannot be read are omitted; judge verify reports them.
func statements(ctx context.Context, s *client.Sheet, contest *workspace.Workspace, f *workspace.Problem) error {
	for _, language := range f.Languages() {
		read, err := f.ReadStatement(language)
		if err != nil {
			continue
		}
		if err := contest.Convert(ctx, read.Pictures); err != nil {
			return err
		}
		one := client.SheetStatement{Language: language, Pictures: shownFiles(s, read.Pictures)}
		if !read.Only {
			one.Text = strings.ToValidUTF8(string(read.Markdown), "\uFFFD")
		}
		if read.Document != nil {
			one.Document = addFile(s, read.Document, false)
		}
		s.Statements = append(s.Statements, one)
	}
	for _, given := range f.GivenFiles() {
		addFile(s, given, true)
	}
	return nil
}

// shownFiles adds pictures to s, and maps their paths to their names in s.
func shownFiles(s *client.Sheet, all map[string]*workspace.StatementFile) map[string]string {
	names := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		names[path] = addFile(s, all[path], false)
	}
	return names
}

func addFile(s *client.Sheet, f *workspace.StatementFile, attached bool) (name string) {
	name = f.Name
	if old := s.File(name); old != nil && old.Attached == attached {
		return name
	} else if old != nil { // attachment names are short
		name = "attachments/" + name
	}
	one := client.SheetFile{
		Name: name, Type: f.Type, Size: int64(len(f.Data)), Digest: blob.Of(f.Data), Width: f.Width, Height: f.Height, Attached: attached,
	}
	if f.Made {
		one.Data = f.Data
	}
	s.Files = append(s.Files, one)
	return name
}

// sheetGame returns the game metadata that bot authors see.
func sheetGame(contest *workspace.Workspace, f *workspace.Problem) (*client.SheetGame, error) {
	game := &client.SheetGame{Files: f.Game.Files, Tester: f.Game.Tester != "", Meanings: f.Game.Meanings}
	for _, set := range f.Game.Rules {
		game.Rules = append(game.Rules, client.SheetRules{Name: set.Name, Title: set.Title})
	}
	guide, _, err := contest.Guide(f)
	if _, fault := errors.AsType[*judge.Fault](err); err != nil && fault {
		return game, nil // judge verify reports faults
	}
	if err != nil {
		return nil, err
	}
	game.Statement, game.Adapted = guide.Statement, guide.Adapted
	for _, e := range guide.Examples {
		game.Examples = append(game.Examples, client.SheetBot(e))
	}
	return game, nil
}

func beginning(path string) (text string, more bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostSample+1))
	if len(data) > mostSample {
		data, more = data[:mostSample], true
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), more, err
}
