// Package access resolves the contest in an address and the caller's permissions in it. It is shared by the pages
// of contestants, of the jury and of teams. It renders no pages.
package access

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/scoreboard"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// Access is the contest in an address, with the problem or submission in it and the caller's permissions.
type Access struct {
	*intake.ContestAccess
	Problem    *store.ContestProblem // with the label in the address; nil if it has none
	Submission *store.Submission     // with the number in the address; nil if it has none

	// Follows reports whether the verdicts of another judging system count in the contest.
	Follows bool

	site *web.Site
	// teams maps ids to teams, and members maps team ids to accounts. TeamEnds sets both.
	teams   map[string]*store.Team
	members map[string][]*store.Account
}

// DocumentSuffix is the suffix of a problem label in the address of a PDF statement.
const DocumentSuffix = ".pdf"

// Of returns the Access of a request. It returns nil if the address names no contest.
func Of(r *web.Request) *Access {
	a, _ := r.Access.(*Access)
	return a
}

// Find returns a function that resolves the contest in an address, for web.Pages.
func Find(s *web.Site) func(*web.Request) (web.Access, error) {
	return func(r *web.Request) (web.Access, error) {
		if r.PathValue("slug") == "" {
			return nil, nil
		}
		c, err := s.Store.ContestBySlug(r.Context(), r.PathValue("slug"))
		if errors.Is(err, store.ErrNotFound) || err == nil && c.ID == store.Practice {
			return nil, r.NotFoundError()
		}
		if err != nil {
			return nil, err
		}
		access, err := s.ContestAccess(r.Context(), c, r.Me)
		if err != nil {
			return nil, err
		}
		a := &Access{ContestAccess: access, site: s}
		source, err := s.Store.ExternalSource(r.Context(), c.ID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		a.Follows = err == nil && !source.UseOwnVerdicts
		return a, a.find(r)
	}
}

// find sets a.Problem and a.Submission to the problem and the submission in the address of r. It leaves them nil
// if the address names none.
func (a *Access) find(r *web.Request) error {
	if label := r.PathValue("label"); label != "" && a.Can(auth.SeeProblems) {
		problems, err := a.site.Store.ContestProblems(r.Context(), a.Contest.ID)
		if err != nil {
			return err
		}
		for _, p := range problems {
			if p.Label == label || a.Problem == nil && p.Label+DocumentSuffix == label {
				a.Problem = p
			}
		}
		if a.Problem == nil {
			return web.ErrNotFound
		}
	}
	if text := r.PathValue("n"); text != "" && r.Me != nil {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return web.ErrNotFound
		}
		a.Submission, err = a.site.Store.SubmissionByNumber(r.Context(), a.Contest.ID, n)
		if errors.Is(err, store.ErrNotFound) {
			return web.ErrNotFound
		}
		if err != nil {
			return err
		}
		if err := a.RefreshSite(r); err != nil {
			return err
		}
		a.State.Own = a.Submission.Account == r.Me.ID || a.Submission.Team != "" && a.Team != nil && a.Submission.Team == a.Team.ID
	}
	return nil
}

// RefreshSite updates a.State.AtSite, which reports whether the submission's team is at a site to which the caller's role
// is restricted. Call it while a page is open, because the team may leave the site.
func (a *Access) RefreshSite(r *web.Request) error {
	if !a.State.SiteRestricted || a.Submission.Team == "" {
		return nil
	}
	team, err := a.site.Store.TeamByID(r.Context(), a.Submission.Team)
	a.State.AtSite = err == nil && a.Covers(team)
	return err
}

// publicActions lists the actions that change data that the Contest API shows of a contest.
var publicActions = []auth.Action{
	auth.ChangeContest, auth.Finalize, auth.OverrideVerdict, auth.RequestClarification, auth.AnswerClarification,
}

// Refusal returns an error that says why the caller may not perform an action in the contest. If it returns nil,
// a.Can decides.
func (a *Access) Refusal(r *web.Request, action auth.Action) error {
	name := a.Contest.Name
	switch can := a.Can(action); {
	case can && r.Method != http.MethodGet && slices.Contains(publicActions, action) && a.Contest.UpdatesEnded(a.site.Time()):
		return &intake.Refusal{
			Code: http.StatusConflict, Text: "the results of " + name + " are final and public",
			Hint: "nothing of the contest changes any more",
		}
	case can && r.Method != http.MethodGet && action == auth.ChangeContest && !a.Contest.Finalized.IsZero():
		return &intake.Refusal{
			Code: http.StatusConflict, Text: "the results of " + name + " are final, and this could change them",
			Hint: "first reopen the results under Final results",
		}
	case can:
		return nil
	case !a.Can(auth.SeeContest) || r.PathValue("n") != "":
		return web.ErrNotFound
	case a.State.Phase == auth.Before && !a.Can(auth.SeeProblems), a.State.Phase == auth.Over && r.PathValue("label") != "":
		return a.Closed()
	}
	return nil
}

// Head returns the common head of the contest's pages.
func (a *Access) Head(r *web.Request) (h web.Head, err error) {
	if !a.Can(auth.SeeContest) {
		return h, nil
	}
	clock := ClockOf(a.ContestAccess, a.site.Time())
	h.Clock = &clock
	head := Heading{
		Slug: a.Contest.Slug, Name: a.Contest.Name, Jury: a.Can(auth.SeeSite), SiteRestricted: !a.Can(auth.SeeAll),
		CanChange: a.Can(
			auth.ChangeContest,
		), BalloonRunner: a.Can(auth.Deliver) && !a.Can(auth.SeeSite), Prints: a.Contest.Settings.Printing, LoggedIn: r.Me != nil,
		SeesProblems: a.Can(auth.SeeProblems), SeesScoreboard: a.Can(auth.SeeScoreboard), SeesClarifications: a.Can(auth.SeeClarifications),
	}
	if a.Team != nil {
		head.Team = a.Team.ID
	}
	if head.SeesClarifications {
		n, err := a.Unread(r.Context())
		if err != nil {
			return h, err
		}
		head.Unread = &n
	}
	h.Nav = NavOf(head, strings.TrimPrefix(r.URL.Path, "/c/"+head.Slug))
	return h, nil
}

// ClockOf returns the clock of a contest, including the extra time of the caller's team.
func ClockOf(access *intake.ContestAccess, now time.Time) web.Clock {
	return web.ClockAt(now, access.Contest.Starts, access.Ends())
}

// Unread counts the clarifications that the caller has not read. For the jury it counts the unanswered requests.
func (a *Access) Unread(ctx context.Context) (v web.UnreadCount, err error) {
	if a.Can(auth.AnswerClarification) {
		v.Words = "unanswered"
		v.Count, err = a.site.PendingClarifications(ctx, a.ContestAccess)
		return v, err
	}
	v.Words = "new"
	v.Count, err = a.site.Unread(ctx, a.ContestAccess)
	return v, err
}

// TeamEnds returns a function that returns the time at which the contest ends for a team, including the team's
// extra time. For an unknown team, that is the end of the contest. The zero time means that the contest has no
// end.
func (a *Access) TeamEnds(ctx context.Context) (func(team string) time.Time, error) {
	end := a.Contest.Ends()
	teams, err1 := a.site.Store.Teams(ctx, a.Contest.ID)
	members, err2 := a.site.Store.Members(ctx, a.Contest.ID)
	extra := map[string]time.Duration{}
	a.teams, a.members = map[string]*store.Team{}, members
	for _, t := range teams {
		extra[t.ID], a.teams[t.ID] = t.ExtraTime, t
	}
	return func(team string) time.Time {
		if end.IsZero() {
			return end
		}
		return end.Add(extra[team])
	}, errors.Join(err1, err2)
}

// SubmitterName returns the display name of the submitter. If an account submitted for a team without being a member, it
// returns the team name. Before TeamEnds is called, it always returns the account's name.
func (a *Access) SubmitterName(sub *store.Submission) string {
	t := a.teams[sub.Team]
	if t != nil && !slices.ContainsFunc(a.members[sub.Team], func(m *store.Account) bool { return m.ID == sub.Account }) {
		return t.Name
	}
	return sub.Display
}

// ContestTime returns the contest time of t, without removed intervals. Before the start it returns an empty string.
func (a *Access) ContestTime(t time.Time) string {
	if a.Contest.Starts.IsZero() || t.Before(a.Contest.Starts) {
		return ""
	}
	clock := scoreboard.Contest(a.Contest, nil)
	return scoreboard.ContestTime(clock.Time(t))
}

// A Lister converts submissions to lines of a list. A line contains only what the reader may know.
type Lister struct {
	*Access
	labels    map[string]string           // maps slugs of problems to their labels
	Languages []intake.SubmissionLanguage // of the problems
}

// NewLister returns a Lister for submissions to the given problems of the contest.
func (a *Access) NewLister(problems []*store.ContestProblem) (l *Lister, err error) {
	l = &Lister{Access: a, labels: map[string]string{}}
	for _, p := range problems {
		l.labels[p.Slug] = p.Label
	}
	l.Languages, err = a.site.Languages(problems)
	return l, err
}

// Line returns the line of a submission. The line is marked as late if the submission was received at end or later. It
// names the submission's team if TeamEnds was called before, and otherwise the account.
func (l *Lister) Line(sub *store.Submission, end time.Time) web.Line {
	line := web.Line{
		Slug: l.Contest.Slug, Number: sub.Number, Label: cmp.Or(l.labels[sub.Problem], "?"), // "?" if the problem was removed
		Who: sub.Display, Language: intake.LanguageName(l.Languages, sub), Program: sub.Program,
		Received: sub.Received, At: l.ContestTime(sub.Received), Late: !end.IsZero() && !sub.Received.Before(end),
		State: l.site.CurrentState(sub, l.Can(auth.SeeSite)),
	}
	if t := l.teams[sub.Team]; t != nil {
		if line.Who = t.Name; l.SubmitterName(sub) != t.Name {
			line.Details = append(line.Details, sub.Display)
		}
		line.Details = append(line.Details, t.Groups...)
	}
	if sub.Overridden && l.Follows {
		line.State.Note = "by the primary"
	}
	if f := sub.Finished; f != nil && f.Judged > 0 && l.ShowsTimes() && line.State.Code != "" {
		line.Time, line.Memory = fmt.Sprintf("%.2f s", f.TimeMS/1000), fmt.Sprintf("%.0f MiB", math.Ceil(float64(f.Memory)/(1<<20)))
	}
	return line
}
