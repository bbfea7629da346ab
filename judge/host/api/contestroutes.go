package api

import (
	"net/http"
	"slices"
	"strings"

	"assay/judge/host/clics"
	"assay/judge/host/openapi"
)

// contestRoute is a path of the Contest API, below its version.
type contestRoute struct {
	path    string // with variables in braces
	methods []string
	// root handles all methods of a path outside of contests. For a path below a contest, read handles GET, and
	// write handles the other methods.
	root  func(a *api, w http.ResponseWriter, r *http.Request, v clics.Version, who *caller) error
	read  func(c *apiClient, w http.ResponseWriter, r *http.Request, path []string) error
	query []string
	in    map[string]any // values of the JSON types of the request, by method
	out   func(v clics.Version) openapi.Schema
	media string // media type of a GET response, if it is not JSON
	empty bool   // whether the response to other methods may be empty
}

// reading lists the methods that change nothing. writing adds others to them.
var reading = []string{http.MethodGet, http.MethodHead}

func writing(methods ...string) []string { return append(slices.Clone(reading), methods...) }

// inContest is the prefix of paths below a contest.
const inContest = "contests/{contest}"

// contestRoutes lists all paths of the Contest API.
var contestRoutes = slices.Concat([]contestRoute{
	{path: "", methods: reading, root: (*api).apiVersion, out: plainly("version", "version_url", "provider")},
	{path: "printing/team", methods: []string{http.MethodPost}, root: (*api).apiPrint,
		in: map[string]any{http.MethodPost: sentPrint{}}, out: plainly("success", "output")},
	{path: "contests", methods: reading, root: (*api).apiContests, query: []string{"strict"}, out: listOf(clics.Contest)},
	{path: inContest, methods: writing(http.MethodPatch), read: one(clics.Contest), query: []string{"strict"},
		in: map[string]any{http.MethodPatch: sentContest{}}, out: object(clics.Contest), empty: true},
	{path: inContest + "/state", methods: reading, read: one(clics.State), out: object(clics.State)},
	{path: inContest + "/access", methods: reading, read: plain((*apiClient).access), query: []string{"strict"},
		out: plainly("capabilities", "endpoints")},
	{path: inContest + "/account", methods: reading, read: plain((*apiClient).account), out: object(clics.Accounts)},
	{path: inContest + "/commentary", methods: reading, out: nothings,
		read: plain(func(_ *apiClient, w http.ResponseWriter) error { return list(w, nil) })},
	{path: inContest + "/scoreboard", methods: reading, read: withoutPath((*apiClient).scoreboard), query: []string{"group_id", "strict"},
		out: object(clics.Scoreboard)},
	{path: inContest + "/event-feed", methods: reading, read: withoutPath((*apiClient).eventFeed), out: plainly("type", "data"),
		query: []string{"since_token", "since_id", "types", "stream", "strict"}, media: "application/x-ndjson"},
	{path: inContest + "/submissions/{id}/files", methods: reading, read: (*apiClient).file, out: zipped, media: "application/zip"},
	{path: inContest + "/submissions/{id}/files/files.zip", methods: reading, read: (*apiClient).file, out: zipped,
		media: "application/zip"},
}, endpoints(), []contestRoute{
	{path: inContest + "/{property}/{filename}", methods: reading, read: contestFile, out: zipped, media: anyMedia},
	{path: inContest + "/{type}/{id}/{property}/{filename}", methods: reading, read: objectFile, out: zipped, media: anyMedia},
})

// anyMedia is the media type for files, which have their own types.
const anyMedia = "*/*"

// endpoints returns the routes for the lists of objects of each type, and for single objects.
func endpoints() (all []contestRoute) {
	writes := map[clics.Type]struct {
		one []string // methods of a single object
		in  any
	}{
		clics.Submissions:    {[]string{http.MethodPut}, sentSubmission{}},
		clics.Clarifications: {[]string{http.MethodPut}, sentClarification{}},
		clics.Awards:         {[]string{http.MethodPut, http.MethodPatch, http.MethodDelete}, sentAward{}},
	}
	for _, t := range clics.Types {
		if t == clics.Contest || t == clics.State || t == clics.Scoreboard {
			continue
		}
		query := []string{"strict"}
		for _, p := range clics.Properties(t) {
			if p == "id" || strings.HasSuffix(p, "_id") {
				query = append(query, p)
			}
		}
		many := contestRoute{path: inContest + "/" + string(t), methods: reading, read: objects(t), query: query, out: listOf(t)}
		single := contestRoute{path: many.path + "/{id}", methods: reading, read: objects(t), query: []string{"strict"}, out: object(t)}
		if write, is := writes[t]; is {
			many.methods, many.in = writing(http.MethodPost), map[string]any{http.MethodPost: write.in}
			single.methods, single.in = writing(write.one...), map[string]any{http.MethodPut: write.in, http.MethodPatch: write.in}
		}
		all = append(all, many, single)
	}
	return all
}

// contestRouteOf returns the route of a path, given its elements. It returns nil if there is none.
func contestRouteOf(parts []string) *contestRoute {
	for i := range contestRoutes {
		if contestRoutes[i].fits(parts) {
			return &contestRoutes[i]
		}
	}
	return nil
}

func (rt *contestRoute) fits(parts []string) bool {
	want := strings.Split(rt.path, "/")
	if len(want) != len(parts) {
		return false
	}
	for i, part := range want {
		if part != parts[i] && (!strings.HasPrefix(part, "{") || parts[i] == "") {
			return false
		}
	}
	return true
}

func one(t clics.Type) func(*apiClient, http.ResponseWriter, *http.Request, []string) error {
	return func(c *apiClient, w http.ResponseWriter, _ *http.Request, _ []string) error { return c.single(w, t) }
}

func objects(t clics.Type) func(*apiClient, http.ResponseWriter, *http.Request, []string) error {
	return func(c *apiClient, w http.ResponseWriter, r *http.Request, path []string) error {
		return c.objects(w, r, t, path[1:])
	}
}

func plain(read func(*apiClient, http.ResponseWriter) error) func(*apiClient, http.ResponseWriter, *http.Request, []string) error {
	return func(c *apiClient, w http.ResponseWriter, _ *http.Request, _ []string) error { return read(c, w) }
}

func withoutPath(
	read func(*apiClient, http.ResponseWriter, *http.Request) error,
) func(*apiClient, http.ResponseWriter, *http.Request, []string) error {
	return func(c *apiClient, w http.ResponseWriter, r *http.Request, _ []string) error { return read(c, w, r) }
}

// object returns a function that makes the schema for a response with a single object.
func object(t clics.Type) func(clics.Version) openapi.Schema {
	return func(v clics.Version) openapi.Schema { return clics.Schema(t, v) }
}

// listOf returns a function that makes the schema for a response with a list of objects.
func listOf(t clics.Type) func(clics.Version) openapi.Schema {
	return func(v clics.Version) openapi.Schema {
		return openapi.Schema{"type": "array", "items": clics.Schema(t, v)}
	}
}

// plainly returns a function that makes the schema for a response with the named properties.
func plainly(names ...string) func(clics.Version) openapi.Schema {
	return func(clics.Version) openapi.Schema { return openapi.Schema{"type": "object", "required": names} }
}

func nothings(clics.Version) openapi.Schema { return openapi.Schema{"type": "array", "maxItems": 0} }

func zipped(clics.Version) openapi.Schema { return archive }
