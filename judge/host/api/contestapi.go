package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"assay/judge/host/auth"
	"assay/judge/host/clics"
	"assay/judge/host/desk"
	"assay/judge/host/feed"
	"assay/judge/host/media"
	"assay/judge/host/store"
)

// contestAPIPath is the path of the ICPC Contest API. A path without a version means version 2023-06, because that
// version's clients send none.
const contestAPIPath = contestAPIRoot + "/"

// contestAPIRoot is handled like contestAPIPath. The ICPC Tools request the version there, and do not follow
// relative redirects.
const contestAPIRoot = "/api"

// apiClient is a client of the Contest API in a contest.
type apiClient struct {
	*api
	*feed.Contest
	who  *caller // nil for the public
	seat *desk.Seat
	to   feed.Reader
}

// contestAPI handles a request to the Contest API.
func (a *api) contestAPI(w http.ResponseWriter, r *http.Request) {
	a.Pace(r)
	err := a.answerContestAPI(w, r)
	if err == nil {
		return
	}
	s := a.statusOf(w, r, err)
	if s.code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="Contest API", charset="UTF-8"`)
		if late := a.slowly(r, err); late != err {
			s = a.statusOf(w, r, late)
		}
	}
	text := s.text
	if s.hint != "" {
		text += ": " + s.hint
	}
	answer(w, s.code, contestError{s.code, text})
}

var nothingThere = &status{http.StatusNotFound, "there is no such object", ""}

func (a *api) answerContestAPI(w http.ResponseWriter, r *http.Request) error {
	version, path := clics.V2023, strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, contestAPIRoot), "/")
	for _, v := range clics.Versions {
		if rest, is := strings.CutPrefix(path+"/", string(v)+"/"); is {
			version, path = v, rest
			break
		}
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	rt, methods := contestRouteOf(parts), reading
	if rt != nil {
		methods = rt.methods
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if reads || r.Method == http.MethodOptions {
		w.Header().Set("Access-Control-Allow-Origin", "*") // safe, because the API uses no cookies
	}
	if r.Method == http.MethodOptions {
		w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD")
		w.Header().Set("Access-Control-Allow-Headers", "Authorization")
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if !slices.Contains(methods, r.Method) {
		w.Header().Set("Allow", strings.Join(methods, ", "))
		return &status{http.StatusMethodNotAllowed, "the Contest API of this server does not take " + r.Method + " here", ""}
	}
	who, err := a.apiCaller(r)
	if err != nil {
		return err
	}
	switch {
	case rt == nil:
		return nothingThere
	case rt.root != nil:
		return rt.root(a, w, r, version, who)
	}
	c, err := a.apiClient(r, version, who, parts[1])
	if err != nil {
		return err
	}
	if !reads {
		return c.write(w, r, parts[2:])
	}
	return rt.read(c, w, r, parts[2:])
}

// apiVersion responds with the version of the API.
func (a *api) apiVersion(w http.ResponseWriter, _ *http.Request, version clics.Version, _ *caller) error {
	return ok(w, map[string]any{
		"version": version, "version_url": "https://ccs-specs.icpc.io/" + string(version) + "/contest_api",
		"provider": map[string]string{"name": a.Name, "version": a.Version},
	})
}

// apiClient returns a caller's access to a contest. A contest that the caller may not see is reported as not
// found.
func (a *api) apiClient(r *http.Request, v clics.Version, who *caller, slug string) (*apiClient, error) {
	row, err := a.Store.ContestBySlug(r.Context(), slug)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.ID == store.Practice {
		return nil, nothingThere
	}
	if err != nil {
		return nil, err
	}
	c, err := a.apiClientIn(r, v, who, row)
	if err != nil {
		return nil, err
	}
	c.Contest, err = a.feeds.Contest(r.Context(), row.ID)
	return c, err
}

// apiClientIn is like apiClient, but does not load the objects of the contest.
func (a *api) apiClientIn(r *http.Request, v clics.Version, who *caller, row *store.Contest) (*apiClient, error) {
	var account *store.Account
	if who != nil {
		account = who.account
	}
	seat, err := a.Seat(r.Context(), row, account)
	if err != nil {
		return nil, err
	}
	to := feed.Reader{Version: v, Role: clics.Public, Strict: r.URL.Query().Get("strict") == "1"}
	if account != nil {
		to.Account = account.ID
	}
	listed := clics.Role("")
	if account != nil {
		typ, err := a.Store.ContestAccountType(r.Context(), row.ID, account.ID)
		if err != nil {
			return nil, err
		}
		listed = clics.Role(typ)
	}
	switch {
	case seat.Role == auth.Admin, seat.Role == auth.ContestAdmin:
		to.Role = clics.Admin
	case seat.Role == auth.Judge:
		to.Role = clics.Judge
	case seat.Role == auth.Runner && listed != clics.Staff:
		to.Role = clics.Balloon
	case seat.Team != nil:
		to.Role, to.Team = clics.Team, seat.Team.ID
	case slices.Contains([]clics.Role{clics.Analyst, clics.Staff, clics.Proxy, clics.CDS, clics.Shadow}, listed):
		to.Role, seat.State.Shown = listed, true
	}
	to.Sites = strings.Join(seat.Sites, " ")
	if !seat.Can(auth.SeeContest) {
		return nil, nothingThere
	}
	return &apiClient{api: a, who: who, seat: seat, to: to}, nil
}

func (a *api) apiContests(w http.ResponseWriter, r *http.Request, v clics.Version, who *caller) error {
	contests, err := a.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	all := []json.RawMessage{}
	for _, one := range contests {
		c, err := a.apiClientIn(r, v, who, one)
		if err == nothingThere {
			continue
		}
		if err != nil {
			return err
		}
		files, err := a.Store.Media(r.Context(), one.ID)
		if err != nil {
			return err
		}
		if !c.to.Role.Insider() && (one.Starts.IsZero() || a.Time().Before(one.Starts)) {
			files = slices.DeleteFunc(files, func(f media.File) bool { return f.Property == media.ProblemSet })
		}
		data, err := clics.Encode(clics.Reader{Version: v, Role: c.to.Role, Strict: c.to.Strict}, clics.Contest, feed.Overview(one, files))
		if err != nil {
			return err
		}
		all = append(all, data)
	}
	return list(w, all)
}

// objects responds with the objects of a type, or with the one that has the given id.
func (c *apiClient) objects(w http.ResponseWriter, r *http.Request, t clics.Type, id []string) error {
	if !clics.Announced(c.to.Role, t) {
		return nothingThere
	}
	all := []json.RawMessage{}
	for l, err := range c.Each(c.to, t) {
		if err != nil {
			return err
		}
		if len(id) == 1 && l.ID == id[0] || len(id) == 0 && c.matches(r, &l) {
			all = append(all, l.Data)
		}
	}
	switch {
	case len(id) == 0:
		return list(w, all)
	case len(all) == 0:
		return nothingThere
	}
	return raw(w, all[0])
}

// matches reports whether an object has the ids that the query of a request requires. An empty id in the query
// matches an object without that property.
func (c *apiClient) matches(r *http.Request, l *feed.Line) bool {
	for name, values := range r.URL.Query() {
		if name != "id" && !strings.HasSuffix(name, "_id") || !clics.Sees(c.to.Role, c.to.Version, l.Type, name, true) {
			continue
		}
		value, _ := l.Object[name].(string)
		if !clics.Sees(c.to.Role, c.to.Version, l.Type, name, l.Own) {
			value = ""
		}
		if slices.ContainsFunc(values, func(want string) bool { return want != value }) {
			return false
		}
	}
	return true
}

func (c *apiClient) single(w http.ResponseWriter, t clics.Type) error {
	lines, err := c.List(c.to, t)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return nothingThere
	}
	return raw(w, lines[0].Data)
}

// access responds with the client's capabilities and the endpoints that it may read.
func (c *apiClient) access(w http.ResponseWriter) error {
	type endpoint struct {
		Type       clics.Type `json:"type"`
		Properties []string   `json:"properties"`
	}
	all := []endpoint{}
	for _, e := range clics.Access(c.to.Role, c.to.Version, c.to.Strict) {
		all = append(all, endpoint(e))
	}
	return ok(w, map[string]any{"capabilities": clics.Capabilities(c.to.Role, c.to.Version), "endpoints": all})
}

// account responds with the client's own account, which need not be part of a contest package.
func (c *apiClient) account(w http.ResponseWriter) error {
	if c.to.Role == clics.Public { // including accounts without access to the contest
		return nothingThere
	}
	lines, err := c.List(c.to, clics.Accounts)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if l.Own {
			return raw(w, l.Data)
		}
	}
	me := c.seat.Account
	o := clics.Object{"id": me.Login, "username": me.Login, "name": me.Display, "type": c.to.Role.AccountType()}
	if c.seat.Team != nil && c.to.Role == clics.Team {
		o["team_id"] = c.seat.Team.ExtID
	}
	return c.encode(w, clics.Accounts, o)
}

func (c *apiClient) encode(w http.ResponseWriter, t clics.Type, o clics.Object) error {
	data, err := clics.Encode(clics.Reader{Version: c.to.Version, Role: c.to.Role, Strict: c.to.Strict}, t, o)
	if err != nil {
		return err
	}
	return raw(w, data)
}

func (c *apiClient) scoreboard(w http.ResponseWriter, r *http.Request) error {
	o, known := c.Scoreboard(c.to, r.URL.Query().Get("group_id"))
	if !known {
		return &status{http.StatusBadRequest, "the contest has no group with this id", ""}
	}
	return c.encode(w, clics.Scoreboard, o)
}

// raw responds with encoded JSON.
func raw(w http.ResponseWriter, data []byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(append(slices.Clip(data), '\n')) // the client may have disconnected
	return nil
}

func list(w http.ResponseWriter, all []json.RawMessage) error {
	parts := make([][]byte, len(all))
	for i, one := range all {
		parts[i] = one
	}
	return raw(w, append(append([]byte{'['}, bytes.Join(parts, []byte(",\n"))...), ']'))
}

// again returns the client with its current access rights, for a feed that has been open for some time.
func (c *apiClient) again(r *http.Request) (*apiClient, error) {
	who, err := c.apiCaller(r)
	if err != nil {
		return nil, err
	}
	row, err := c.Store.Contest(context.WithoutCancel(r.Context()), c.seat.Contest.ID)
	if err != nil {
		return nil, err
	}
	return c.apiClientIn(r, c.to.Version, who, row)
}
