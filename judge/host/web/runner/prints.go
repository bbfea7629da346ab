package runner

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/printing"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// maxFinished is the maximum number of finished prints that the page shows.
const maxFinished = 50

// maxPrints is the maximum number of prints of a contest that are read, newest first.
const maxPrints = 5000

// printList is the changing part of the page.
type printList struct {
	Slug                      string
	Query                     template.URL
	Filtered                  bool
	Waiting, Failed, Printing []printLine // oldest first; Printing are being printed
	Done                      []printLine // newest first
	More                      int         // number of further finished prints
}

// printLine is a print.
type printLine struct {
	store.Print
	Name, Seat string // of the team
	Groups     []string
	File       string
	Mine       bool // the reader is printing it
}

// printsView is the page of prints.
type printsView struct {
	Slug         string
	Query        template.URL // the filter, including its question mark; may be empty
	Group, Seats string       // of the filter
	Groups       []string
	List         template.HTML
}

// printPart renders the changing part of the page.
func (s *site) printPart(r *web.Request) (template.HTML, error) {
	f, c := filterOf(r), access.Of(r).Contest
	teams, err := s.CoveredTeams(r.Context(), access.Of(r).ContestAccess)
	if err != nil {
		return "", err
	}
	rows, err := s.Store.Prints(r.Context(), c.ID, "", maxPrints)
	if err != nil {
		return "", err
	}
	rows = slices.DeleteFunc(rows, func(p *store.Print) bool { return teams[p.Team] == nil || !f.matches(teams[p.Team]) })
	v := printList{Slug: c.Slug, Query: f.query(), Filtered: f != balloonFilter{}}
	for i, p := range rows {
		if line := printLineOf(p, teams[p.Team], r.Me.Login); p.State == store.Printed {
			if v.More++; v.More <= maxFinished {
				v.Done = append(v.Done, line)
			}
		}
		old := rows[len(rows)-1-i]
		line := printLineOf(old, teams[old.Team], r.Me.Login)
		switch {
		case old.State == store.PrintWaiting:
			v.Waiting = append(v.Waiting, line)
		case old.State == store.PrintFailed:
			v.Failed = append(v.Failed, line)
		case old.State == store.Printing:
			v.Printing = append(v.Printing, line)
		}
	}
	v.More -= len(v.Done)
	return s.RenderPart("prints", "list", v)
}

func printLineOf(p *store.Print, t *store.Team, login string) printLine {
	l := printLine{Print: *p, Name: t.Name, Seat: t.Label, Groups: t.Groups, File: p.Name, Mine: p.Printer == login}
	if t.DisplayName != "" {
		l.Name = t.DisplayName
	}
	return l
}

func (s *site) prints(w http.ResponseWriter, r *web.Request) (err error) {
	c, f := access.Of(r).Contest, filterOf(r)
	v := printsView{Slug: c.Slug, Group: f.group, Seats: f.seats, Query: f.query()}
	if v.List, err = s.printPart(r); err != nil {
		return err
	}
	groups, err := s.Store.Groups(r.Context(), c.ID)
	if err != nil {
		return err
	}
	for _, g := range groups {
		v.Groups = append(v.Groups, g.Name)
	}
	return s.RenderPage(w, r, http.StatusOK, "prints", "Printing", v)
}

// printEvents streams the list of prints.
func (s *site) printEvents(w http.ResponseWriter, r *web.Request) error {
	return s.StreamPart(w, r, "the prints of "+access.Of(r).Contest.Slug, func() (template.HTML, bool, error) {
		part, err := s.printPart(r)
		return part, true, err
	})
}

// printAt returns the print with the number in the address.
func (s *site) printAt(r *web.Request) (*store.Print, error) {
	n, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil || n < 1 {
		return nil, web.ErrNotFound
	}
	p, err := s.Store.Print(r.Context(), access.Of(r).Contest.ID, n)
	if errors.Is(err, store.ErrNotFound) {
		return nil, web.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	team, err := s.Store.TeamByID(r.Context(), p.Team)
	if err == nil && !access.Of(r).Covers(team) {
		err = web.ErrNotFound
	}
	return p, err
}

// sheetsView is a print formatted for the browser's printer.
type sheetsView struct {
	Slug    string
	Query   template.URL
	Number  int64
	Mine    bool // the reader is printing it
	Deleted bool // the file was deleted
	Sheets  []sheet
}

type sheet struct {
	Head [2]string
	Text string
}

// sheets shows the pages of a print.
func (s *site) sheets(w http.ResponseWriter, r *web.Request) error {
	p, err := s.printAt(r)
	if err != nil {
		return err
	}
	c := access.Of(r).Contest
	team, err := s.Store.TeamByID(r.Context(), p.Team)
	if err != nil {
		return err
	}
	v := sheetsView{
		Slug: c.Slug, Query: filterOf(r).query(), Number: p.Number, Deleted: p.Body == "",
		Mine: p.State == store.Printing && p.Printer == r.Me.Login,
	}
	pages, err := printing.Pages(p.Body)
	if err != nil {
		return err
	}
	head := intake.PrintHead(c, team, p)
	for i, page := range pages {
		v.Sheets = append(v.Sheets, sheet{head.Lines(i+1, len(pages)), page})
	}
	return s.RenderPage(w, r, http.StatusOK, "sheets", fmt.Sprintf("Print %d", p.Number), v)
}

// setPrint changes the state of a print manually.
func (s *site) setPrint(w http.ResponseWriter, r *web.Request) error {
	p, err := s.printAt(r)
	if err != nil {
		return err
	}
	c := access.Of(r).Contest
	list := "/c/" + c.Slug + "/prints"
	query, mine := string(filterOf(r).query()), p.Printer == r.Me.Login || r.Can(auth.SeeSite)
	state, nextPath, allowed := store.PrintWaiting, list, false
	switch do := r.PostFormValue("do"); do {
	case "take": // may be repeated if the paper is lost
		state, nextPath, allowed = store.Printing, fmt.Sprintf(
			"%s/%d", list, p.Number,
		), p.State != store.Printing ||
			p.Printer == r.Me.Login
	case "done":
		state, allowed = store.Printed, p.State != store.Printing || mine
	case "back":
		allowed = p.State == store.PrintFailed || p.State == store.Printing && mine
	default:
		return web.BadRequest("do=%.20q is not one of take, done and back", do)
	}
	if p.State == state && (state != store.Printing || p.Printer == r.Me.Login) { // button tapped twice
		return web.Redirect(w, r, nextPath+query)
	}
	account := r.Me.ID
	if state == store.PrintWaiting {
		account = ""
	}
	if allowed {
		if allowed, err = s.Store.SetPrint(r.Context(), p, state, account, ""); err != nil {
			return err
		}
	}
	if !allowed {
		return refuseLate("another runner or the print command has this print", "reload the page to see who")
	}
	return web.Redirect(w, r, nextPath+query)
}
