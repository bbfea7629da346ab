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

	"assay/judge/host/board"
	"assay/judge/host/desk"
	"assay/judge/host/scoring"
	"assay/judge/host/web"
)

// exported is a row of a hole's exported ranking.
type exported struct {
	Rank     int       `json:"rank"`
	Name     string    `json:"name"`
	Language string    `json:"language"`
	Bytes    int       `json:"bytes"`
	Chars    int       `json:"chars"`
	Since    time.Time `json:"since"`
	Points   int       `json:"points"`
	Answer   int64     `json:"answer"` // number of the submission
}

// exports returns the requested ranking. The query may contain lang= for one language, and by=chars to count
// characters.
func (s *site) exports(r *web.Request) (rows []exported, err error) {
	right, by, err := s.RightAnswers(r.Context(), at(r).Hole)
	rows = []exported{}
	for _, p := range scoring.Golf(right, r.URL.Query().Get("lang"), measure(r)) {
		a := by[p.Number]
		rows = append(rows, exported{p.Rank, a.Display, a.Name, p.Bytes, p.Chars, p.Since, p.Points, p.Number})
	}
	return rows, err
}

func (s *site) holeTable(w http.ResponseWriter, r *web.Request) error {
	rows, err := s.exports(r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	table := csv.NewWriter(&b) // writing to memory does not fail
	table.Write([]string{"rank", "name", "language", "bytes", "chars", "since", "points", "answer"})
	for _, e := range rows {
		table.Write([]string{
			strconv.Itoa(e.Rank), board.Plain(e.Name), board.Plain(e.Language), strconv.Itoa(e.Bytes), strconv.Itoa(e.Chars),
			e.Since.Format(time.RFC3339), strconv.Itoa(e.Points),
			strconv.FormatInt(e.Answer, 10),
		})
	}
	table.Flush()
	board.SendTable(w, at(r).Hole.Slug+".csv", b.Bytes())
	return nil
}

func (s *site) holeJSON(w http.ResponseWriter, r *web.Request) error {
	rows, err := s.exports(r)
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(rows, "", "  ")
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	web.SetAttachment(w, at(r).Hole.Slug+".json")
	_, _ = w.Write(append(data, '\n')) // the client may be gone
	return nil
}

// holeFeed sends the latest records in bytes as a feed.
func (s *site) holeFeed(w http.ResponseWriter, r *web.Request) error {
	h := at(r).Hole
	right, by, err := s.RightAnswers(r.Context(), h)
	if err != nil {
		return err
	}
	home := "/hole/" + h.Slug
	records := scoring.Records(right, "", scoring.Bytes)
	var items []web.FeedItem
	for _, one := range slices.Backward(records[max(0, len(records)-web.MostFeedItems):]) {
		a := by[one.Number]
		title := fmt.Sprintf("%s: %d bytes in %s", a.Display, a.Bytes, a.Name)
		if one.Before > 0 {
			title += fmt.Sprintf(", %d before", one.Before)
		}
		items = append(items, web.FeedItem{ID: fmt.Sprintf("%s/s/%d", home, a.Number), Title: title, URL: home, At: one.Stood})
	}
	return web.WriteFeed(w, s.URL, "Records of "+h.Name, home, r.URL.Path, items)
}

// answerBadge sends a badge for a golf submission. It shows the rank of the submission's author in the ranking for
// the submission's language.
func (s *site) answerBadge(w http.ResponseWriter, r *web.Request) error {
	right, by, err := s.RightAnswers(r.Context(), at(r).Hole)
	if err != nil {
		return err
	}
	board := scoring.Golf(right, at(r).answer.LanguageKey(), scoring.Bytes)
	place := desk.PlaceOf(board, at(r).answer.Account)
	if at(r).answer.Stood.IsZero() || place == nil {
		return web.ErrNotFound
	}
	return web.WriteBadge(w, at(r).Hole.Name+" in "+by[place.Number].Name,
		fmt.Sprintf("%d of %d, %d bytes", place.Rank, len(board), place.Bytes))
}

func (s *site) holeFile(w http.ResponseWriter, r *web.Request) error {
	p, err := s.Store.Problem(r.Context(), at(r).Hole.ProblemSlug)
	if err != nil {
		return err
	}
	sheet, err := s.Sheet(p)
	if err != nil {
		return err
	}
	return s.SendSheetFile(w, sheet, r.PathValue("name"))
}
