package staff

import (
	"bytes"
	"encoding/csv"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// auditView is the page of the audit log.
type auditView struct {
	Lines         []auditLine
	Actions       []string
	Actor, Action string // filter: username and action
	About         string // filter: username or another object
	SeesWorkers   bool   // the reader may see the workers
	Older         string // path of the next page; may be empty
	Table         string // path of the CSV file
	Wrong         string
}

// Filtered reports whether the page shows only some entries.
func (v auditView) Filtered() bool { return v.Actor != "" || v.Action != "" || v.About != "" }

type auditLine struct {
	At                                     time.Time
	Actor, Action, Object, Detail, Address string
}

// readAudit reads a page of the audit log, filtered by the URL query.
func (s *site) readAudit(r *web.Request, limit int) (v auditView, older string, err error) {
	q := r.URL.Query()
	v = auditView{Actor: strings.TrimSpace(q.Get("who")), Action: q.Get("action"), About: strings.TrimSpace(q.Get("about"))}
	f := store.AuditFilter{Actor: v.Actor, Action: v.Action, Object: v.About, Before: q.Get("before"), Limit: limit + 1}
	for _, name := range []*string{&f.Actor, &f.Object} { // the log contains account ids
		if *name == "" {
			continue
		}
		switch a, err := s.Store.AccountByLogin(r.Context(), *name); {
		case err == nil:
			*name = a.ID
		case !errors.Is(err, store.ErrNotFound):
			return v, "", err
		}
	}
	rows, err := s.Store.AuditEntries(r.Context(), f)
	if err != nil {
		return v, "", err
	}
	if len(rows) > limit {
		rows, older = rows[:limit], rows[limit-1].ID
	}
	names := map[string]string{}
	for _, e := range rows {
		line := auditLine{e.At, e.Actor, e.Action, e.Object, e.Detail, e.Address}
		for _, id := range []*string{&line.Actor, &line.Object} {
			if *id, err = s.loginOf(r, names, *id); err != nil {
				return v, "", err
			}
		}
		v.Lines = append(v.Lines, line)
	}
	return v, older, nil
}

// loginOf returns the username of the account with an id. If id is not an account id, it returns id unchanged.
func (s *site) loginOf(r *web.Request, cache map[string]string, id string) (string, error) {
	if !store.IsID(id) {
		return id, nil
	}
	if login, found := cache[id]; found {
		return login, nil
	}
	a, err := s.Store.Account(r.Context(), id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		cache[id] = id
	case err != nil:
		return "", err
	default:
		cache[id] = a.Login
	}
	return cache[id], nil
}

func (s *site) auditPage(w http.ResponseWriter, r *web.Request) error {
	v, older, err := s.readAudit(r, 100)
	if err != nil {
		return err
	}
	if v.Actions, err = s.Store.AuditActions(r.Context()); err != nil {
		return err
	}
	v.SeesWorkers = r.Can(auth.SeeWorkers)
	q := url.Values{"who": {v.Actor}, "action": {v.Action}, "about": {v.About}}
	v.Table = r.URL.Path + "/table.csv?" + q.Encode()
	if older != "" {
		q.Set("before", older)
		v.Older = r.URL.Path + "?" + q.Encode()
	}
	return s.RenderPage(w, r, http.StatusOK, "audit", "Audit log", v)
}

// auditTable sends the audit log as CSV.
func (s *site) auditTable(w http.ResponseWriter, r *web.Request) error {
	const most = 100_000
	v, _, err := s.readAudit(r, most)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	table := csv.NewWriter(&b) // writing to memory does not fail
	table.Write([]string{"at", "who", "action", "about", "detail", "address"})
	for _, l := range v.Lines {
		table.Write(
			[]string{
				l.At.Format(time.RFC3339), scoreboard.EscapeFormula(l.Actor), scoreboard.EscapeFormula(l.Action),
				scoreboard.EscapeFormula(l.Object), scoreboard.EscapeFormula(l.Detail), l.Address,
			},
		)
	}
	table.Flush()
	scoreboard.SendTable(w, "audit.csv", b.Bytes())
	return nil
}
