package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"

	"assay/judge/host/clics"
	"assay/judge/host/openapi"
)

// OpenAPIPath is the path of the API description.
const OpenAPIPath = contestAPIPath + "openapi.json"

// The methods by which a caller can authenticate.
const (
	tokenScheme    = "token"
	workerScheme   = "worker"
	passwordScheme = "password"
)

var securitySchemes = map[string]any{
	tokenScheme: map[string]any{"type": "http", "scheme": "bearer", "description": "An access token of an account."},
	workerScheme: map[string]any{
		"type": "apiKey", "in": "header", "name": "Authorization", "description": "The signature of a worker, with its key.",
	},
	passwordScheme: map[string]any{
		"type": "http", "scheme": "basic",
		"description": "A username with its password, or with an access token.",
	},
}

// contestError is an error response of the Contest API.
type contestError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// refusal is an error response of all other routes.
type refusal struct {
	Error string `json:"error"`
	Hint  string `json:"hint"`
}

// describeAPI returns the description of all routes of the API.
func describeAPI(version string) ([]byte, error) {
	operations := []openapi.Operation{{
		Method: http.MethodGet, Path: OpenAPIPath, Tag: "description", Out: openapi.Schema{"type": "object"}, Error: contestError{},
	}}
	for i := range routes {
		operations = append(operations, routes[i].operation())
	}
	for _, v := range clics.Versions {
		for i := range contestRoutes {
			operations = append(operations, contestRoutes[i].operations(v)...)
		}
	}
	doc, err := openapi.Describe(openapi.Info{
		Title: "Assay", Version: version, Security: securitySchemes,
		Description: "The API of commands and workers at /v1/, and the ICPC Contest API in two versions. " +
			"Without a version, /api/ is that of " + string(clics.V2023) + ". " +
			"Later versions of /v1/ add paths and properties, and remove none.",
	}, operations)
	if err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}

// operation describes a route.
func (rt *route) operation() openapi.Operation {
	method, path, _ := strings.Cut(rt.patternPath(), " ")
	o := openapi.Operation{Method: method, Path: path, Tag: "commands", Query: rt.query(), In: rt.in, Out: rt.out, Error: refusal{}}
	if s, isSchema := rt.out.(openapi.Schema); isSchema {
		o.Media, _ = s["contentMediaType"].(string)
	}
	if s, isSchema := rt.in.(openapi.Schema); isSchema {
		o.InMedia, _ = s["contentMediaType"].(string)
	}
	if rt.isStream() {
		o.Media = "application/x-ndjson"
	}
	switch rt.need {
	case needNothing:
	case needWorker:
		o.Tag, o.Security = "workers", []string{workerScheme}
	default:
		o.Security = []string{tokenScheme}
	}
	return o
}

// operations returns descriptions of the operations on a path of the Contest API in version v.
func (rt *contestRoute) operations(v clics.Version) (operations []openapi.Operation) {
	path := strings.TrimSuffix(contestAPIPath+string(v)+"/"+rt.path, "/")
	for _, method := range rt.methods {
		if method == http.MethodHead {
			continue
		}
		o := openapi.Operation{
			Method: method, Path: path, Tag: "Contest API " + string(v), In: rt.in[method], Out: rt.out(v), Error: contestError{},
			Security: []string{"", tokenScheme, passwordScheme},
		}
		o.Empty = rt.empty && method != http.MethodGet
		switch method {
		case http.MethodGet:
			o.Query, o.Media, o.Cached = rt.query, rt.media, rt.media == anyMedia
		case http.MethodDelete:
			o.In, o.Out, o.Code = nil, nil, http.StatusNoContent
		case http.MethodPost:
			if list, isList := rt.out(v)["items"].(map[string]any); isList { // the response is the object that was written
				o.Out = openapi.Schema(list)
			}
		}
		operations = append(operations, o)
	}
	return operations
}

// descriptionHandler responds with the description of the API.
func (a *api) descriptionHandler() http.HandlerFunc {
	doc := sync.OnceValues(func() ([]byte, error) { return describeAPI(a.Version) })
	return func(w http.ResponseWriter, r *http.Request) {
		a.PaceNetwork(r)
		data, err := doc()
		if err != nil {
			a.writeError(w, r, err)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_ = writeRaw(w, slices.Clip(data)) // always returns nil
	}
}
