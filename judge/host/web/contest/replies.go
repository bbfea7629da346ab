package contest

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"assay/judge/host/auth"
	"assay/judge/host/store"
	"assay/judge/host/web"
	"assay/judge/host/web/access"
)

// defaultReplies are the default saved replies of a contest.
var defaultReplies = []string{"Read the statement again.", "No comment.", "See the samples.", "This will be announced to all teams."}

// maxReplies is the maximum number of saved replies.
const maxReplies = 50

// repliesView is the page for editing saved replies.
type repliesView struct {
	Slug, Text string
	Errors     web.FieldErrors
}

// savedReplies returns the saved replies of a contest, or the default ones.
func savedReplies(c *store.Contest) []string {
	if len(c.Settings.Replies) == 0 {
		return defaultReplies
	}
	return c.Settings.Replies
}

func (s *site) replies(w http.ResponseWriter, r *web.Request) error {
	if err := r.CheckPermission(auth.SeeAll); err != nil {
		return err
	}
	c := access.Of(r).Contest
	return s.RenderPage(
		w, r, http.StatusOK, "replies", "Saved replies",
		repliesView{Slug: c.Slug, Text: strings.Join(savedReplies(c), "\n")},
	)
}

// setReplies saves the replies, one per line.
func (s *site) setReplies(w http.ResponseWriter, r *web.Request) error {
	if err := r.CheckPermission(auth.SeeAll); err != nil {
		return err
	}
	c := access.Of(r).Contest
	if !r.PostForm.Has("replies") {
		return web.BadRequest("the form has no replies: load the page again")
	}
	v := repliesView{Slug: c.Slug, Text: strings.ReplaceAll(r.PostFormValue("replies"), "\r\n", "\n")}
	var replies []string
	for i, line := range strings.Split(v.Text, "\n") {
		line = strings.TrimSpace(line)
		if utf8.RuneCountInString(line) > maxTextLength {
			v.Errors.Add("replies", "line %d has more than %d letters", i+1, maxTextLength)
		}
		if line != "" {
			replies = append(replies, line)
		}
	}
	if len(replies) > maxReplies {
		v.Errors.Add("replies", "there are %d replies: at most %d can be saved", len(replies), maxReplies)
	}
	if len(v.Errors) > 0 {
		return s.RenderPage(w, r, http.StatusBadRequest, "replies", "Saved replies", v)
	}
	c.Settings.Replies = replies
	if err := s.Store.SetContest(r.Context(), c, nil); err != nil {
		return err
	}
	return s.AuditAndRedirect(w, r, "change saved replies", c.Slug, web.CountText(len(replies), "reply", "replies"), "/c/"+c.Slug+"/clar")
}
