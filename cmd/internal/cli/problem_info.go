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

// maxSample is the maximum number of bytes of a sample input or answer that a page shows. The problem's own
// statement contains the rest.
const maxSample = 64 << 10

// problemInfo returns the problem metadata that a server shows to contestants. If the problem has no statement, the
// metadata contains none.
func problemInfo(ctx context.Context, contest *workspace.Workspace, f *workspace.Problem) (*client.ProblemInfo, error) {
	s := &client.ProblemInfo{
		Format: client.ProblemInfoFormat, Title: f.Title, TimeMS: f.Limits.CPU.Milliseconds(),
		Memory: f.Limits.Memory, Output: f.Limits.Output, Golf: f.Golf != nil,
	}
	for _, g := range f.Groups {
		s.Cases += len(g.Cases)
	}
	if err := addStatements(ctx, s, contest, f); err != nil {
		return nil, err
	}
	if f.Golf != nil {
		text, err := contest.GolfStatement(ctx, f)
		if _, fault := errors.AsType[*judge.ProblemError](err); err != nil && !fault { // judge verify reports faults
			return nil, err
		}
		s.GolfStatement = strings.ToValidUTF8(string(text), "\uFFFD")
		s.GolfPictures = addPictures(s, f.ReadPictures(text, cmp.Or(f.Golf.Statement, f.Statement())))
	}
	for _, g := range f.Groups {
		if g.Name != judge.SampleGroup && !strings.HasPrefix(g.Name, judge.SampleGroup+"/") {
			continue
		}
		for _, c := range g.Cases {
			sample := client.Sample{Name: c.Name}
			for path, to := range map[string]*string{c.In: &sample.In, c.Ans: &sample.Ans} {
				if path == "" {
					continue
				}
				text, more, err := readBeginning(path)
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
		if s.Game, err = gameInfo(contest, f); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// addStatements adds the statements of all languages to a problem's metadata, with the files that they show and the
// attachments. Files that cannot be read are omitted; judge verify reports them.
func addStatements(ctx context.Context, s *client.ProblemInfo, contest *workspace.Workspace, f *workspace.Problem) error {
	for _, language := range f.Languages() {
		read, err := f.ReadStatement(language)
		if err != nil {
			continue
		}
		if err := contest.ConvertPictures(ctx, read.Pictures); err != nil {
			return err
		}
		one := client.Statement{Language: language, Pictures: addPictures(s, read.Pictures)}
		if !read.DocumentOnly {
			one.Text = strings.ToValidUTF8(string(read.Markdown), "\uFFFD")
		}
		if read.Document != nil {
			one.Document = addFile(s, read.Document, false)
		}
		s.Statements = append(s.Statements, one)
	}
	for _, given := range f.Attachments() {
		addFile(s, given, true)
	}
	return nil
}

// addPictures adds pictures to s, and maps their paths to their names in s.
func addPictures(s *client.ProblemInfo, pictures map[string]*workspace.StatementFile) map[string]string {
	names := map[string]string{}
	for _, path := range slices.Sorted(maps.Keys(pictures)) {
		names[path] = addFile(s, pictures[path], false)
	}
	return names
}

func addFile(s *client.ProblemInfo, f *workspace.StatementFile, attachment bool) (name string) {
	name = f.Name
	if old := s.File(name); old != nil && old.Attachment == attachment {
		return name
	} else if old != nil { // attachment names are short
		name = "attachments/" + name
	}
	one := client.ProblemFile{
		Name: name, Type: f.Type, Size: int64(len(f.Data)), Digest: blob.DigestOf(f.Data), Width: f.Width, Height: f.Height,
		Attachment: attachment,
	}
	if f.Converted {
		one.Data = f.Data
	}
	s.Files = append(s.Files, one)
	return name
}

// gameInfo returns the game metadata that bot authors see.
func gameInfo(contest *workspace.Workspace, f *workspace.Problem) (*client.GameInfo, error) {
	game := &client.GameInfo{DataBots: f.Game.Files, Tester: f.Game.Tester != "", Meanings: f.Game.Meanings}
	for _, set := range f.Game.Rules {
		game.Rules = append(game.Rules, client.RuleSet{Name: set.Name, Title: set.Title})
	}
	guide, _, err := contest.BotGuide(f)
	if _, fault := errors.AsType[*judge.ProblemError](err); err != nil && fault {
		return game, nil // judge verify reports faults
	}
	if err != nil {
		return nil, err
	}
	game.Statement, game.AdaptedExtensions = guide.Statement, guide.Adapted
	for _, e := range guide.Examples {
		game.Examples = append(game.Examples, client.ExampleBot(e))
	}
	return game, nil
}

func readBeginning(path string) (text string, more bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSample+1))
	if len(data) > maxSample {
		data, more = data[:maxSample], true
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), more, err
}
