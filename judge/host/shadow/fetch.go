package shadow

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"assay/judge/host/contestpackage"
	"assay/judge/host/store"
)

// mostPackage is the maximum size in bytes of a ZIP archive with a contest package, including pictures and
// statements.
const mostPackage = 256 << 20

// Fetch reads a contest package from an address, either a contest in a Contest API or a ZIP archive. The source
// contains the account to use.
func Fetch(ctx context.Context, s *store.Source) (*contestpackage.Files, error) {
	return FetchAs(ctx, s, "")
}

// FetchAs is like Fetch. If password is not empty, it replaces the source's secret file.
func FetchAs(ctx context.Context, s *store.Source, password string) (*contestpackage.Files, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("the address of the contest package %.200q: %w", s.URL, err)
	}
	if !strings.HasSuffix(strings.ToLower(u.Path), ".zip") {
		p, err := openWith(s, password)
		if err != nil {
			return nil, err
		}
		texts, err := p.packaged(ctx)
		return &contestpackage.Files{Texts: texts}, err
	}
	beside := *s // a ZIP archive is not in a contest and is requested by its own URL
	beside.URL = u.ResolveReference(&url.URL{Path: "/contests/x"}).String()
	p, err := openWith(&beside, password)
	if err != nil {
		return nil, err
	}
	u.User = nil
	data, err := p.read(ctx, u, mostPackage, fileIn)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s is not a ZIP archive: %w", s.URL, err)
	}
	return contestpackage.Collect(archive)
}

// openWith is like Open. If password is not empty, it replaces the secret file.
func openWith(s *store.Source, password string) (*Primary, error) {
	p, err := Open(s)
	if err == nil && password != "" {
		p.password = password
	}
	return p, err
}

// packaged returns the contest of a primary as the files of a contest package. It omits data that the account may
// not see.
func (p *Primary) packaged(ctx context.Context) (map[string][]byte, error) {
	contest, err := p.Contest(ctx)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"contest.json": contest}
	for _, name := range []string{"problems", "groups", "organizations", "teams", "persons", "accounts"} {
		data, err := p.read(ctx, p.below(name), mostLine, answerIn)
		if refused, is := errors.AsType[*StatusError](err); is {
			switch refused.Code {
			case http.StatusNotFound, http.StatusForbidden, http.StatusUnauthorized:
				continue
			}
		}
		if err == nil && !json.Valid(data) {
			err = fmt.Errorf("%s is not JSON", p.below(name))
		}
		if err != nil {
			return nil, err
		}
		files[name+".json"] = data
	}
	return files, nil
}
