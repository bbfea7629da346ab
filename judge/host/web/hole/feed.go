package hole

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/scoring"
	"assay/judge/host/web"
)

// exportedRow is a row of a hole's exported ranking.
type exportedRow struct {
	Rank       int       `json:"rank"`
	Name       string    `json:"name"`
	Language   string    `json:"language"`
	Bytes      int       `json:"bytes"`
	Chars      int       `json:"chars"`
	Since      time.Time `json:"since"`
	Points     int       `json:"points"`
	Submission int64     `json:"answer"` // number of the submission
}

// exportRows returns the requested ranking. The query may contain lang= for one language, and by=chars to count
// characters.
func (s *site) exportRows(r *web.Request) (rows []exportedRow, err error) {
	submissions, byNumber, err := s.ValidSubmissions(r.Context(), accessOf(r).Hole)
	rows = []exportedRow{}
	for _, p := range scoring.RankGolf(submissions, r.URL.Query().Get("lang"), measureOf(r)) {
		a := byNumber[p.Number]
		rows = append(rows, exportedRow{p.Rank, a.Display, a.Name, p.Bytes, p.Chars, p.Since, p.Points, p.Number})
	}
	return rows, err
}

func (s *site) holeTable(w http.ResponseWriter, r *web.Request) error {
	rows, err := s.exportRows(r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	table := csv.NewWriter(&b) // writing to memory does not fail
	table.Write([]string{"rank", "name", "language", "bytes", "chars", "since", "points", "answer"})
	for _, e := range rows {
		table.Write([]string{
			strconv.Itoa(
				e.Rank,
			), scoreboard.EscapeFormula(e.Name), scoreboard.EscapeFormula(e.Language), strconv.Itoa(e.Bytes), strconv.Itoa(e.Chars),
			e.Since.Format(time.RFC3339), strconv.Itoa(e.Points),
			strconv.FormatInt(e.Submission, 10),
		})
	}
	table.Flush()
	scoreboard.SendTable(w, accessOf(r).Hole.Slug+".csv", b.Bytes())
	return nil
}

func (s *site) holeJSON(w http.ResponseWriter, r *web.Request) error {
	rows, err := s.exportRows(r)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	web.SetAttachment(w, accessOf(r).Hole.Slug+".json")
	_, _ = w.Write(append(data, '\n')) // the client may be gone
	return nil
}

// holeFeed sends the latest records in bytes as a feed.
func (s *site) holeFeed(w http.ResponseWriter, r *web.Request) error {
	h := accessOf(r).Hole
	submissions, byNumber, err := s.ValidSubmissions(r.Context(), h)
	if err != nil {
		return err
	}
	home := "/hole/" + h.Slug
	records := scoring.Records(submissions, "", scoring.Bytes)
	var items []web.FeedItem
	for _, record := range slices.Backward(records[max(0, len(records)-web.MaxFeedItems):]) {
		a := byNumber[record.Number]
		title := fmt.Sprintf("%s: %d bytes in %s", a.Display, a.Bytes, a.Name)
		if record.Before > 0 {
			title += fmt.Sprintf(", %d before", record.Before)
		}
		items = append(items, web.FeedItem{ID: fmt.Sprintf("%s/s/%d", home, a.Number), Title: title, URL: home, At: record.ValidSince})
	}
	return web.WriteFeed(w, s.URL, "Records of "+h.Name, home, r.URL.Path, items)
}

// submissionBadge sends a badge for a golf submission. It shows the rank of the submission's author in the ranking for
// the submission's language.
func (s *site) submissionBadge(w http.ResponseWriter, r *web.Request) error {
	submissions, byNumber, err := s.ValidSubmissions(r.Context(), accessOf(r).Hole)
	if err != nil {
		return err
	}
	board := scoring.RankGolf(submissions, accessOf(r).submission.LanguageKey(), scoring.Bytes)
	rank := intake.FindGolfer(board, accessOf(r).submission.Account)
	if accessOf(r).submission.ValidSince.IsZero() || rank == nil {
		return web.ErrNotFound
	}
	return web.WriteBadge(w, accessOf(r).Hole.Name+" in "+byNumber[rank.Number].Name,
		fmt.Sprintf("%d of %d, %d bytes", rank.Rank, len(board), rank.Bytes))
}

func (s *site) holeFile(w http.ResponseWriter, r *web.Request) error {
	p, err := s.Store.Problem(r.Context(), accessOf(r).Hole.ProblemSlug)
	if err != nil {
		return err
	}
	info, err := s.ProblemInfo(p)
	if err != nil {
		return err
	}
	return s.SendProblemFile(w, info, r.PathValue("name"))
}
