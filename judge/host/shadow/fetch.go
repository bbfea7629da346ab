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

// mostPackage is how many bytes a ZIP archive with a contest package can have. It may have pictures and statements.
const mostPackage = 256 << 20

// Fetch reads a contest package from an address: that of a contest in a Contest API, or that of a ZIP archive. The
// source has the account for it.
func Fetch(ctx context.Context, s *store.Source) (*contestpackage.Files, error) {
	return FetchAs(ctx, s, "")
}

// FetchAs is Fetch with a password, which takes the place of the source's secret file if it is not empty.
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
	beside := *s // a ZIP archive is not below a contest, and only it is asked for
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

// openWith is Open with a password that is not in a file.
func openWith(s *store.Source, password string) (*Primary, error) {
	p, err := Open(s)
	if err == nil && password != "" {
		p.password = password
	}
	return p, err
}

// packaged reads the contest of a primary as the files of a contest package. What the account must not see is left out.
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
