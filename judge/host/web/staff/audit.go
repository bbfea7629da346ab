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
	"assay/judge/host/board"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// auditView is the page of the audit log.
type auditView struct {
	Lines       []auditLine
	Actions     []string
	Who, Action string // filter: username and action
	About       string // filter: username or another object
	Machines    bool   // the reader may see the workers
	Older       string // path of the next page; may be empty
	Table       string // path of the CSV file
	Wrong       string
}

// Filtered reports whether the page shows only some entries.
func (v auditView) Filtered() bool { return v.Who != "" || v.Action != "" || v.About != "" }

type auditLine struct {
	At                                   time.Time
	Who, Action, Object, Detail, Address string
}

// audited reads a page of the audit log, filtered by the URL query.
func (s *site) audited(r *web.Request, most int) (v auditView, older string, err error) {
	q := r.URL.Query()
	v = auditView{Who: strings.TrimSpace(q.Get("who")), Action: q.Get("action"), About: strings.TrimSpace(q.Get("about"))}
	f := store.AuditFilter{Actor: v.Who, Action: v.Action, Object: v.About, Before: q.Get("before"), Limit: most + 1}
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
	rows, err := s.Store.AuditOf(r.Context(), f)
	if err != nil {
		return v, "", err
	}
	if len(rows) > most {
		rows, older = rows[:most], rows[most-1].ID
	}
	names := map[string]string{}
	for _, e := range rows {
		line := auditLine{e.At, e.Actor, e.Action, e.Object, e.Detail, e.Address}
		for _, id := range []*string{&line.Who, &line.Object} {
			if *id, err = s.loginOf(r, names, *id); err != nil {
				return v, "", err
			}
		}
		v.Lines = append(v.Lines, line)
	}
	return v, older, nil
}

// loginOf returns the username of the account with an id. If id is not an account id, it returns id unchanged.
func (s *site) loginOf(r *web.Request, known map[string]string, id string) (string, error) {
	if !store.IsID(id) {
		return id, nil
	}
	if login, is := known[id]; is {
		return login, nil
	}
	a, err := s.Store.Account(r.Context(), id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		known[id] = id
	case err != nil:
		return "", err
	default:
		known[id] = a.Login
	}
	return known[id], nil
}

func (s *site) auditPage(w http.ResponseWriter, r *web.Request) error {
	v, older, err := s.audited(r, 100)
	if err != nil {
		return err
	}
	if v.Actions, err = s.Store.AuditActions(r.Context()); err != nil {
		return err
	}
	v.Machines = r.Can(auth.Machines)
	q := url.Values{"who": {v.Who}, "action": {v.Action}, "about": {v.About}}
	v.Table = r.URL.Path + "/table.csv?" + q.Encode()
	if older != "" {
		q.Set("before", older)
		v.Older = r.URL.Path + "?" + q.Encode()
	}
	return s.Page(w, r, http.StatusOK, "audit", "Audit log", v)
}

// auditTable sends the audit log as CSV.
func (s *site) auditTable(w http.ResponseWriter, r *web.Request) error {
	const most = 100_000
	v, _, err := s.audited(r, most)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	table := csv.NewWriter(&b) // writing to memory does not fail
	table.Write([]string{"at", "who", "action", "about", "detail", "address"})
	for _, l := range v.Lines {
		table.Write([]string{l.At.Format(time.RFC3339), board.Plain(l.Who), board.Plain(l.Action), board.Plain(l.Object), board.Plain(l.Detail), l.Address})
	}
	table.Flush()
	board.SendTable(w, "audit.csv", b.Bytes())
	return nil
}
