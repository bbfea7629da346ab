package staff

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"assay/judge"
	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/shadow"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// shadowView is the comparison of a contest with its primary.
type shadowView struct {
	*shadow.Report
	Slug   string
	Lines  []shadowLine
	Rows   []shadowRow
	Judged int // number of submissions with both verdicts
	// Open lists the unacknowledged differences, and Known the acknowledged ones. Seen is the digest of both.
	Open, Known []shadow.Difference
	Seen        string
	Conclude    bool // the reader may acknowledge them
	All         bool // show complete lists rather than their first rows
}

// shadowRows is the number of rows of a list that the page shows at first.
const shadowRows = 20

// Shows reports whether the page shows row i of a list.
func (v *shadowView) Shows(i int) bool { return v.All || i < shadowRows }

// Cut reports whether the page omits rows of a list of n rows.
func (v *shadowView) Cut(n int) bool { return n > 0 && !v.Shows(n-1) }

// shadowLine is a submission with different verdicts.
type shadowLine struct {
	Number       int64
	ID           string
	Theirs, Ours string
}

// shadowRow is a row of the matrix.
type shadowRow struct {
	Theirs string
	Cells  []shadowCell
}

// shadowCell counts the submissions with a pair of verdicts.
type shadowCell struct {
	N    int
	Same bool
}

// shadowName returns a verdict for display.
func shadowName(v judge.Verdict) string {
	if v == judge.NotJudged {
		return "pending"
	}
	return string(v)
}

// Columns returns the column headings of the matrix.
func (v *shadowView) Columns() (all []string) {
	for _, one := range v.Matrix.Columns {
		all = append(all, shadowName(one))
	}
	return all
}

// Teams joins team ids.
func (v *shadowView) Teams(ids []string) string { return strings.Join(ids, ", ") }

// shadowPage compares the verdicts and scoreboards of a contest and its primary.
func (s *site) shadowPage(w http.ResponseWriter, r *web.Request) error {
	c := access.Of(r).Contest
	report, err := shadow.NewReport(r.Context(), s.Store, s.feeds, c.ID, s.Time())
	if errors.Is(err, store.ErrNotFound) {
		return web.ErrNotFound
	}
	if err != nil {
		return err
	}
	v := &shadowView{Report: report, Slug: c.Slug, All: r.URL.Query().Get("all") == "yes"}
	for i, theirs := range report.Matrix.Rows {
		row := shadowRow{Theirs: shadowName(theirs)}
		for j, ours := range report.Matrix.Columns {
			p := shadow.Pair{Theirs: theirs, Ours: ours}
			n := report.Matrix.Cells[i][j]
			row.Cells = append(row.Cells, shadowCell{n, !p.Differs()})
			if theirs != judge.NotJudged && ours != judge.NotJudged && ours != shadow.NotJudgedHere {
				v.Judged += n
			}
		}
		v.Rows = append(v.Rows, row)
	}
	for _, p := range report.Differ {
		v.Lines = append(v.Lines, shadowLine{p.Submission.Number, p.Submission.ExtID, shadowName(p.Theirs), shadowName(p.Ours)})
	}
	compared := report.Comparison()
	open := compared.Open()
	v.Seen = seenDifferences(compared)
	for _, one := range report.Differences() {
		if slices.Contains(open, one.Text) {
			v.Open = append(v.Open, one)
		} else {
			v.Known = append(v.Known, one)
		}
	}
	v.Conclude = r.Can(auth.Conclude) && c.Finalized.IsZero()
	return s.Page(w, r, http.StatusOK, "shadow", "Shadow", v)
}

// seenDifferences returns a digest of the differences on a page. The form sends the digest back, so that only the
// differences that the page showed are acknowledged.
func seenDifferences(c *store.Comparison) string {
	sum := sha256.Sum256([]byte(strings.Join(c.Differences, "\n")))
	return hex.EncodeToString(sum[:12])
}

// acknowledge allows the results to become final despite the differences on the page.
func (s *site) acknowledge(w http.ResponseWriter, r *web.Request) error {
	c, why := access.Of(r).Contest, r.Field("why")
	compared, err := s.compared(r)
	switch {
	case err != nil:
		return err
	case compared == nil:
		return web.ErrNotFound
	case why == "":
		return web.BadRequest("Enter a reason to acknowledge the differences")
	case r.PostFormValue("seen") != seenDifferences(compared):
		return &desk.Refusal{
			Code: http.StatusConflict, Text: "the differences from the primary have changed", Hint: "reload the page and review them",
		}
	}
	open := compared.Open()
	if err := s.Store.Acknowledge(r.Context(), c.ID, compared.Differences); err != nil {
		return err
	}
	const most = 20
	said := strings.Join(open[:min(len(open), most)], "; ")
	if n := len(open) - most; n > 0 {
		said += fmt.Sprintf("; and %d more", n)
	}
	return s.Done(w, r, "acknowledge differences", c.Slug, why+" ("+said+")", "/c/"+c.Slug+"/shadow")
}

// attendShadow calls add if the primary is silent, or if some of its objects could not be imported. It reports
// whether the contest follows a primary.
func (s *site) attendShadow(r *web.Request, add func(class, text, detail, link, button string)) (bool, error) {
	c := access.Of(r).Contest
	source, err := s.Store.Source(r.Context(), c.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	link := "/c/" + c.Slug + "/shadow"
	wrong, err := s.Store.ExternalProblems(r.Context(), c.ID)
	if err != nil {
		return true, err
	}
	switch lag := s.Time().Sub(source.Heard); {
	case source.Heard.IsZero():
		add("wa", "The primary has sent nothing yet", source.Trouble, link, "Open comparison")
	case lag > shadow.Silence:
		add("wa", fmt.Sprintf("The primary has been silent for %d s", int(lag.Seconds())), source.Trouble, link, "Open comparison")
	}
	if len(wrong) > 0 {
		add("tle", web.Counted(len(wrong), "object", "objects")+" of the primary could not be taken over completely", "", link+"#problems", "Show them")
	}
	return true, nil
}
