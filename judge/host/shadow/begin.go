package shadow

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// Start makes a contest follow a primary, and returns the contest's slug. If the server has no such contest, Start
// creates it from the primary's contest. If slug is empty, the contest's id in the primary is used. Start returns
// a *intake.Refusal for errors that the caller must correct.
func Start(ctx context.Context, d *intake.Service, source store.ExternalSource, slug string) (string, error) {
	refuse := func(code int, text, hint string) (string, error) {
		return "", &intake.Refusal{Code: code, Text: text, Hint: hint}
	}
	p, err := NewPrimary(&source)
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
		slug = strings.Trim(invalidSlugChars.ReplaceAllString(strings.ToLower(m.object("contest", "").text("id")), "-"), "-")
	}
	if !store.IsSlug(slug) {
		return refuse(http.StatusBadRequest, "the primary does not say the id of its contest in a form that addresses can have",
			"name the contest with --contest: small letters, digits and -, such as spring-2026")
	}
	c, err := d.Store.ContestBySlug(ctx, slug)
	switch {
	case errors.Is(err, store.ErrNotFound):
		c = &store.Contest{Slug: slug, Name: slug, Format: store.ICPC, Visibility: store.VisibilityTeams}
		if m.UpdateContest(c, false); c.Length == 0 {
			return refuse(http.StatusBadRequest, "the contest of the primary has no duration",
				"the address must be that of a contest in its Contest API")
		}
		err = d.Store.NewContest(ctx, c, nil)
	case err == nil:
		_, following := d.Store.ExternalSource(ctx, c.ID)
		use, err := d.Store.ContestUse(ctx, c.ID)
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
	return slug, d.Store.SetExternalSource(ctx, source)
}
