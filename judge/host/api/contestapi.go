package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/board"
	"assay/judge/host/clics"
	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// contestAPIPath is where the ICPC Contest API is. Without a version it is that of 2023-06, as
// clients of that version ask.
const contestAPIPath = "/api/"

// served are the types that the server has so far.
var served = []clics.Type{
	clics.Contest, clics.JudgementTypes, clics.Languages, clics.Groups, clics.Organizations, clics.Persons, clics.Teams,
	clics.Accounts, clics.Problems, clics.State,
}

// apiClient is a client of the Contest API in a contest.
type apiClient struct {
	*api
	version clics.Version
	seat    *desk.Seat
	role    clics.Role
	now     time.Time
}

// listed is an object of the Contest API with what decides who may see it.
type listed struct {
	clics.Object
	clics.Facts
}

// contestAPI answers a request to the Contest API.
func (a *api) contestAPI(w http.ResponseWriter, r *http.Request) {
	a.Pace(r)
	err := a.answerContestAPI(w, r)
	if s, is := errors.AsType[*status](err); is && s.code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="Contest API", charset="UTF-8"`)
		err = a.slowly(r, err)
	}
	if err == nil {
		return
	}
	s, known := errors.AsType[*status](err)
	if !known {
		a.refuse(w, r, err)
		return
	}
	answer(w, s.code, map[string]any{"code": s.code, "message": s.text})
}

func (a *api) answerContestAPI(w http.ResponseWriter, r *http.Request) error {
	version, path := clics.V2023, strings.TrimPrefix(r.URL.Path, contestAPIPath)
	for _, v := range clics.Versions {
		if rest, is := strings.CutPrefix(path+"/", string(v)+"/"); is {
			version, path = v, rest
			break
		}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		return &status{http.StatusMethodNotAllowed, "the Contest API of this server can only be read", ""}
	}
	w.Header().Set("Access-Control-Allow-Origin", "*") // it has no cookies
	account, err := a.apiAccount(r)
	if err != nil {
		return err
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "" && len(parts) == 1:
		return ok(w, map[string]any{
			"version": version, "version_url": "https://ccs-specs.icpc.io/" + string(version) + "/contest_api",
			"provider": map[string]string{"name": a.Name, "version": a.Version},
		})
	case parts[0] == "contests" && len(parts) == 1:
		return a.apiContests(w, r, version, account)
	case parts[0] == "contests" && len(parts) <= 4:
		c, err := a.apiClient(r.Context(), version, account, parts[1])
		if err != nil {
			return err
		}
		return c.object(w, r, parts[2:])
	}
	return nothingThere
}

var nothingThere = &status{http.StatusNotFound, "there is no such object", ""}

// apiAccount is the account of a request; nil for none. Who sends the username and password of HTTP's
// basic authentication sends a token as the password.
func (a *api) apiAccount(r *http.Request) (*store.Account, error) {
	if r.Header.Get("Authorization") == "" {
		return nil, nil
	}
	user, password, basic := r.BasicAuth()
	if basic {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+password)
	}
	who, err := a.who(r, token)
	if err != nil {
		return nil, err
	}
	if basic && user != who.account.Login {
		return nil, errToken
	}
	return who.account, nil
}

// apiClient finds a contest, and what an account is there. A contest that the account may not see is
// as one that does not exist.
func (a *api) apiClient(ctx context.Context, v clics.Version, account *store.Account, slug string) (*apiClient, error) {
	c, err := a.Store.ContestBySlug(ctx, slug)
	if errors.Is(err, store.ErrNotFound) || err == nil && c.ID == store.Practice {
		return nil, nothingThere
	}
	if err != nil {
		return nil, err
	}
	return a.apiClientIn(ctx, v, account, c)
}

func (a *api) apiClientIn(ctx context.Context, v clics.Version, account *store.Account, c *store.Contest) (*apiClient, error) {
	seat, err := a.Seat(ctx, c, account)
	if err != nil {
		return nil, err
	}
	if !seat.Can(auth.SeeContest) {
		return nil, nothingThere
	}
	role := clics.Public
	switch seat.Role {
	case auth.Admin, auth.ContestAdmin:
		role = clics.Admin
	case auth.Judge:
		role = clics.Judge
	case auth.Runner:
		role = clics.Balloon
	default:
		if seat.Team != nil {
			role = clics.Team
		}
	}
	return &apiClient{a, v, seat, role, a.Time()}, nil
}

func (a *api) apiContests(w http.ResponseWriter, r *http.Request, v clics.Version, account *store.Account) error {
	contests, err := a.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	var all []json.RawMessage
	for _, one := range contests {
		c, err := a.apiClientIn(r.Context(), v, account, one)
		if err == nothingThere {
			continue
		}
		if err != nil {
			return err
		}
		data, err := clics.Encode(clics.Reader{Version: v, Role: c.role}, clics.Contest, c.contest())
		if err != nil {
			return err
		}
		all = append(all, data)
	}
	return list(w, all)
}

// object answers with what is at a path below a contest.
func (c *apiClient) object(w http.ResponseWriter, r *http.Request, path []string) error {
	if len(path) == 0 {
		return c.single(w, clics.Contest, c.contest())
	}
	switch {
	case len(path) == 2:
	case path[0] == "access":
		return c.access(w)
	case path[0] == "state":
		return c.single(w, clics.State, c.state())
	case path[0] == "account":
		return c.account(w, r)
	}
	t := clics.Type(path[0])
	read, known := c.lists()[t]
	if !known || !clics.Announced(c.role, t) {
		return nothingThere
	}
	objects, err := read(r.Context())
	if err != nil {
		return err
	}
	var all []json.RawMessage
	for _, o := range objects {
		o.Started = c.started()
		if !clics.Visible(c.role, t, o.Facts) || len(path) == 2 && o.Object["id"] != path[1] {
			continue
		}
		data, err := clics.Encode(clics.Reader{Version: c.version, Role: c.role, Own: o.Own}, t, o.Object)
		if err != nil {
			return err
		}
		all = append(all, data)
	}
	switch {
	case len(path) == 1:
		return list(w, all)
	case len(all) == 0:
		return nothingThere
	}
	return raw(w, all[0])
}

func (c *apiClient) single(w http.ResponseWriter, t clics.Type, o clics.Object) error {
	data, err := clics.Encode(clics.Reader{Version: c.version, Role: c.role}, t, o)
	if err != nil {
		return err
	}
	return raw(w, data)
}

// access tells a client what it may see. The API cannot be written to yet, so no client has a capability.
func (c *apiClient) access(w http.ResponseWriter) error {
	type endpoint struct {
		Type       clics.Type `json:"type"`
		Properties []string   `json:"properties"`
	}
	all := []endpoint{}
	for _, e := range clics.Access(c.role, c.version, served) {
		all = append(all, endpoint(e))
	}
	return ok(w, map[string]any{"capabilities": []string{}, "endpoints": all})
}

// account answers with the account of the client itself.
func (c *apiClient) account(w http.ResponseWriter, r *http.Request) error {
	if c.role == clics.Public { // also an account that is nothing in the contest
		return nothingThere
	}
	o, err := c.own(r.Context())
	if err != nil {
		return err
	}
	return c.single(w, clics.Accounts, o)
}

// raw answers with JSON that is written already.
func raw(w http.ResponseWriter, data []byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(append(data, '\n')) // to a client that is gone
	return nil
}

func list(w http.ResponseWriter, all []json.RawMessage) error {
	parts := make([][]byte, len(all))
	for i, one := range all {
		parts[i] = one
	}
	return raw(w, append(append([]byte{'['}, bytes.Join(parts, []byte(",\n"))...), ']'))
}

func (c *apiClient) started() bool {
	start := c.seat.Contest.Starts
	return !start.IsZero() && !c.now.Before(start)
}

func (c *apiClient) contest() clics.Object {
	s := c.seat.Contest
	kind := "score"
	o := clics.Object{
		"id": s.Slug, "name": s.Name, "formal_name": s.FormalName, "start_time": s.Starts, "duration": s.Length,
		"scoreboard_thaw_time": s.Thaw, "main_scoreboard_group_id": s.MainGroup,
	}
	if s.Format == store.ICPC {
		kind = "pass-fail"
		o["penalty_time"] = clics.Minutes(board.Contest(s, nil).Rules.Penalty)
	}
	o["scoreboard_type"] = kind
	if s.Freeze != 0 {
		o["scoreboard_freeze_duration"] = max(s.Length-s.Freeze, 0)
	}
	return o
}

func (c *apiClient) state() clics.Object {
	s := c.seat.Contest
	m := clics.Moments{Start: s.Starts, End: s.Ends(), Thaw: s.Thaw, Final: s.Finalized}
	if s.Freeze != 0 && !s.Starts.IsZero() {
		scored := board.Contest(s, nil)
		m.Freeze = scored.Moment(s.Freeze)
	} else if s.Freeze != 0 {
		m.Freeze = time.Unix(1<<40, 0) // it will be frozen, at an unknown time
	}
	return clics.StateOf(m, c.now)
}
