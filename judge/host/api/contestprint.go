package api

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"assay/judge/host/clics"
	"assay/judge/host/client"
	"assay/judge/host/intake"
	"assay/judge/host/printing"
)

// A sentPrint is a file to print, with the field names used by DOMjudge's clients. Their entry_point is ignored.
type sentPrint struct {
	Name     string `json:"original_name"`
	Contents string `json:"file_contents"` // base64
	Language string `json:"language"`
}

// apiPrint accepts a file that the caller's team wants to have printed.
func (a *api) apiPrint(w http.ResponseWriter, r *http.Request, v clics.Version, caller *caller) error {
	switch {
	case caller == nil:
		return &status{http.StatusUnauthorized, "only clients that are logged in may print", ""}
	case !caller.hasScope(client.Submit):
		return &status{http.StatusForbidden, "the scopes of the token do not allow to print", ""}
	}
	contestAccess, err := a.printingContest(r, v, caller)
	if err != nil {
		return err
	}
	const other = 64 << 10 // bytes for names and punctuation
	r.Body = http.MaxBytesReader(w, r.Body, 4*printing.MaxBytes+other)
	data, err := readBody(r)
	if err != nil {
		return err
	}
	sent, err := readPrint(r.Header.Get("Content-Type"), data)
	if err != nil {
		return err
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(sent.Contents))
	if err != nil {
		return badRequest("file_contents is not base64")
	}
	err = a.inSlot(r, caller, func() error {
		_, err := a.Print(r.Context(), contestAccess, sent.Name, sent.Language, text)
		return err
	})
	if err != nil {
		return err
	}
	return writeOK(w, map[string]any{"success": true, "output": "A runner brings the pages to your seat."})
}

// readPrint reads a print request, which is JSON or a form.
func readPrint(contentType string, data []byte) (p sentPrint, err error) {
	if kind, _, _ := mime.ParseMediaType(contentType); kind == "application/x-www-form-urlencoded" { // as sent by DOMjudge's submit
		form, err := url.ParseQuery(string(data))
		if err != nil {
			return p, badRequest("the form cannot be read: %v", err)
		}
		p.Name, p.Contents, p.Language = form.Get("original_name"), form.Get("file_contents"), form.Get("language")
	} else if err := json.Unmarshal(data, &p); err != nil {
		return p, badRequest("the request is not the JSON of a print: %v", err)
	}
	if p.Name == "" || p.Contents == "" {
		return p, badRequest("original_name or file_contents is missing")
	}
	return p, nil
}

// printingContest returns the access of a caller to the only contest in which the caller's team can print now. If there
// is no such contest, or more than one, the error states why the caller cannot print.
func (a *api) printingContest(r *http.Request, v clics.Version, caller *caller) (in *intake.ContestAccess, err error) {
	contests, err := a.Store.Contests(r.Context())
	if err != nil {
		return nil, err
	}
	refusal := error(&status{http.StatusForbidden, "you are in no team of a contest that runs", ""})
	for _, row := range contests {
		c, err := a.newAPIClient(r, v, caller, row)
		if errors.Is(err, errNoPath) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if c.contestAccess.Team == nil {
			continue
		}
		refused := a.CanPrint(c.contestAccess)
		switch {
		case refused != nil:
			refusal = refused
		case in != nil:
			return nil, &status{http.StatusConflict, "you are in teams of two contests that run", "print on the page of the contest"}
		default:
			in = c.contestAccess
		}
	}
	if in == nil {
		return nil, refusal
	}
	return in, nil
}
