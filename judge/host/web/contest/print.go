package contest

import (
	"errors"
	"net/http"
	"strings"

	"assay/judge/host/intake"
	"assay/judge/host/printing"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// printView is the page on which a team sends files to the printer.
type printView struct {
	Slug                   string
	Text                   string
	Errors                 web.FieldErrors
	MaxKiB, Pages, PerHour int
	CanPrint               bool // the team can print now
	Prints                 []*store.Print
}

// maxPrints is the maximum number of prints that a team's page lists.
const maxPrints = 50

func (s *site) printPage(w http.ResponseWriter, r *web.Request) error {
	return s.drawPrint(w, r, http.StatusOK, printView{})
}

func (s *site) drawPrint(w http.ResponseWriter, r *web.Request, code int, v printView) (err error) {
	a := access.Of(r)
	if a.Team == nil {
		return &intake.Refusal{Code: http.StatusForbidden, Text: "only teams of " + a.Contest.Name + " can print"}
	}
	v.Slug, v.MaxKiB, v.Pages, v.PerHour = a.Contest.Slug, printing.MaxBytes>>10, printing.MaxPages, printing.MaxPerHour
	v.CanPrint = s.CanPrint(a.ContestAccess) == nil
	if v.Prints, err = s.Store.Prints(r.Context(), a.Contest.ID, a.Team.ID, maxPrints); err != nil {
		return err
	}
	return s.RenderPage(w, r, code, "print", "Print", v)
}

// print accepts a file or a text for printing.
func (s *site) print(w http.ResponseWriter, r *web.Request) error {
	if err := web.ReadMultipart(w, r, 2*printing.MaxBytes, "file"); err != nil {
		return err
	}
	v := printView{Text: r.PostFormValue("text")}
	files, err := r.Files(printing.MaxBytes)
	if err != nil {
		return err
	}
	field, name, data := "text", "", []byte(v.Text)
	if len(files) > 0 {
		field, name, data = "file", files[0].Name, files[0].Data
	}
	if len(files) > 1 || len(files) == 1 && strings.TrimSpace(v.Text) != "" {
		v.Errors.Add("file", "print one file, or one text")
	}
	if len(v.Errors) == 0 {
		_, err = s.Print(r.Context(), access.Of(r).ContestAccess, name, "", data)
		var refusal *intake.Refusal
		if errors.As(err, &refusal) && refusal.Code != http.StatusForbidden {
			v.Errors = web.RefusalErrors(refusal, field)
		} else if err != nil {
			return err
		}
	}
	if len(v.Errors) > 0 {
		return s.drawPrint(w, r, http.StatusBadRequest, v)
	}
	return web.Redirect(w, r, "/c/"+access.Of(r).Contest.Slug+"/print")
}
