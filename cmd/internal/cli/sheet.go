package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"assay/judge"
	"assay/judge/host/client"
	"assay/judge/workspace"
)

// mostSample is how many bytes of a sample's input and answer a page shows; whoever needs
// more has the problem's own statement.
const mostSample = 64 << 10

// Statement reads the statement of a problem as Markdown; language is that of a package with
// several, "" for the first.
func Statement(f *workspace.Problem, language string) ([]byte, error) {
	if f.Package != nil {
		text, err := f.Package.Markdown(language)
		return []byte(text), err
	}
	if language != "" {
		return nil, &judge.Misuse{Err: fmt.Errorf("--language %s: %s has its statement in one language", language, f.ID)}
	}
	text, err := os.ReadFile(f.Statement())
	if err != nil {
		return nil, f.Lint()
	}
	return text, nil
}

// sheet is what contestants see of a problem on a server. A problem without a statement has a
// sheet without one.
func sheet(ctx context.Context, contest *workspace.Workspace, f *workspace.Problem) (*client.Sheet, error) {
	s := &client.Sheet{Format: client.SheetFormat, Title: f.Title, TimeMS: f.Limits.CPU.Milliseconds(), Memory: f.Limits.Memory, Golf: f.Golf != nil}
	if text, err := Statement(f, ""); err == nil {
		s.Statement = strings.ToValidUTF8(string(text), "\uFFFD")
	}
	if f.Golf != nil {
		text, err := contest.GolfStatement(ctx, f)
		if _, fault := errors.AsType[*judge.Fault](err); err != nil && !fault { // a fault is for judge verify to tell
			return nil, err
		}
		s.GolfStatement = strings.ToValidUTF8(string(text), "\uFFFD")
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

// sheetGame is what authors of bots see of a game.
func sheetGame(contest *workspace.Workspace, f *workspace.Problem) (*client.SheetGame, error) {
	game := &client.SheetGame{Files: f.Game.Files, Tester: f.Game.Tester != "", Meanings: f.Game.Meanings}
	for _, set := range f.Game.Rules {
		game.Rules = append(game.Rules, client.SheetRules{Name: set.Name, Title: set.Title})
	}
	guide, _, err := contest.Guide(f)
	if _, fault := errors.AsType[*judge.Fault](err); err != nil && fault {
		return game, nil // a fault is for judge verify to tell
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
