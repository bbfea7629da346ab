package web

import (
	"fmt"
	"regexp"
	"slices"

	"assay/judge/host/store"
)

var slug = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// GoodSlug reports whether a contest or a hole may have an address that ends so.
func GoodSlug(text string) bool { return slug.MatchString(text) }

// VisibilityWords are what the choices of who sees something are called on pages.
var VisibilityWords = map[store.Visibility]string{
	store.Public: "everybody, and every account may take part", store.Accounts: "every account, and may take part", store.Teams: "only people who were entered", store.Staff: "only staff",
}

// UsableProblem returns a problem that the caller may put into a hole, a ladder or a tournament. If there
// is none, the error is store.ErrNotFound.
func (s *Site) UsableProblem(r *Request, slug string) (*store.Problem, error) {
	all, err := s.UsableProblems(r.Context(), r.Me, nil)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(p *store.Problem) bool { return p.Slug == slug })
	if i < 0 {
		return nil, fmt.Errorf("the problem %.80q: %w", slug, store.ErrNotFound)
	}
	return all[i], nil
}

// Counted writes a number before a word for one, or for many.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
