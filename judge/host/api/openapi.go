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
	byToken    = "token"
	byWorker   = "worker"
	byPassword = "password"
)

var waysToProve = map[string]any{
	byToken: map[string]any{"type": "http", "scheme": "bearer", "description": "An access token of an account."},
	byWorker: map[string]any{
		"type": "apiKey", "in": "header", "name": "Authorization", "description": "The signature of a worker, with its key.",
	},
	byPassword: map[string]any{"type": "http", "scheme": "basic", "description": "A username with its password, or with an access token."},
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

// describe returns the description of all routes of the API.
func describe(version string) ([]byte, error) {
	all := []openapi.Operation{{
		Method: http.MethodGet, Path: OpenAPIPath, Tag: "description", Out: openapi.Schema{"type": "object"}, Error: contestError{},
	}}
	for i := range routes {
		all = append(all, routes[i].operation())
	}
	for _, v := range clics.Versions {
		for i := range contestRoutes {
			all = append(all, contestRoutes[i].operations(v)...)
		}
	}
	doc, err := openapi.Describe(openapi.Info{
		Title: "Assay", Version: version, Security: waysToProve,
		Description: "The API of commands and workers at /v1/, and the ICPC Contest API in two versions. " +
			"Without a version, /api/ is that of " + string(clics.V2023) + ". " +
			"Later versions of /v1/ add paths and properties, and remove none.",
	}, all)
	if err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}

// operation describes a route.
func (rt *route) operation() openapi.Operation {
	method, path, _ := strings.Cut(rt.path(), " ")
	o := openapi.Operation{Method: method, Path: path, Tag: "commands", Query: rt.query(), In: rt.in, Out: rt.out, Error: refusal{}}
	if s, is := rt.out.(openapi.Schema); is {
		o.Media, _ = s["contentMediaType"].(string)
	}
	if s, is := rt.in.(openapi.Schema); is {
		o.InMedia, _ = s["contentMediaType"].(string)
	}
	if rt.streams() {
		o.Media = "application/x-ndjson"
	}
	switch rt.need {
	case nothing:
	case asWorker:
		o.Tag, o.Security = "workers", []string{byWorker}
	default:
		o.Security = []string{byToken}
	}
	return o
}

// operations returns descriptions of the operations on a path of the Contest API in version v.
func (rt *contestRoute) operations(v clics.Version) (all []openapi.Operation) {
	path := strings.TrimSuffix(contestAPIPath+string(v)+"/"+rt.path, "/")
	for _, method := range rt.methods {
		if method == http.MethodHead {
			continue
		}
		o := openapi.Operation{
			Method: method, Path: path, Tag: "Contest API " + string(v), In: rt.in[method], Out: rt.out(v), Error: contestError{},
			Security: []string{"", byToken, byPassword},
		}
		o.Empty = rt.empty && method != http.MethodGet
		switch method {
		case http.MethodGet:
			o.Query, o.Media, o.Cached = rt.query, rt.media, rt.media == anyMedia
		case http.MethodDelete:
			o.In, o.Out, o.Code = nil, nil, http.StatusNoContent
		case http.MethodPost:
			if list, is := rt.out(v)["items"].(map[string]any); is { // the response is the object that was written
				o.Out = openapi.Schema(list)
			}
		}
		all = append(all, o)
	}
	return all
}

// description responds with the description of the API.
func (a *api) description() http.HandlerFunc {
	doc := sync.OnceValues(func() ([]byte, error) { return describe(a.Version) })
	return func(w http.ResponseWriter, r *http.Request) {
		a.Pace(r)
		data, err := doc()
		if err != nil {
			a.refuse(w, r, err)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		_ = raw(w, slices.Clip(data)) // always returns nil
	}
}
