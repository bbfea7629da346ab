package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"assay/judge/host/media"
	"assay/judge/host/store/internal/query"
)

// ErrInUse means that an object cannot be removed because submissions or similar content refer to it.
var ErrInUse = errors.New("it has content")

// TeamUse counts what keeps a team from being removed.
type TeamUse struct{ Submissions, Clarifications, Prints int64 }

// Any reports whether the team cannot be removed.
func (u TeamUse) Any() bool { return u != TeamUse{} }

// UseOfTeams maps the id of each team of a contest to the counts of the content that prevents its removal.
func (s *Store) UseOfTeams(ctx context.Context, contest string) (map[string]TeamUse, error) {
	rows, err := s.read.UseOfTeams(ctx, contest)
	return useOfTeams(rows), failed("read what the teams of a contest have sent", err)
}

func useOfTeams(rows []query.UseOfTeamsRow) map[string]TeamUse {
	use := map[string]TeamUse{}
	for _, r := range rows {
		use[r.ID] = TeamUse{r.Submissions, r.Clarifications, r.Prints}
	}
	return use
}

// RemoveTeams removes all the given teams from a contest in one transaction. Their members keep their accounts.
// RemoveTeams also removes persons of a contest package who belong to no other team. It returns ErrInUse if a team
// has submissions, clarifications or prints, and ErrNotFound if a team is not in the contest.
func (s *Store) RemoveTeams(ctx context.Context, contest string, ids []string) error {
	return s.tx(ctx, "remove teams", func(q *query.Queries) error {
		if n, err := q.HoldContest(ctx, contest); changed(n, err) != nil { // no team joins or submits meanwhile
			return changed(n, err)
		}
		if err := s.changing(ctx, q, contest); err != nil {
			return err
		}
		rows, err := q.UseOfTeams(ctx, contest)
		if err != nil {
			return err
		}
		use := useOfTeams(rows)
		for _, id := range ids {
			of, is := use[id]
			switch {
			case !is:
				return ErrNotFound
			case of.Any():
				return ErrInUse
			}
			if err := s.removeTeam(ctx, q, contest, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) removeTeam(ctx context.Context, q *query.Queries, contest, id string) error {
	t, err := q.GetTeam(ctx, id)
	if err != nil {
		return err
	}
	members, err := q.MembersOf(ctx, contest)
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Team != id {
			continue
		}
		account := m.AccountRole.ID
		if err := errors.Join(q.DeleteAddresses(ctx, contest, account), q.RemoveContestAccount(ctx, contest, account)); err != nil {
			return err
		}
	}
	persons, err := q.PersonsOf(ctx, contest)
	if err != nil {
		return err
	}
	for _, r := range persons {
		if err := leaveTeam(ctx, q, r, t.ExtID); err != nil {
			return err
		}
	}
	_, err = eraseMedia(ctx, q, contest, media.Teams, t.ExtID)
	if err := errors.Join(err, putInGroupsByID(ctx, q, contest, id, nil), q.RemoveMembers(ctx, id)); err != nil {
		return err
	}
	if n, err := q.RemoveTeam(ctx, id); changed(n, err) != nil {
		return changed(n, err)
	}
	_, err = s.step(ctx, q, contest, OfTeam, id, Removed)
	return err
}

// leaveTeam removes a person from the team with the given ExtID. A person without another team is deleted.
func leaveTeam(ctx context.Context, q *query.Queries, r query.Person, team string) error {
	p, err := person(r)
	if err != nil || !slices.Contains(p.Teams, team) {
		return err
	}
	if p.Teams = slices.DeleteFunc(p.Teams, func(t string) bool { return t == team }); len(p.Teams) == 0 {
		_, err := erasePerson(ctx, q, r.Contest, r.ID)
		return err
	}
	if r.Teams, err = toJSON(p.Teams); err != nil {
		return err
	}
	return q.PutPerson(ctx, query.PutPersonParams(r))
}

// ContestUse counts the content of a contest. Submissions and rejudgings prevent its removal. All other content is
// removed with the contest.
type ContestUse struct{ Submissions, Rejudgings, Teams, People, Clarifications int64 }

// Any reports whether the contest cannot be removed.
func (u ContestUse) Any() bool { return u.Submissions+u.Rejudgings > 0 }

// UseOfContest counts what a contest contains.
func (s *Store) UseOfContest(ctx context.Context, id string) (ContestUse, error) {
	r, err := s.read.UseOfContest(ctx, id)
	return ContestUse(r), failed("read what a contest has", err)
}

// removedEvents is the setting that counts the events of removed contests, so that LastLog never decreases.
const removedEvents = "removed events"

// RemoveContest removes a contest, with its teams, clarifications and roles. Accounts and problems stay.
// Invitations to the contest are no longer valid. It returns ErrInUse if the contest has submissions or
// rejudgings, and ErrChanged if the contest has changed since c was read.
func (s *Store) RemoveContest(ctx context.Context, c *Contest) error {
	return s.tx(ctx, "remove the contest "+c.Slug, func(q *query.Queries) error {
		if c.ID == Practice {
			return ErrInUse
		}
		if n, err := q.HoldContest(ctx, c.ID); changed(n, err) != nil { // no team submits meanwhile
			return changed(n, err)
		}
		use, err := q.UseOfContest(ctx, c.ID)
		if err != nil {
			return err
		}
		if ContestUse(use).Any() {
			return ErrInUse
		}
		now, err := q.GetContest(ctx, c.ID)
		if err != nil {
			return err
		}
		if err := countRemoved(ctx, q, now.LastSeq); err != nil {
			return err
		}
		err = q.RemoveInvitations(ctx, some(s.now()), text(c.ID))
		if err == nil {
			err = q.RemoveRolesIn(ctx, scopeOf(c.ID))
		}
		for _, remove := range []func(context.Context, string) error{
			q.RemoveClaims, q.RemoveReading, q.RemoveClarificationTeams, q.RemoveClarificationGroups, q.RemoveClarifications,
			q.RemovePrints, q.RemoveAddresses, q.RemoveContestAccounts, q.RemovePersons, q.RemoveMedia,
			q.RemovePlacesInGroups, q.RemoveGroups, q.RemoveMembersOfContest, q.RemoveTeamsOfContest, q.RemoveOrganizations,
			q.DeleteContestProblems, q.RemoveSource, q.RemoveExternalObjects, q.RemoveExternalProblems, q.RemoveLog,
		} {
			if err == nil {
				err = remove(ctx, c.ID)
			}
		}
		if err != nil {
			return err
		}
		n, err := q.RemoveContest(ctx, c.ID, c.Revision)
		if err == nil && n == 0 {
			err = ErrChanged
		}
		return err
	})
}

// countRemoved adds to the count of events in removed contests.
func countRemoved(ctx context.Context, q *query.Queries, events int64) error {
	before := int64(0)
	value, err := q.GetSetting(ctx, removedEvents)
	if err == nil {
		if before, err = strconv.ParseInt(value, 10, 64); err != nil {
			return fmt.Errorf("read the setting %q: %w", removedEvents, err)
		}
	} else if err = none(err, ErrNotFound); !errors.Is(err, ErrNotFound) {
		return err
	}
	return q.PutSetting(ctx, removedEvents, strconv.FormatInt(before+events, 10))
}

// RemoveHole removes the hole with the given id. It returns ErrInUse if the hole has golf submissions, and
// ErrNotFound if the hole does not exist.
func (s *Store) RemoveHole(ctx context.Context, id string) error {
	return s.removeEmpty(ctx, "remove a hole", id, func(q *query.Queries) emptied {
		return emptied{q.HoldHole, q.AnswersTo, q.RemoveHole}
	})
}

// RemoveLadder removes the ladder with the given id. It returns ErrInUse if the ladder has bots, and ErrNotFound
// if the ladder does not exist.
func (s *Store) RemoveLadder(ctx context.Context, id string) error {
	return s.removeEmpty(ctx, "remove a ladder", id, func(q *query.Queries) emptied {
		return emptied{q.HoldLadder, q.BotsOn, q.RemoveLadder}
	})
}

// emptied holds the queries that remove an object by its id.
type emptied struct {
	hold, count, remove func(context.Context, string) (int64, error)
}

func (s *Store) removeEmpty(ctx context.Context, what, id string, of func(*query.Queries) emptied) error {
	return s.tx(ctx, what, func(q *query.Queries) error {
		do := of(q)
		if n, err := do.hold(ctx, id); changed(n, err) != nil {
			return changed(n, err)
		}
		n, err := do.count(ctx, id)
		if err != nil {
			return err
		}
		if n > 0 {
			return ErrInUse
		}
		n, err = do.remove(ctx, id)
		return changed(n, err)
	})
}
