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

// maxPackage is the maximum size in bytes of a ZIP archive with a contest package, including pictures and
// statements.
const maxPackage = 256 << 20

// Fetch reads a contest package from an address, either a contest in a Contest API or a ZIP archive. The source
// contains the account to use.
func Fetch(ctx context.Context, s *store.ExternalSource) (*contestpackage.Files, error) {
	return FetchWithPassword(ctx, s, "")
}

// FetchWithPassword is like Fetch. If password is not empty, it replaces the source's secret file.
func FetchWithPassword(ctx context.Context, s *store.ExternalSource, password string) (*contestpackage.Files, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, fmt.Errorf("the address of the contest package %.200q: %w", s.URL, err)
	}
	if !strings.HasSuffix(strings.ToLower(u.Path), ".zip") {
		p, err := openWithPassword(s, password)
		if err != nil {
			return nil, err
		}
		texts, err := p.packageFiles(ctx)
		return &contestpackage.Files{Texts: texts}, err
	}
	beside := *s // a ZIP archive is not in a contest and is requested by its own URL
	beside.URL = u.ResolveReference(&url.URL{Path: "/contests/x"}).String()
	p, err := openWithPassword(&beside, password)
	if err != nil {
		return nil, err
	}
	u.User = nil
	data, err := p.read(ctx, u, maxPackage, fileTimeout)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%s is not a ZIP archive: %w", s.URL, err)
	}
	return contestpackage.Collect(archive)
}

// openWithPassword is like Open. If password is not empty, it replaces the secret file.
func openWithPassword(s *store.ExternalSource, password string) (*Primary, error) {
	p, err := NewPrimary(s)
	if err == nil && password != "" {
		p.password = password
	}
	return p, err
}

// packageFiles returns the contest of a primary as the files of a contest package. It omits data that the account may
// not see.
func (p *Primary) packageFiles(ctx context.Context) (map[string][]byte, error) {
	contest, err := p.Contest(ctx)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"contest.json": contest}
	for _, name := range []string{"problems", "groups", "organizations", "teams", "persons", "accounts"} {
		data, err := p.read(ctx, p.resolve(name), maxLine, responseTimeout)
		if refused, is := errors.AsType[*StatusError](err); is {
			switch refused.Code {
			case http.StatusNotFound, http.StatusForbidden, http.StatusUnauthorized:
				continue
			}
		}
		if err == nil && !json.Valid(data) {
			err = fmt.Errorf("%s is not JSON", p.resolve(name))
		}
		if err != nil {
			return nil, err
		}
		files[name+".json"] = data
	}
	return files, nil
}
