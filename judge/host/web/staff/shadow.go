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
	"assay/judge/host/intake"
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
	// Open lists the unacknowledged differences, and Known the acknowledged ones. DifferencesDigest is the
	// digest of both.
	Open, Known       []shadow.Difference
	DifferencesDigest string
	CanAcknowledge    bool // the reader may acknowledge them
	All               bool // show complete lists rather than their first rows
}

// maxShadowRows is the number of rows of a list that the page shows at first.
const maxShadowRows = 20

// Shows reports whether the page shows row i of a list.
func (v *shadowView) Shows(i int) bool { return v.All || i < maxShadowRows }

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

// verdictText returns a verdict for display.
func verdictText(v judge.Verdict) string {
	if v == judge.NotJudged {
		return "pending"
	}
	return string(v)
}

// Columns returns the column headings of the matrix.
func (v *shadowView) Columns() (headings []string) {
	for _, verdict := range v.Matrix.Columns {
		headings = append(headings, verdictText(verdict))
	}
	return headings
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
	for i, primaryVerdict := range report.Matrix.Rows {
		row := shadowRow{Theirs: verdictText(primaryVerdict)}
		for j, ownVerdict := range report.Matrix.Columns {
			p := shadow.VerdictPair{Theirs: primaryVerdict, Ours: ownVerdict}
			n := report.Matrix.Cells[i][j]
			row.Cells = append(row.Cells, shadowCell{n, !p.Differs()})
			if primaryVerdict != judge.NotJudged && ownVerdict != judge.NotJudged && ownVerdict != shadow.Unjudged {
				v.Judged += n
			}
		}
		v.Rows = append(v.Rows, row)
	}
	for _, p := range report.Differ {
		v.Lines = append(v.Lines, shadowLine{p.Submission.Number, p.Submission.ExtID, verdictText(p.Theirs), verdictText(p.Ours)})
	}
	compared := report.Comparison()
	open := compared.Unacknowledged()
	v.DifferencesDigest = differencesDigest(compared)
	for _, difference := range report.Differences() {
		if slices.Contains(open, difference.Text) {
			v.Open = append(v.Open, difference)
		} else {
			v.Known = append(v.Known, difference)
		}
	}
	v.CanAcknowledge = r.Can(auth.Finalize) && c.Finalized.IsZero()
	return s.RenderPage(w, r, http.StatusOK, "shadow", "Shadow", v)
}

// differencesDigest returns a digest of the differences on a page. The form sends the digest back, so that only the
// differences that the page showed are acknowledged.
func differencesDigest(c *store.Comparison) string {
	sum := sha256.Sum256([]byte(strings.Join(c.Differences, "\n")))
	return hex.EncodeToString(sum[:12])
}

// acknowledge allows the results to become final despite the differences on the page.
func (s *site) acknowledge(w http.ResponseWriter, r *web.Request) error {
	c, reason := access.Of(r).Contest, r.Field("why")
	compared, err := s.compareWithPrimary(r)
	switch {
	case err != nil:
		return err
	case compared == nil:
		return web.ErrNotFound
	case reason == "":
		return web.BadRequest("Enter a reason to acknowledge the differences")
	case r.PostFormValue("seen") != differencesDigest(compared):
		return &intake.Refusal{
			Code: http.StatusConflict, Text: "the differences from the primary have changed", Hint: "reload the page and review them",
		}
	}
	open := compared.Unacknowledged()
	if err := s.Store.Acknowledge(r.Context(), c.ID, compared.Differences); err != nil {
		return err
	}
	const most = 20
	detail := strings.Join(open[:min(len(open), most)], "; ")
	if n := len(open) - most; n > 0 {
		detail += fmt.Sprintf("; and %d more", n)
	}
	return s.AuditAndRedirect(w, r, "acknowledge differences", c.Slug, reason+" ("+detail+")", "/c/"+c.Slug+"/shadow")
}

// addShadowAttention calls add if the primary is silent, or if some of its objects could not be imported. It reports
// whether the contest follows a primary.
func (s *site) addShadowAttention(r *web.Request, add addAttention) (bool, error) {
	c := access.Of(r).Contest
	source, err := s.Store.ExternalSource(r.Context(), c.ID)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	link := "/c/" + c.Slug + "/shadow"
	problems, err := s.Store.ExternalProblems(r.Context(), c.ID)
	if err != nil {
		return true, err
	}
	switch lag := s.Time().Sub(source.LastReceived); {
	case source.LastReceived.IsZero():
		add("wa", "The primary has sent nothing yet", source.Failure, link, "Open comparison")
	case lag > shadow.MaxSilence:
		add("wa", fmt.Sprintf("The primary has been silent for %d s", int(lag.Seconds())), source.Failure, link, "Open comparison")
	}
	if len(problems) > 0 {
		add(
			"tle",
			web.CountText(len(problems), "object", "objects")+" of the primary could not be taken over completely",
			"", link+"#problems", "Show them",
		)
	}
	return true, nil
}
