// Package contestexport exports a contest as ZIP archives: its contest package, its results, its scoreboard as
// pages, and its submissions for plagiarism detectors. It does not
// check who may have an archive.
package contestexport

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"assay/judge/blob"
	"assay/judge/host/contestpackage"
	"assay/judge/host/intake"
	"assay/judge/host/media"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
)

// An Archive is a kind of archive that a contest can be exported as.
type Archive string

// The parts.
const (
	Package        Archive = "package"     // the format of "judged admin contest import"
	Submissions    Archive = "submissions" // by problem and language
	Scoreboard     Archive = "scoreboard"  // as the public sees it
	JuryScoreboard Archive = "full-scoreboard"
)

// Archives lists all kinds of archives.
var Archives = []Archive{Package, Submissions, Scoreboard, JuryScoreboard}

// Write writes an archive of a contest in the ZIP format. If it fails, it may have written a part of the archive.
func Write(ctx context.Context, d *intake.Service, boards *scoreboard.Registry, c *store.Contest, p Archive, out io.Writer) error {
	z := zip.NewWriter(out)
	var err error
	switch p {
	case Package:
		if err = writePackage(ctx, d, c, z); err == nil && hasScoreboard(c) {
			err = writeResults(ctx, d, c, z)
		}
	case Submissions:
		err = writeSubmissions(ctx, d, c, z)
	case Scoreboard, JuryScoreboard:
		err = writeScoreboard(ctx, d, boards, c, p == JuryScoreboard, z)
	default:
		err = fmt.Errorf("%q: %w", p, store.ErrNotFound)
	}
	return errors.Join(err, z.Close())
}

func writePackage(ctx context.Context, d *intake.Service, c *store.Contest, z *zip.Writer) error {
	now, err := intake.CurrentContest(ctx, d.Store, c)
	if err != nil {
		return err
	}
	files, err := contestpackage.Write(now)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := put(z, name, files[name], time.Time{}); err != nil {
			return err
		}
	}
	for _, f := range now.Media {
		if f.Scaled {
			continue // an import generates it again
		}
		if err := putMedia(z, d, f, f.Path()); err != nil {
			return err
		}
	}
	return nil
}

// putMedia writes a picture or document of a contest into an archive.
func putMedia(z *zip.Writer, d *intake.Service, f media.File, name string) error {
	data, err := d.Blobs.Read(f.Digest, f.Size)
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Path(), err)
	}
	return put(z, name, data, time.Time{})
}

// writeScoreboard writes the scoreboard as pages without scripts.
func writeScoreboard(
	ctx context.Context, d *intake.Service, boards *scoreboard.Registry, c *store.Contest, jury bool, z *zip.Writer,
) error {
	live, err := boards.Scoreboard(ctx, c.ID)
	if err != nil {
		return err
	}
	pages, shown := live.Static(jury)
	for _, f := range pages {
		if err := put(z, f.Name, f.Data, time.Time{}); err != nil {
			return err
		}
	}
	files, err := d.Store.Media(ctx, c.ID)
	if err != nil {
		return err
	}
	for _, f := range files {
		if slices.Contains(shown, f.Href()) {
			if err := putMedia(z, d, f, "media/"+f.Href()); err != nil {
				return err
			}
		}
	}
	return nil
}

// put writes a file into an archive.
func put(z *zip.Writer, name string, data []byte, modified time.Time) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: modified})
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil {
		return fmt.Errorf("write %s into the archive: %w", name, err)
	}
	return nil
}

// archiveDirs maps each directory of a submissions archive to its table of contents.
type archiveDirs map[string]*bytes.Buffer

// writeSubmissions writes the submissions of the teams. For each problem and language, it creates a directory that
// contains a directory per submission, as JPlag expects, and the file info.csv, which Dolos reads. The file has no byte order
// mark, unlike other tables of the server: Dolos would read the mark as part of its first column's name.
func writeSubmissions(ctx context.Context, d *intake.Service, c *store.Contest, z *zip.Writer) error {
	problems, err := d.Store.ContestProblems(ctx, c.ID)
	if err != nil {
		return err
	}
	languages, err := d.Languages(problems)
	if err != nil {
		return err
	}
	all, err := d.Store.Teams(ctx, c.ID)
	if err != nil {
		return err
	}
	teams := map[string]*store.Team{}
	for _, t := range all {
		teams[t.ID] = t
	}
	tables := archiveDirs{}
	for _, p := range problems {
		const page = 200
		for before := int64(0); ; {
			subs, err := d.Store.Submissions(ctx, store.SubmissionFilter{Contest: c.ID, Problem: p.Slug, Before: before, Limit: page})
			if err != nil {
				return err
			}
			for _, s := range subs {
				before = s.Number
				if t := teams[s.Team]; t != nil && len(s.Files) > 0 {
					if err := tables.addSubmission(d.Blobs, z, safePath(p.Label)+"/"+safePath(languageOf(s, languages)), s, t); err != nil {
						return err
					}
				}
			}
			if len(subs) < page {
				break
			}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(tables)) {
		if err := put(z, dir+"/info.csv", tables[dir].Bytes(), time.Time{}); err != nil {
			return err
		}
	}
	return nil
}

// languageOf returns the language id of a submission. This is the requested language or, if none was requested,
// the language that the extension of the first file selects. If no language has the extension, languageOf returns
// the extension. If there is no extension either, it returns "other".
func languageOf(s *store.Submission, languages []intake.SubmissionLanguage) string {
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(s.Files[0].Path), "."))
	for _, l := range languages {
		if s.Language == "" && ending != "" && slices.Contains(l.Extensions, ending) {
			return l.ID
		}
	}
	return cmp.Or(s.Language, ending, "other")
}

// addSubmission writes a submission into a directory of the archive.
func (t archiveDirs) addSubmission(blobs *blob.Dir, z *zip.Writer, dir string, s *store.Submission, team *store.Team) error {
	if t[dir] == nil {
		t[dir] = &bytes.Buffer{}
		t.addLine(dir, "filename", "id", "full_name", "labels", "status", "created_at")
	}
	own := fmt.Sprintf("%d-%s", s.Number, safePath(team.ExtID))
	used := map[string]bool{}
	for i, f := range s.Files {
		name := uniqueName(used, i, f.Path)
		data, err := readBlob(blobs, f.Digest, f.Size)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the author has been erased in the meantime
		}
		if err != nil {
			return fmt.Errorf("read submission %d: %w", s.Number, err)
		}
		if err := put(z, path.Join(dir, own, name), data, s.Received); err != nil {
			return err
		}
		verdict := cmp.Or(string(s.Verdict), "pending")
		t.addLine(dir, path.Join(own, name), fmt.Sprint(s.Number), team.Name, strings.Join(team.Groups, ", "), verdict,
			s.Received.Format(time.RFC3339))
	}
	return nil
}

// uniqueName makes name a safe file name that is not in use, ignoring letter case. If necessary, it puts the number
// at+1 before the name.
func uniqueName(used map[string]bool, index int, name string) string {
	name = safePath(name)
	for used[strings.ToLower(name)] || name == "" {
		name = fmt.Sprintf("%d-%s", index+1, name)
	}
	used[strings.ToLower(name)] = true
	return name
}

// addLine adds a line to the table of a directory.
func (t archiveDirs) addLine(dir string, cells ...string) {
	w := csv.NewWriter(t[dir]) // writing to memory does not fail
	_ = w.Write(cells)
	w.Flush()
}

func readBlob(blobs *blob.Dir, d blob.Digest, size int64) ([]byte, error) {
	f, err := blobs.Open(d, size)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// safePath returns a relative path without blanks and special characters, which every system can unpack.
func safePath(name string) string {
	var parts []string
	for part := range strings.SplitSeq(name, "/") {
		part = strings.Map(func(c rune) rune {
			if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.' || c == '+' {
				return c
			}
			return '_'
		}, part)
		if part = strings.Trim(part, "."); part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/")
}
