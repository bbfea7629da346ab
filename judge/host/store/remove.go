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

// TeamUses maps the id of each team of a contest to the counts of the content that prevents its removal.
func (s *Store) TeamUses(ctx context.Context, contest string) (map[string]TeamUse, error) {
	rows, err := s.read.UseOfTeams(ctx, contest)
	return teamUses(rows), wrapError("read what the teams of a contest have sent", err)
}

func teamUses(rows []query.UseOfTeamsRow) map[string]TeamUse {
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
		if n, err := q.HoldContest(ctx, contest); errIfUnchanged(n, err) != nil { // no team joins or submits meanwhile
			return errIfUnchanged(n, err)
		}
		if err := s.checkChangeable(ctx, q, contest); err != nil {
			return err
		}
		rows, err := q.UseOfTeams(ctx, contest)
		if err != nil {
			return err
		}
		use := teamUses(rows)
		for _, id := range ids {
			teamUse, known := use[id]
			switch {
			case !known:
				return ErrNotFound
			case teamUse.Any():
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
	if err := errors.Join(err, setGroups(ctx, q, contest, id, nil), q.RemoveMembers(ctx, id)); err != nil {
		return err
	}
	if n, err := q.RemoveTeam(ctx, id); errIfUnchanged(n, err) != nil {
		return errIfUnchanged(n, err)
	}
	_, err = s.appendEvent(ctx, q, contest, KindTeam, id, OpRemoved)
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

// ContestUse counts what a contest contains.
func (s *Store) ContestUse(ctx context.Context, id string) (ContestUse, error) {
	r, err := s.read.UseOfContest(ctx, id)
	return ContestUse(r), wrapError("read what a contest has", err)
}

// removedEventsKey is the setting that counts the events of removed contests, so that LastLog never decreases.
const removedEventsKey = "removed events"

// RemoveContest removes a contest, with its teams, clarifications and roles. Accounts and problems stay.
// Invitations to the contest are no longer valid. It returns ErrInUse if the contest has submissions or
// rejudgings, and ErrChanged if the contest has changed since c was read.
func (s *Store) RemoveContest(ctx context.Context, c *Contest) error {
	return s.tx(ctx, "remove the contest "+c.Slug, func(q *query.Queries) error {
		if c.ID == Practice {
			return ErrInUse
		}
		if n, err := q.HoldContest(ctx, c.ID); errIfUnchanged(n, err) != nil { // no team submits meanwhile
			return errIfUnchanged(n, err)
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
		if err := addRemovedEvents(ctx, q, now.LastSeq); err != nil {
			return err
		}
		err = q.RemoveInvitations(ctx, nullInt(s.now()), nullText(c.ID))
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

// addRemovedEvents adds to the count of events in removed contests.
func addRemovedEvents(ctx context.Context, q *query.Queries, events int64) error {
	before := int64(0)
	value, err := q.GetSetting(ctx, removedEventsKey)
	if err == nil {
		if before, err = strconv.ParseInt(value, 10, 64); err != nil {
			return fmt.Errorf("read the setting %q: %w", removedEventsKey, err)
		}
	} else if err = ifNoRows(err, ErrNotFound); !errors.Is(err, ErrNotFound) {
		return err
	}
	return q.PutSetting(ctx, removedEventsKey, strconv.FormatInt(before+events, 10))
}

// RemoveHole removes the hole with the given id. It returns ErrInUse if the hole has golf submissions, and
// ErrNotFound if the hole does not exist.
func (s *Store) RemoveHole(ctx context.Context, id string) error {
	return s.removeEmpty(ctx, "remove a hole", id, func(q *query.Queries) removalQueries {
		return removalQueries{q.HoldHole, q.AnswersTo, q.RemoveHole}
	})
}

// RemoveLadder removes the ladder with the given id. It returns ErrInUse if the ladder has bots, and ErrNotFound
// if the ladder does not exist.
func (s *Store) RemoveLadder(ctx context.Context, id string) error {
	return s.removeEmpty(ctx, "remove a ladder", id, func(q *query.Queries) removalQueries {
		return removalQueries{q.HoldLadder, q.BotsOn, q.RemoveLadder}
	})
}

// removalQueries holds the queries that remove an object by its id.
type removalQueries struct {
	lock, count, remove func(context.Context, string) (int64, error)
}

func (s *Store) removeEmpty(ctx context.Context, kind, id string, queries func(*query.Queries) removalQueries) error {
	return s.tx(ctx, kind, func(q *query.Queries) error {
		do := queries(q)
		if n, err := do.lock(ctx, id); errIfUnchanged(n, err) != nil {
			return errIfUnchanged(n, err)
		}
		n, err := do.count(ctx, id)
		if err != nil {
			return err
		}
		if n > 0 {
			return ErrInUse
		}
		n, err = do.remove(ctx, id)
		return errIfUnchanged(n, err)
	})
}
