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

// readMethods lists the methods that change nothing. writing adds others to them.
var readMethods = []string{http.MethodGet, http.MethodHead}

func withWriteMethods(methods ...string) []string {
	return append(slices.Clone(readMethods), methods...)
}

// inContest is the prefix of paths below a contest.
const inContest = "contests/{contest}"

// contestRoutes lists all paths of the Contest API.
var contestRoutes = slices.Concat([]contestRoute{
	{path: "", methods: readMethods, root: (*api).apiVersion, out: propertiesSchema("version", "version_url", "provider")},
	{path: "printing/team", methods: []string{http.MethodPost}, root: (*api).apiPrint,
		in: map[string]any{http.MethodPost: sentPrint{}}, out: propertiesSchema("success", "output")},
	{path: "contests", methods: readMethods, root: (*api).apiContests, query: []string{"strict"}, out: listSchema(clics.Contest)},
	{path: inContest, methods: withWriteMethods(http.MethodPatch), read: singleReader(clics.Contest), query: []string{"strict"},
		in: map[string]any{http.MethodPatch: sentContest{}}, out: objectSchema(clics.Contest), empty: true},
	{path: inContest + "/state", methods: readMethods, read: singleReader(clics.State), out: objectSchema(clics.State)},
	{path: inContest + "/access", methods: readMethods, read: withoutRequest((*apiClient).accessInfo), query: []string{"strict"},
		out: propertiesSchema("capabilities", "endpoints")},
	{path: inContest + "/account", methods: readMethods, read: withoutRequest((*apiClient).ownAccount), out: objectSchema(clics.Accounts)},
	{path: inContest + "/commentary", methods: readMethods, out: emptySchema,
		read: withoutRequest(func(_ *apiClient, w http.ResponseWriter) error { return writeList(w, nil) })},
	{
		path: inContest + "/scoreboard", methods: readMethods, read: withoutPath((*apiClient).scoreboard),
		query: []string{"group_id", "strict"}, out: objectSchema(clics.Scoreboard),
	},
	{
		path: inContest + "/event-feed", methods: readMethods, read: withoutPath((*apiClient).eventFeed),
		out:   propertiesSchema("type", "data"),
		query: []string{"since_token", "since_id", "types", "stream", "strict"}, media: "application/x-ndjson",
	},
	{
		path: inContest + "/submissions/{id}/files", methods: readMethods, read: (*apiClient).sendSubmissionFiles,
		out: archiveSchema, media: "application/zip",
	},
	{
		path: inContest + "/submissions/{id}/files/files.zip", methods: readMethods,
		read: (*apiClient).sendSubmissionFiles, out: archiveSchema, media: "application/zip",
	},
}, endpoints(), []contestRoute{
	{path: inContest + "/{property}/{filename}", methods: readMethods, read: contestFile, out: archiveSchema, media: anyMedia},
	{path: inContest + "/{type}/{id}/{property}/{filename}", methods: readMethods, read: objectFile, out: archiveSchema, media: anyMedia},
})

// anyMedia is the media type for files, which have their own types.
const anyMedia = "*/*"

// endpoints returns the routes for the lists of objects of each type, and for single objects.
func endpoints() (result []contestRoute) {
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
		listRoute := contestRoute{
			path: inContest + "/" + string(t), methods: readMethods, read: listReader(t), query: query,
			out: listSchema(t),
		}
		single := contestRoute{
			path: listRoute.path + "/{id}", methods: readMethods, read: listReader(t), query: []string{"strict"},
			out: objectSchema(t),
		}
		if write, writable := writes[t]; writable {
			listRoute.methods, listRoute.in = withWriteMethods(http.MethodPost), map[string]any{http.MethodPost: write.in}
			single.methods, single.in = withWriteMethods(write.one...), map[string]any{http.MethodPut: write.in, http.MethodPatch: write.in}
		}
		result = append(result, listRoute, single)
	}
	return result
}

// contestRouteOf returns the route of a path, given its elements. It returns nil if there is none.
func contestRouteOf(parts []string) *contestRoute {
	for i := range contestRoutes {
		if contestRoutes[i].matches(parts) {
			return &contestRoutes[i]
		}
	}
	return nil
}

func (rt *contestRoute) matches(parts []string) bool {
	elements := strings.Split(rt.path, "/")
	if len(elements) != len(parts) {
		return false
	}
	for i, part := range elements {
		if part != parts[i] && (!strings.HasPrefix(part, "{") || parts[i] == "") {
			return false
		}
	}
	return true
}

func singleReader(t clics.Type) func(*apiClient, http.ResponseWriter, *http.Request, []string) error {
	return func(c *apiClient, w http.ResponseWriter, _ *http.Request, _ []string) error { return c.single(w, t) }
}

func listReader(t clics.Type) func(*apiClient, http.ResponseWriter, *http.Request, []string) error {
	return func(c *apiClient, w http.ResponseWriter, r *http.Request, path []string) error {
		return c.objects(w, r, t, path[1:])
	}
}

func withoutRequest(read func(*apiClient, http.ResponseWriter) error) func(*apiClient, http.ResponseWriter, *http.Request, []string) error {
	return func(c *apiClient, w http.ResponseWriter, _ *http.Request, _ []string) error { return read(c, w) }
}

func withoutPath(
	read func(*apiClient, http.ResponseWriter, *http.Request) error,
) func(*apiClient, http.ResponseWriter, *http.Request, []string) error {
	return func(c *apiClient, w http.ResponseWriter, r *http.Request, _ []string) error { return read(c, w, r) }
}

// objectSchema returns a function that makes the schema for a response with a single object.
func objectSchema(t clics.Type) func(clics.Version) openapi.Schema {
	return func(v clics.Version) openapi.Schema { return clics.Schema(t, v) }
}

// listSchema returns a function that makes the schema for a response with a list of objects.
func listSchema(t clics.Type) func(clics.Version) openapi.Schema {
	return func(v clics.Version) openapi.Schema {
		return openapi.Schema{"type": "array", "items": clics.Schema(t, v)}
	}
}

// propertiesSchema returns a function that makes the schema for a response with the named properties.
func propertiesSchema(names ...string) func(clics.Version) openapi.Schema {
	return func(clics.Version) openapi.Schema { return openapi.Schema{"type": "object", "required": names} }
}

func emptySchema(clics.Version) openapi.Schema { return openapi.Schema{"type": "array", "maxItems": 0} }

func archiveSchema(clics.Version) openapi.Schema { return archiveMedia }
