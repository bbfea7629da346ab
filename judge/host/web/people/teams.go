package people

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/desk"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// teamsView is the page of those who take part in a contest.
type teamsView struct {
	Slug    string
	Lines   []teamLine
	Slips   []auth.Slip
	There   []auth.Slip
	Address string
	Resets  bool // the reader may make new passwords
	Ends    bool // the contest has an end, which extra time moves
	Penalty bool // time counts in it
	Wrong   string
	Done    string
}

type teamLine struct {
	*store.Team
	Logins, People []string
}

// Minutes writes a length of time as the form takes it; "" for none.
func (teamLine) Minutes(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return strconv.FormatInt(int64(d/time.Minute), 10)
}

func (s *site) teamLines(r *web.Request) (all []teamLine, members map[string][]*store.Account, err error) {
	teams, err := s.Store.Teams(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return nil, nil, err
	}
	if members, err = s.Store.Members(r.Context(), access.Of(r).Contest.ID); err != nil {
		return nil, nil, err
	}
	for _, t := range teams {
		line := teamLine{Team: t}
		for _, a := range members[t.ID] {
			line.Logins, line.People = append(line.Logins, a.Login), append(line.People, a.Display)
		}
		all = append(all, line)
	}
	return all, members, nil
}

func (s *site) teams(w http.ResponseWriter, r *web.Request) error {
	return s.teamsPage(w, r, http.StatusOK, teamsView{Done: map[string]string{"team": "Team saved."}[r.FormValue("done")]})
}

func (s *site) teamsPage(w http.ResponseWriter, r *web.Request, code int, v teamsView) (err error) {
	if v.Lines, _, err = s.teamLines(r); err != nil {
		return err
	}
	c := access.Of(r).Contest
	v.Slug, v.Address, v.Resets, v.Ends, v.Penalty = c.Slug, s.URL, r.Can(auth.Accounts), c.Length != 0, c.Format != store.IOI
	return s.Page(w, r, code, "teams", "Teams", v)
}

// setTeam changes a team: its name, its extra time and penalty, and whether it is hidden.
func (s *site) setTeam(w http.ResponseWriter, r *web.Request) error {
	all, err := s.Store.Teams(r.Context(), access.Of(r).Contest.ID)
	if err != nil {
		return err
	}
	for _, t := range all {
		if fmt.Sprint(t.Number) != r.PathValue("team") {
			continue
		}
		t.Name, t.Hidden = r.Field("name"), r.PostFormValue("hidden") != ""
		if t.Groups, err = auth.Groups(r.PostFormValue("groups")); err != nil {
			return s.teamsPage(w, r, http.StatusBadRequest, teamsView{Wrong: fmt.Sprintf("Team %d was not saved: %v.", t.Number, err)})
		}
		t.ExtraTime, err = minutes("extra time", r.PostFormValue("extra"), 0)
		if err == nil {
			t.ExtraPenalty, err = minutes("extra penalty", r.PostFormValue("penalty"), -mostMinutes)
		}
		if wrong := auth.BadName(t.Name); err == nil && wrong != "" {
			err = errors.New(wrong)
		}
		if err != nil {
			return s.teamsPage(w, r, http.StatusBadRequest, teamsView{Wrong: fmt.Sprintf("Team %d was not saved: %v.", t.Number, err)})
		}
		if err := s.Store.SetTeam(r.Context(), t, r.PostFormValue("was")); err != nil {
			return err
		}
		did := fmt.Sprintf("team %d: extra time %s, penalty %s", t.Number, t.ExtraTime, t.ExtraPenalty)
		if t.Hidden {
			did += ", hidden"
		}
		if len(t.Groups) > 0 {
			did += ", in " + strings.Join(t.Groups, ", ")
		}
		return s.Done(w, r, "change team", access.Of(r).Contest.Slug, did, "/c/"+access.Of(r).Contest.Slug+"/teams?done=team")
	}
	return web.ErrNotFound
}

// mostMinutes is the upper limit of extra time and of extra penalty, in minutes.
const mostMinutes = 100_000

// minutes parses a number of minutes from a form. An empty text means zero.
func minutes(what, text string, least int) (time.Duration, error) {
	n, err := strconv.Atoi(cmp.Or(strings.TrimSpace(text), "0"))
	if err != nil || n < least || n > mostMinutes {
		return 0, fmt.Errorf("the %s %.20q is not valid: enter whole minutes from %d to %d, or leave the field empty for none", what, text, least, mostMinutes)
	}
	return time.Duration(n) * time.Minute, nil
}

// newSlips creates new passwords for the contestants of a contest, except for disabled accounts, and
// shows their login sheets once.
func (s *site) newSlips(w http.ResponseWriter, r *web.Request) error {
	if r.PostFormValue("sure") == "" {
		return s.teamsPage(w, r, http.StatusBadRequest, teamsView{Wrong: "No password was changed. Select the check box to confirm that the old passwords stop working."})
	}
	lines, members, err := s.teamLines(r)
	if err != nil {
		return err
	}
	v, hashes := teamsView{}, map[string]string{}
	for _, line := range lines {
		for _, a := range members[line.ID] {
			if a.Disabled || a.Kind == store.Tool || desk.Role(a) != auth.Contestant {
				continue
			}
			slip := auth.Slip{Login: a.Login, Name: a.Display, Password: auth.NewPassword()}
			if hashes[a.ID], err = s.Passwords.Hash(r.Context(), slip.Password); err != nil {
				return err
			}
			v.Slips = append(v.Slips, slip)
		}
	}
	if len(v.Slips) == 0 {
		return s.teamsPage(w, r, http.StatusConflict, teamsView{Wrong: "No password was changed: no contestant of this contest can get a new one."})
	}
	if err := s.Store.SetPasswords(r.Context(), hashes); err != nil {
		return err
	}
	if err := s.Audit(r, "new passwords", access.Of(r).Contest.Slug, fmt.Sprintf("%d people", len(hashes))); err != nil {
		return err
	}
	return s.teamsPage(w, r, http.StatusOK, v)
}

// teamsTable is who takes part as a table for other programs: a row for each person. It can
// be entered into another contest as it is.
func (s *site) teamsTable(w http.ResponseWriter, r *web.Request) error {
	lines, members, err := s.teamLines(r)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	table := csv.NewWriter(&b) // into memory: it does not fail
	table.Write([]string{"number", "team", "login", "name", "group", "extra_minutes", "penalty_minutes", "hidden"})
	for _, line := range lines {
		of := []string{strconv.FormatInt(line.Number, 10), board.Plain(line.Name)}
		more := []string{board.Plain(strings.Join(line.Groups, ", ")), line.Minutes(line.ExtraTime), line.Minutes(line.ExtraPenalty), strconv.FormatBool(line.Hidden)}
		for _, a := range members[line.ID] {
			table.Write(slices.Concat(of, []string{a.Login, board.Plain(a.Display)}, more))
		}
	}
	table.Flush()
	board.SendTable(w, access.Of(r).Contest.Slug+"-teams.csv", b.Bytes())
	return nil
}
