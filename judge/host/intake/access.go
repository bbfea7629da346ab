package intake

import (
	"context"
	"errors"
	"net/http"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/store"
)

// An Access describes what an account may do in a contest, a hole or a ladder. Pages and the API use it for all
// checks.
type Access struct {
	Account *store.Account // nil if the caller is not logged in
	Role    auth.Role
	State   auth.State

	target targetKind
	name   string // ownedBy the contest, hole or ladder
	closed string // reason why no account can submit, if the phase does not say it
}

// A targetKind is a kind of object that accepts submissions: contest, hole or ladder.
type targetKind struct {
	name    string
	submit  auth.Action
	accepts string // plural of the objects that it accepts
}

var (
	contestTarget = targetKind{"contest", auth.Submit, "submissions"}
	holeTarget    = targetKind{"hole", auth.SubmitGolf, "submissions"}
	ladderTarget  = targetKind{"ladder", auth.EnterBot, "bots"}
)

// Can reports whether the account may do action a now.
func (t *Access) Can(a auth.Action) bool { return auth.Can(t.Role, a, t.State) }

// Admit returns nil if the account may submit now. Otherwise it returns the result of Closed.
func (t *Access) Admit() error {
	if t.Can(t.target.submit) {
		return nil
	}
	return t.Closed()
}

// Closed returns why the account cannot submit now.
func (t *Access) Closed() *Refusal {
	switch {
	case !t.State.Visible:
		return &Refusal{Code: http.StatusNotFound, Text: "there is no such " + t.target.name}
	case t.closed != "":
		return &Refusal{Code: http.StatusForbidden, Text: t.closed}
	case t.Account == nil:
		return &Refusal{Code: http.StatusUnauthorized, Text: "only users who are logged in may submit"}
	case t.State.Phase == auth.Before:
		return t.NotStarted()
	case t.State.Phase == auth.Over:
		return &Refusal{Code: http.StatusForbidden, Text: t.name + " is over and takes no more " + t.target.accepts}
	}
	return &Refusal{Code: http.StatusForbidden, Text: "you do not take part in " + t.name}
}

// NotStarted returns the Refusal for a request that is not allowed before the start.
func (t *Access) NotStarted() *Refusal {
	return &Refusal{Code: http.StatusForbidden, Text: t.name + " has not begun yet", Hint: "come back when it has"}
}

// ownedBy returns the access to an object, such as a submission, that belongs to the given account. The object is in
// the same contest, hole or ladder as t.
func (t *Access) ownedBy(account string) Access {
	own := *t
	own.State.Own = t.Account != nil && t.Account.ID == account
	return own
}

// isVisible reports whether account a sees a contest, hole or ladder with visibility v. The flags role and team report
// whether the account has a role or a team in that contest, hole or ladder.
func isVisible(v store.Visibility, a *store.Account, role, team bool) bool {
	switch v {
	case store.VisibilityPublic:
		return true
	case store.VisibilityAccounts:
		return a != nil
	case store.VisibilityTeams:
		return team || role
	}
	return role
}

// ServerRole returns the role of an account on the whole server.
func ServerRole(a *store.Account) auth.Role {
	if a == nil {
		return auth.Anonymous
	}
	return auth.Higher(auth.Contestant, auth.Role(a.Role))
}

// A ContestAccess is the access of an account to a contest.
type ContestAccess struct {
	Access
	Contest *store.Contest
	Team    *store.Team // nil if the account has not joined the contest
	// Sites lists the ids of the groups to whose teams the role is restricted. If nil, the role is not restricted.
	Sites []string
}

// Ends returns the end of the contest for the account. The zero time means that it never ends.
func (s *ContestAccess) Ends() time.Time {
	end := s.Contest.Ends()
	if !end.IsZero() && s.Team != nil {
		end = end.Add(s.Team.ExtraTime)
	}
	return end
}

// ContestAccess returns an account's access to a contest. If a is nil, the caller is not logged in.
func (d *Service) ContestAccess(ctx context.Context, c *store.Contest, a *store.Account) (*ContestAccess, error) {
	s := &ContestAccess{Contest: c, Access: Access{Account: a, Role: ServerRole(a), target: contestTarget, name: c.Name}}
	given := false
	if a != nil {
		role, sites, err := d.Store.ContestRole(ctx, a.ID, c.ID)
		if err != nil {
			return nil, err
		}
		given = role != ""
		if higher := auth.Higher(s.Role, auth.Role(role)); higher != s.Role {
			s.Role, s.Sites, s.State.SiteRestricted = higher, sites, sites != nil
		}
		s.Team, err = d.Store.TeamOf(ctx, c.ID, a.ID)
		if errors.Is(err, store.ErrNotFound) {
			s.Team, err = nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	s.State.Phase, s.State.Practice = d.phase(s), c.Settings.Practice
	s.State.Visible = isVisible(c.Visibility, a, given, s.Team != nil)
	return s, nil
}

// phase returns the phase of a contest for the team of s.
func (d *Service) phase(s *ContestAccess) auth.Phase {
	now, end := d.Time(), s.Ends()
	switch {
	case s.Contest.Starts.IsZero() || now.Before(s.Contest.Starts):
		return auth.Before
	case !end.IsZero() && !now.Before(end):
		return auth.Over
	}
	return auth.Running
}

// TeamAccess returns the access that an account has when it acts for team t.
func (d *Service) TeamAccess(s *ContestAccess, t *store.Team) *ContestAccess {
	of := *s
	of.Team = t
	of.State.Phase = d.phase(&of)
	return &of
}

// LadderAccess returns an account's access to a ladder. If a is nil, the caller is not logged in.
func LadderAccess(l *store.Ladder, a *store.Account) *Access {
	t := &Access{Account: a, Role: ServerRole(a), State: auth.State{Phase: auth.Running}, target: ladderTarget, name: l.Name}
	t.State.Visible = isVisible(l.Visibility, a, false, false)
	if !l.Open {
		t.State.Phase, t.closed = auth.Over, l.Name+" is closed and takes no more bots"
	}
	return t
}

// ForBot returns the access to a bot on the ladder.
func (t *Access) ForBot(b *store.Bot) *Access {
	own := t.ownedBy(b.Account)
	return &own
}

// AdmitBot returns nil if the account may submit a bot with the given name to a ladder that has the given bots. If
// the ladder is closed to the account, or the account has reached a limit, it returns a Refusal. A request that
// repeats a known key counts toward no limit.
func (d *Service) AdmitBot(ctx context.Context, l *store.Ladder, a *store.Account, key, name string, bots []*store.Bot) error {
	if err := LadderAccess(l, a).Admit(); err != nil {
		return err
	}
	if known, err := d.Store.HasBot(ctx, l.ID, a.ID, key); err != nil || known {
		return err
	}
	names := map[string]bool{}
	for _, b := range bots {
		if b.Account == a.ID && b.State != store.BotRetired && b.State != store.BotRejected {
			names[b.Name] = true
		}
	}
	if !names[name] && int64(len(names)) >= l.PerAccount {
		return badRequest("you have %d bots here, which is the limit: submit a new version of one of them under its name, or "+
			"retire one first", len(names))
	}
	recent, err := d.Store.CountRecentBots(ctx, l.ID, a.ID, BotRate.Period)
	if err == nil && recent >= BotRate.Max {
		return BotRate.Refusal()
	}
	return err
}
