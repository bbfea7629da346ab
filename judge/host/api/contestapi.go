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
	"assay/judge/host/feed"
	"assay/judge/host/intake"
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
	caller        *caller // nil for the public
	contestAccess *intake.ContestAccess
	reader        feed.Reader
}

// contestAPI handles a request to the Contest API.
func (a *api) contestAPI(w http.ResponseWriter, r *http.Request) {
	a.PaceNetwork(r)
	err := a.handleContestAPI(w, r)
	if err == nil {
		return
	}
	s := a.statusOf(w, r, err)
	if s.code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Basic realm="Contest API", charset="UTF-8"`)
		if late := a.delayError(r, err); late != err {
			s = a.statusOf(w, r, late)
		}
	}
	text := s.text
	if s.hint != "" {
		text += ": " + s.hint
	}
	writeJSON(w, s.code, contestError{s.code, text})
}

var errNoPath = &status{http.StatusNotFound, "there is no such object", ""}

func (a *api) handleContestAPI(w http.ResponseWriter, r *http.Request) error {
	version, path := clics.V2023, strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, contestAPIRoot), "/")
	for _, v := range clics.Versions {
		if rest, isVersion := strings.CutPrefix(path+"/", string(v)+"/"); isVersion {
			version, path = v, rest
			break
		}
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	rt, methods := contestRouteOf(parts), readMethods
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
	caller, err := a.apiCaller(r)
	if err != nil {
		return err
	}
	switch {
	case rt == nil:
		return errNoPath
	case rt.root != nil:
		return rt.root(a, w, r, version, caller)
	}
	c, err := a.apiClient(r, version, caller, parts[1])
	if err != nil {
		return err
	}
	if !reads {
		return c.writeObject(w, r, parts[2:])
	}
	return rt.read(c, w, r, parts[2:])
}

// apiVersion responds with the version of the API.
func (a *api) apiVersion(w http.ResponseWriter, _ *http.Request, version clics.Version, _ *caller) error {
	return writeOK(w, map[string]any{
		"version": version, "version_url": "https://ccs-specs.icpc.io/" + string(version) + "/contest_api",
		"provider": map[string]string{"name": a.Name, "version": a.Version},
	})
}

// apiClient returns a caller's access to a contest. A contest that the caller may not see is reported as not
// found.
func (a *api) apiClient(r *http.Request, v clics.Version, caller *caller, slug string) (*apiClient, error) {
	row, err := a.Store.ContestBySlug(r.Context(), slug)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.ID == store.Practice {
		return nil, errNoPath
	}
	if err != nil {
		return nil, err
	}
	c, err := a.newAPIClient(r, v, caller, row)
	if err != nil {
		return nil, err
	}
	c.Contest, err = a.feeds.Contest(r.Context(), row.ID)
	return c, err
}

// newAPIClient is like apiClient, but does not load the objects of the contest.
func (a *api) newAPIClient(r *http.Request, v clics.Version, caller *caller, row *store.Contest) (*apiClient, error) {
	var account *store.Account
	if caller != nil {
		account = caller.account
	}
	contestAccess, err := a.ContestAccess(r.Context(), row, account)
	if err != nil {
		return nil, err
	}
	reader := feed.Reader{Version: v, Role: clics.Public, Strict: r.URL.Query().Get("strict") == "1"}
	if account != nil {
		reader.Account = account.ID
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
	case contestAccess.Role == auth.Admin, contestAccess.Role == auth.ContestAdmin:
		reader.Role = clics.Admin
	case contestAccess.Role == auth.Judge:
		reader.Role = clics.Judge
	case contestAccess.Role == auth.BalloonRunner && listed != clics.Staff:
		reader.Role = clics.Balloon
	case contestAccess.Team != nil:
		reader.Role, reader.Team = clics.Team, contestAccess.Team.ID
	case slices.Contains([]clics.Role{clics.Analyst, clics.Staff, clics.Proxy, clics.CDS, clics.Shadow}, listed):
		reader.Role, contestAccess.State.Visible = listed, true
	}
	reader.Sites = strings.Join(contestAccess.Sites, " ")
	if !contestAccess.Can(auth.SeeContest) {
		return nil, errNoPath
	}
	return &apiClient{api: a, caller: caller, contestAccess: contestAccess, reader: reader}, nil
}

func (a *api) apiContests(w http.ResponseWriter, r *http.Request, v clics.Version, caller *caller) error {
	contests, err := a.Store.Contests(r.Context())
	if err != nil {
		return err
	}
	lines := []json.RawMessage{}
	for _, contest := range contests {
		c, err := a.newAPIClient(r, v, caller, contest)
		if err == errNoPath {
			continue
		}
		if err != nil {
			return err
		}
		files, err := a.Store.Media(r.Context(), contest.ID)
		if err != nil {
			return err
		}
		if !c.reader.Role.SeesAll() && (contest.Starts.IsZero() || a.Time().Before(contest.Starts)) {
			files = slices.DeleteFunc(files, func(f media.File) bool { return f.Property == media.ProblemSet })
		}
		data, err := clics.Encode(
			clics.Reader{Version: v, Role: c.reader.Role, Strict: c.reader.Strict}, clics.Contest,
			feed.Overview(contest, files),
		)
		if err != nil {
			return err
		}
		lines = append(lines, data)
	}
	return writeList(w, lines)
}

// objects responds with the objects of a type, or with the one that has the given id.
func (c *apiClient) objects(w http.ResponseWriter, r *http.Request, t clics.Type, id []string) error {
	if !clics.HasEndpoint(c.reader.Role, t) {
		return errNoPath
	}
	encoded := []json.RawMessage{}
	for l, err := range c.Each(c.reader, t) {
		if err != nil {
			return err
		}
		if len(id) == 1 && l.ID == id[0] || len(id) == 0 && c.matches(r, &l) {
			encoded = append(encoded, l.Data)
		}
	}
	switch {
	case len(id) == 0:
		return writeList(w, encoded)
	case len(encoded) == 0:
		return errNoPath
	}
	return writeRaw(w, encoded[0])
}

// matches reports whether an object has the ids that the query of a request requires. An empty id in the query
// matches an object without that property.
func (c *apiClient) matches(r *http.Request, l *feed.Line) bool {
	for name, values := range r.URL.Query() {
		if name != "id" && !strings.HasSuffix(name, "_id") || !clics.CanSee(c.reader.Role, c.reader.Version, l.Type, name, true) {
			continue
		}
		value, _ := l.Object[name].(string)
		if !clics.CanSee(c.reader.Role, c.reader.Version, l.Type, name, l.Own) {
			value = ""
		}
		if slices.ContainsFunc(values, func(required string) bool { return required != value }) {
			return false
		}
	}
	return true
}

func (c *apiClient) single(w http.ResponseWriter, t clics.Type) error {
	lines, err := c.List(c.reader, t)
	if err != nil {
		return err
	}
	if len(lines) == 0 {
		return errNoPath
	}
	return writeRaw(w, lines[0].Data)
}

// accessInfo responds with the client's capabilities and the endpoints that it may read.
func (c *apiClient) accessInfo(w http.ResponseWriter) error {
	type endpoint struct {
		Type       clics.Type `json:"type"`
		Properties []string   `json:"properties"`
	}
	accessible := []endpoint{}
	for _, e := range clics.Access(c.reader.Role, c.reader.Version, c.reader.Strict) {
		accessible = append(accessible, endpoint(e))
	}
	return writeOK(w, map[string]any{"capabilities": clics.Capabilities(c.reader.Role, c.reader.Version), "endpoints": accessible})
}

// ownAccount responds with the client's own account, which need not be part of a contest package.
func (c *apiClient) ownAccount(w http.ResponseWriter) error {
	if c.reader.Role == clics.Public { // including accounts without access to the contest
		return errNoPath
	}
	lines, err := c.List(c.reader, clics.Accounts)
	if err != nil {
		return err
	}
	for _, l := range lines {
		if l.Own {
			return writeRaw(w, l.Data)
		}
	}
	me := c.contestAccess.Account
	o := clics.Object{"id": me.Login, "username": me.Login, "name": me.Display, "type": c.reader.Role.AccountType()}
	if c.contestAccess.Team != nil && c.reader.Role == clics.Team {
		o["team_id"] = c.contestAccess.Team.ExtID
	}
	return c.encode(w, clics.Accounts, o)
}

func (c *apiClient) encode(w http.ResponseWriter, t clics.Type, o clics.Object) error {
	data, err := clics.Encode(clics.Reader{Version: c.reader.Version, Role: c.reader.Role, Strict: c.reader.Strict}, t, o)
	if err != nil {
		return err
	}
	return writeRaw(w, data)
}

func (c *apiClient) scoreboard(w http.ResponseWriter, r *http.Request) error {
	o, found := c.Scoreboard(c.reader, r.URL.Query().Get("group_id"))
	if !found {
		return &status{http.StatusBadRequest, "the contest has no group with this id", ""}
	}
	return c.encode(w, clics.Scoreboard, o)
}

// writeRaw responds with encoded JSON.
func writeRaw(w http.ResponseWriter, data []byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(append(slices.Clip(data), '\n')) // the client may have disconnected
	return nil
}

func writeList(w http.ResponseWriter, items []json.RawMessage) error {
	parts := make([][]byte, len(items))
	for i, item := range items {
		parts[i] = item
	}
	return writeRaw(w, append(append([]byte{'['}, bytes.Join(parts, []byte(",\n"))...), ']'))
}

// refresh returns the client with its current access rights, for a feed that has been open for some time.
func (c *apiClient) refresh(r *http.Request) (*apiClient, error) {
	caller, err := c.apiCaller(r)
	if err != nil {
		return nil, err
	}
	row, err := c.Store.Contest(context.WithoutCancel(r.Context()), c.contestAccess.Contest.ID)
	if err != nil {
		return nil, err
	}
	return c.newAPIClient(r, c.reader.Version, caller, row)
}
