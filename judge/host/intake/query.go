package intake

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

	"assay/judge"
	"assay/judge/blob"
	"assay/judge/host/client"
	"assay/judge/host/scoring"
	"assay/judge/host/store"
)

// SubmissionLanguage is a language that submissions of a contest may use.
type SubmissionLanguage struct {
	ID, Name      string
	Extensions    []string // file name extensions that select it
	AllExtensions []string // extensions, including those that another language claims
}

// LanguageName returns the name of a submission's language: the language that the sender selected or, if none was
// selected, the language that the file name extension selects. If that language is unknown, it returns the selected id,
// which may be empty.
func LanguageName(languages []SubmissionLanguage, sub *store.Submission) string {
	for _, l := range languages {
		if sub.Language == l.ID || sub.Language == "" && slices.Contains(l.Extensions, sub.Extension()) {
			return l.Name
		}
	}
	return sub.Language
}

// ProblemInfo returns the problem metadata for a page. It returns nil if the problem was published without metadata. The
// result is shared, so callers must not change it.
func (d *Service) ProblemInfo(p *store.Problem) (*client.ProblemInfo, error) {
	if p.ProblemInfo == "" {
		return nil, nil
	}
	return d.infoCache.Get(p.ProblemInfo, func() (*client.ProblemInfo, int64, error) {
		data, err := d.Blobs.Read(p.ProblemInfo, client.MaxProblemInfo)
		if err != nil {
			return nil, 0, fmt.Errorf("read the sheet of %s: %w", p.Slug, err)
		}
		sheet, err := client.ParseProblemInfo(data)
		return sheet, int64(len(data)), err
	})
}

// Languages returns the languages of the problems, sorted by name. If several languages claim an extension, the
// first one gets it.
func (d *Service) Languages(problems []*store.ContestProblem) (languages []SubmissionLanguage, err error) {
	known, claimed := map[string]bool{}, map[string]bool{}
	for _, p := range problems {
		sheet, err := d.ProblemInfo(p.Problem)
		if err != nil || sheet == nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		for _, l := range sheet.Languages {
			if known[l.ID] {
				continue
			}
			known[l.ID] = true
			one := SubmissionLanguage{ID: l.ID, Name: l.Name, AllExtensions: l.Extensions}
			for _, ending := range l.Extensions {
				if !claimed[ending] {
					claimed[ending], one.Extensions = true, append(one.Extensions, strings.ToLower(ending))
				}
			}
			languages = append(languages, one)
		}
	}
	slices.SortStableFunc(languages, func(a, b SubmissionLanguage) int {
		return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return languages, nil
}

// checkLanguage rejects a submission in a language that no worker supports, because it would wait forever. If the problem
// metadata does not name the language, the decision is left to a worker.
func (d *Service) checkLanguage(ctx context.Context, n *NewSubmission) error {
	sheet, err := d.ProblemInfo(n.Problem)
	if err != nil || sheet == nil {
		return err
	}
	var languages []client.OfferedLanguage
	for _, l := range sheet.Languages {
		if n.Language != "" && (l.ID == n.Language || strings.EqualFold(l.Name, n.Language)) {
			languages = append(languages, l)
		}
	}
	if n.Language == "" {
		for _, f := range n.Files {
			languages = append(languages, client.LanguagesForFile(sheet.Languages, f.Path)...)
		}
	}
	if len(languages) == 0 {
		return nil
	}
	return d.checkInstalled(ctx, languages, ": choose another language")
}

// A SubmissionQuery selects submissions to a contest, as entered by a user. Empty fields do not restrict them.
type SubmissionQuery struct {
	Problem  string // label or name
	Who      string // username, team name or number, or #n for submission n
	Group    string // the name of a group of teams
	Verdict  string // such as WA, or store.Unjudged, store.Judged or store.NotAccepted
	Language string // its id
	Time     string // contest times, such as 1:00-2:30; either end may be omitted
	// Verify selects submissions whose verdicts a judge must still verify (store.VerifyPending) or has verified
	// (store.VerifyDone).
	Verify string
	Worker string // the name of the worker that judged them
	// Version is the start of the digest of the problem version with which the submissions were judged.
	Version string
}

// ParseQuery converts a choice to a filter. It returns a *Refusal if a name is unknown.
func (d *Service) ParseQuery(ctx context.Context, c *store.Contest, query SubmissionQuery) (store.SubmissionFilter, error) {
	f := store.SubmissionFilter{
		Contest: c.ID, Submitter: strings.TrimSpace(query.Who), Group: query.Group, Verdict: query.Verdict, Language: query.Language,
		Verify: query.Verify, Worker: strings.TrimSpace(query.Worker),
	}
	refuse := func(field, format string, args ...any) (store.SubmissionFilter, error) {
		return f, &Refusal{Code: http.StatusBadRequest, Text: fmt.Sprintf(format, args...), Field: field}
	}
	if other := []string{"", store.Unjudged, store.Judged, store.NotAccepted}; !slices.Contains(other, query.Verdict) &&
		!slices.Contains(judge.Verdicts(), judge.Verdict(query.Verdict)) {
		return refuse(
			"verdict",
			"%.40q is not a verdict: they are %s; or %s, for those that have none yet; or %s, for those that have any; or %s",
			query.Verdict, verdictList(judge.Verdicts()), store.Unjudged, store.Judged, store.NotAccepted,
		)
	}
	if number, is := strings.CutPrefix(f.Submitter, "#"); is {
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n < 1 || n == math.MaxInt64 {
			return refuse("who", "%.40q is not the number of a submission: write it as #12", f.Submitter)
		}
		f.Submitter, f.Number = "", n
	}
	if query.Group != "" {
		groups, err := d.Store.Groups(ctx, c.ID)
		if err != nil {
			return f, err
		}
		if !slices.ContainsFunc(groups, func(g store.Group) bool { return g.Name == query.Group }) {
			return refuse("group", "%s has no group %.80q", c.Slug, query.Group)
		}
	}
	if query.Time != "" {
		var err error
		if f.Since, f.Until, err = parseTimeRange(c, query.Time); err != nil {
			return refuse("time", "%s", err)
		}
	}
	if query.Verify != "" && query.Verify != store.VerifyPending && query.Verify != store.VerifyDone {
		return refuse("verify", "unknown verification %.40q: use %s or %s", query.Verify, store.VerifyPending, store.VerifyDone)
	}
	if query.Problem == "" && query.Language == "" && query.Version == "" {
		return f, nil
	}
	problems, err := d.problems(ctx, c)
	if err != nil {
		return f, err
	}
	chosen := problems // chosen problems
	if query.Problem != "" {
		i := slices.IndexFunc(problems, func(p *store.ContestProblem) bool { return query.Problem == p.Label || query.Problem == p.Slug })
		if i < 0 {
			return refuse("problem", "%s has no problem %.80q", c.Slug, query.Problem)
		}
		f.Problem, chosen = problems[i].Slug, problems[i:i+1]
	}
	if query.Version != "" {
		if f.Bundle, err = d.findVersion(ctx, chosen, "version", query.Version); err != nil {
			return f, err
		}
	}
	if query.Language != "" {
		all, err := d.Languages(problems)
		if err != nil {
			return f, err
		}
		i := slices.IndexFunc(all, func(l SubmissionLanguage) bool { return l.ID == query.Language })
		if i < 0 {
			return refuse("language", "%.40q is no language of the problems of %s", query.Language, c.Slug)
		}
		f.Extensions = all[i].Extensions
	}
	return f, nil
}

// findVersion finds a version of one of the given problems by the first digits of its digest. If there is no such
// findVersion, or more than one, it returns a Refusal for the field.
func (d *Service) findVersion(ctx context.Context, problems []*store.ContestProblem, field, text string) (bundle blob.Digest, err error) {
	const least = 8
	text = strings.ToLower(strings.TrimSpace(text))
	for _, p := range problems {
		versions, err := d.Store.BundleVersions(ctx, p.Problem)
		if err != nil {
			return "", err
		}
		for _, v := range versions {
			switch {
			case len(text) < least || !strings.HasPrefix(string(v.ID), text):
			case bundle == "" || bundle == v.ID:
				bundle = v.ID
			default:
				return "", &Refusal{
					Code: http.StatusBadRequest, Field: field, Text: fmt.Sprintf("several versions begin with %.64q", text),
					Hint: "write more of its digits",
				}
			}
		}
	}
	if bundle == "" {
		return "", &Refusal{
			Code: http.StatusBadRequest, Field: field, Text: fmt.Sprintf("no problem here has a version that begins with %.64q", text),
			Hint: fmt.Sprintf("write at least the first %d digits; the page of the problem lists its versions", least),
		}
	}
	return bundle, nil
}

// parseTimeRange parses a range of contest times, such as 1:00-2:30 or 1:00-, and returns the corresponding points in
// time. If an end is omitted, its result is the zero time.
func parseTimeRange(c *store.Contest, text string) (since, until time.Time, err error) {
	from, to, two := strings.Cut(strings.ReplaceAll(text, "\u2013", "-"), "-") // an en dash is also allowed
	sc := scoring.Contest{Start: c.Starts}
	for _, r := range c.Settings.Removed {
		sc.Removed = append(sc.Removed, scoring.Interval{From: r.From, To: r.To})
	}
	moment := func(text string) (at time.Time) {
		if text = strings.TrimSpace(text); text == "" || err != nil {
			return at
		}
		var passed time.Duration
		if passed, err = parseContestTime(text); err != nil {
			return at
		}
		return sc.TimeAt(passed)
	}
	since, until = moment(from), moment(to)
	switch {
	case !two || err != nil || since.IsZero() && until.IsZero() && !c.Starts.IsZero():
		err = fmt.Errorf("%.40q is not a range of contest times: write hours and minutes, such as 1:00-2:30, 1:00- or -2:30", text)
	case c.Starts.IsZero():
		err = fmt.Errorf("%s has no start time yet, so no contest times", c.Slug)
	case !until.IsZero() && !since.Before(until):
		err = fmt.Errorf("%.40q ends before it begins", text)
	}
	return since, until, err
}

// parseContestTime parses a time since the start of a contest: 1:30 or 1:30:15.
func parseContestTime(text string) (d time.Duration, err error) {
	parts := strings.Split(text, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return 0, errors.New("write a contest time as hours and minutes")
	}
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 16)
		if err != nil || i > 0 && n > 59 {
			return 0, errors.New("write a contest time as hours and minutes")
		}
		d += time.Duration(n) * []time.Duration{time.Hour, time.Minute, time.Second}[i]
	}
	return d, nil
}

// problems returns the problems of a contest. For practice it returns all problems.
func (d *Service) problems(ctx context.Context, c *store.Contest) ([]*store.ContestProblem, error) {
	if c.ID != store.Practice {
		return d.Store.ContestProblems(ctx, c.ID)
	}
	all, err := d.Store.Problems(ctx)
	problems := make([]*store.ContestProblem, len(all))
	for i, p := range all {
		problems[i] = &store.ContestProblem{Label: p.Slug, Problem: p}
	}
	return problems, err
}

func verdictList(verdicts []judge.Verdict) string {
	var b strings.Builder
	for i, v := range verdicts {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(v))
	}
	return b.String()
}

// NewRejudging is a request to rejudge submissions.
type NewRejudging struct {
	SubmissionQuery
	All bool // must be true if the choice is empty
	Why string
	// Against is the start of the digest of the problem version to judge with. If empty, the active version of
	// each problem is used.
	Against string
	// Repeats is how many times each submission is judged. Zero means 1.
	Repeats int
}

// Rejudge starts a rejudging of a contest's submissions. Their verdicts stay until the rejudging is applied. It
// also returns the number of submissions that were left out.
func (d *Service) Rejudge(ctx context.Context, c *store.Contest, n NewRejudging, account *store.Account) (*store.Rejudging, int, error) {
	field := ""
	refuse := func(code int, text, hint string) (*store.Rejudging, int, error) {
		return nil, 0, &Refusal{Code: code, Text: text, Hint: hint, Field: field}
	}
	switch {
	case strings.TrimSpace(n.Why) == "":
		field = "why"
		return refuse(http.StatusBadRequest, "enter a reason", "the reason appears in the list of rejudgings")
	case n.SubmissionQuery == (SubmissionQuery{}) && !n.All:
		field = "all"
		return refuse(http.StatusBadRequest, "the filter matches every submission of the contest",
			"narrow the filter, or confirm that all are meant")
	case n.Repeats < 0 || n.Repeats > store.MaxRepeats:
		field = "repeats"
		return refuse(http.StatusBadRequest,
			fmt.Sprintf("each submission can be judged from 1 to %d times, not %d", store.MaxRepeats, n.Repeats), "")
	case n.Against != "" && n.Problem == "":
		field = "problem"
		return refuse(http.StatusBadRequest, "a version belongs to one problem", "choose the problem, too")
	}
	f, err := d.ParseQuery(ctx, c, n.SubmissionQuery)
	if err != nil {
		return nil, 0, err
	}
	request := store.NewRejudging{Filter: f, Why: strings.TrimSpace(n.Why), Account: account.ID, Repeats: n.Repeats}
	if n.Against != "" {
		p, err := d.Store.Problem(ctx, f.Problem)
		if err == nil {
			request.Bundle, err = d.findVersion(ctx, []*store.ContestProblem{{Problem: p}}, "against", n.Against)
		}
		if err != nil {
			return nil, 0, err
		}
	}
	r, leftOut, err := d.Store.Rejudge(ctx, request)
	switch {
	case errors.Is(err, store.ErrTooMany):
		return refuse(http.StatusConflict, fmt.Sprintf("a rejudging can have %d runs, and this one would have more", store.MaxRejudged),
			"choose fewer submissions or repeats")
	case errors.Is(err, store.ErrNotFound) && leftOut > 0:
		return refuse(http.StatusConflict, fmt.Sprintf("all %d matching submissions are pending or in another rejudging", leftOut),
			"wait, or end the other rejudging")
	case errors.Is(err, store.ErrNotFound):
		return refuse(http.StatusConflict, "no submission matches the filter", "the page of all submissions has the same filter")
	case errors.Is(err, store.ErrResultsFinal):
		return refuse(http.StatusConflict, "the results of "+c.Name+" are final", "reopen the results before you rejudge")
	case err != nil:
		return nil, 0, err
	}
	d.Dispatch.Wake()
	return r, leftOut, nil
}

// EndRejudging applies or cancels a rejudging. It returns a *Refusal if that is not possible.
func (d *Service) EndRejudging(ctx context.Context, id string, apply bool) error {
	var err error
	if apply {
		err = d.Store.ApplyRejudging(ctx, id)
	} else {
		err = d.Dispatch.CancelRejudging(ctx, id)
	}
	unready, is := errors.AsType[*store.ApplyBlockers](err)
	switch {
	case is:
		return &Refusal{
			Code: http.StatusConflict, Text: "the rejudging cannot be applied: " + unready.Error(),
			Hint: "wait, or cancel it; nothing has changed",
		}
	case errors.Is(err, store.ErrEnded):
		return &Refusal{Code: http.StatusConflict, Text: "the rejudging was applied or cancelled already"}
	case errors.Is(err, store.ErrResultsFinal):
		return &Refusal{Code: http.StatusConflict, Text: "the results of the contest are final: reopen them first"}
	}
	return err
}
