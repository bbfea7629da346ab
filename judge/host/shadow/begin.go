package shadow

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"assay/judge/host/desk"
	"assay/judge/host/store"
)

// Begin makes a contest follow a primary, and returns the contest's slug. If the server has no such contest, Begin
// creates it from the primary's contest. If slug is empty, the contest's id in the primary is used. Begin returns
// a *desk.Refusal for errors that the caller must correct.
func Begin(ctx context.Context, d *desk.Desk, source store.Source, slug string) (string, error) {
	refuse := func(code int, text, hint string) (string, error) {
		return "", &desk.Refusal{Code: code, Text: text, Hint: hint}
	}
	p, err := Open(&source)
	if _, is := errors.AsType[secretError](err); is {
		return refuse(http.StatusBadRequest, err.Error(),
			"name a file on the server's machine that the server can read, and that has the password alone")
	}
	if err != nil {
		return refuse(http.StatusBadRequest, err.Error(), "such as https://primary.example/api/contests/spring-2026")
	}
	data, err := p.Contest(ctx)
	if err != nil {
		return refuse(http.StatusBadRequest, err.Error(), "check the address, the username, and the file of the password")
	}
	m := Mirror{"contest": {"": string(data)}}
	if slug == "" {
		slug = strings.Trim(notSlug.ReplaceAllString(strings.ToLower(m.object("contest", "").text("id")), "-"), "-")
	}
	if !store.GoodSlug(slug) {
		return refuse(http.StatusBadRequest, "the primary does not say the id of its contest in a form that addresses can have",
			"name the contest with --contest: small letters, digits and -, such as spring-2026")
	}
	c, err := d.Store.ContestBySlug(ctx, slug)
	switch {
	case errors.Is(err, store.ErrNotFound):
		c = &store.Contest{Slug: slug, Name: slug, Format: store.ICPC, Visibility: store.Teams}
		if m.ContestOf(c, false); c.Length == 0 {
			return refuse(http.StatusBadRequest, "the contest of the primary has no duration",
				"the address must be that of a contest in its Contest API")
		}
		err = d.Store.NewContest(ctx, c, nil)
	case err == nil:
		_, following := d.Store.Source(ctx, c.ID)
		use, err := d.Store.UseOfContest(ctx, c.ID)
		if err != nil {
			return "", err
		}
		if c.ID == store.Practice || following != nil && use.Submissions > 0 {
			return refuse(http.StatusConflict, "the contest "+slug+" has submissions of its own",
				"let a contest without submissions follow the primary")
		}
	}
	if err != nil {
		return "", err
	}
	source.Contest = c.ID
	return slug, d.Store.SetSource(ctx, source)
}
