package staff

import (
	"net/http"

	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// verifyModes lists the choices for verifying verdicts.
var verifyModes = []web.Choice{
	{Value: string(store.VerifyNone), Name: "Not verified"},
	{Value: string(store.VerifyBefore), Name: "Before teams see verdicts"},
	{Value: string(store.VerifyBeforeRejected), Name: "Before teams see verdicts, except accepted"},
	{Value: string(store.VerifyAfter), Name: "After teams see verdicts"},
	{Value: string(store.VerifyAfterRejected), Name: "After teams see verdicts, except accepted"},
}

// problemSettings says how submissions to a problem are judged.
type problemSettings struct {
	Label, Title string
	Paused       bool
	Verify       string
}

// VerifyModes returns the choices for Verify.
func (problemSettings) VerifyModes() []web.Choice { return verifyModes }

// readProblemSettings returns the judging settings of a contest's problems.
func (s *site) readProblemSettings(r *web.Request) (settings []problemSettings, err error) {
	problems, err := s.Store.ContestProblems(r.Context(), access.Of(r).Contest.ID)
	for _, p := range problems {
		settings = append(settings, problemSettings{p.Label, p.Title, p.Paused, string(p.Verify)})
	}
	return settings, err
}

// setProblemSettings pauses or resumes judging of a problem, or sets its verification mode.
func (s *site) setProblemSettings(w http.ResponseWriter, r *web.Request) error {
	c, p := access.Of(r).Contest, access.Of(r).Problem
	var err error
	do, detail := r.PostFormValue("do"), p.Label
	switch do {
	case "pause", "resume":
		if err = s.Store.SetPaused(r.Context(), c.ID, p.Label, do == "pause"); err == nil {
			s.Dispatch.Wake()
		}
	case "verify":
		mode := r.Field("mode")
		var fieldErrors web.FieldErrors
		if fieldErrors.CheckChoice("mode", mode, verifyModes); len(fieldErrors) > 0 {
			return web.BadRequest("unknown mode of verification %.20q: reload the page and try again", mode)
		}
		err = s.Store.SetVerify(r.Context(), c.ID, p.Label, store.VerifyMode(mode))
		detail += ": " + web.ChoiceName(verifyModes, mode)
	default:
		return web.BadRequest("Unknown action: reload the page and try again")
	}
	if err != nil {
		return err
	}
	action := map[string]string{"pause": "pause judging", "resume": "resume judging", "verify": "set verification"}[do]
	return s.AuditAndRedirect(w, r, action, c.Slug, detail, "/c/"+c.Slug+"/overview#judging")
}
