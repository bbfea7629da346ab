package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"assay/judge/host/store/internal/query"
)

// A Team is a participant of a contest. It has one or more members.
type Team struct {
	ID           string
	Contest      string
	Number       int64 // number in the contest, from 1
	Name         string
	Groups       []string      // names, for scoreboard filters; they contain no commas
	Hidden       bool          // not shown on the scoreboard
	ExtraTime    time.Duration // added to the end of the contest
	ExtraPenalty time.Duration // whole minutes

	ExtID        string // id that other systems use; unique in the contest
	ICPCID       string // in the ICPC's registration system; may be empty
	Label        string // such as a seat number; if empty, ExtID is used
	DisplayName  string // if empty, Name is used
	Organization string // id; may be empty
	Location     string // JSON; may be empty
	// GroupIDs lists the ids of Groups.
	GroupIDs []string
}

// An Entrant is an account that joins a contest.
type Entrant struct {
	*Account
	Team string // name of the team; if empty, the account gets its own team
	// Groups lists the groups of a new team.
	Groups []string
}

// Enter adds an account to a contest with its own team, and returns the team. If the account is already in the
// contest, nothing changes.
func (s *Store) Enter(ctx context.Context, contest string, a *Account) (*Team, error) {
	if t, err := s.TeamOf(ctx, contest, a.ID); err == nil || !errors.Is(err, ErrNotFound) {
		return t, err
	}
	if _, err := s.AddEntrants(ctx, contest, []Entrant{{Account: a}}); err != nil {
		return nil, err
	}
	return s.TeamOf(ctx, contest, a.ID)
}

// AddEntrants adds accounts to a contest in one transaction. If an entrant's Team is the name of an existing team,
// the account joins that team. Accounts that are already in the contest stay unchanged. AddEntrants returns the
// number of accounts that joined.
func (s *Store) AddEntrants(ctx context.Context, contest string, entrants []Entrant) (entered int, err error) {
	err = s.tx(ctx, "enter a contest", func(q *query.Queries) (err error) {
		entered, err = s.addEntrants(ctx, q, contest, entrants)
		return err
	})
	return entered, err
}

// Enroll creates accounts and adds all entrants to a contest, in one transaction. An entrant without an account
// gets the next of the created accounts. If contest is empty, the entrants join no contest. Enroll returns the
// accounts of all entrants. It returns ErrTaken if a username is taken.
func (s *Store) Enroll(ctx context.Context, contest string, accounts []NewAccount, all []Entrant) (enrolled []*Account, err error) {
	err = s.tx(ctx, "make accounts", func(q *query.Queries) error {
		enrolled = nil
		remaining, entrants := accounts, slices.Clone(all)
		for i, entrant := range entrants {
			if entrant.Account == nil {
				if entrant.Account, err = s.newAccount(ctx, q, remaining[0]); err != nil {
					return err
				}
				remaining, entrants[i] = remaining[1:], entrant
			}
			enrolled = append(enrolled, entrant.Account)
		}
		if contest == "" {
			return nil
		}
		_, err := s.addEntrants(ctx, q, contest, entrants)
		return err
	})
	if err != nil {
		return nil, err
	}
	return enrolled, nil
}

func (s *Store) addEntrants(ctx context.Context, q *query.Queries, contest string, entrants []Entrant) (entered int, err error) {
	if n, err := q.HoldContest(ctx, contest); errIfUnchanged(n, err) != nil { // concurrent calls find each other's teams
		return 0, errIfUnchanged(n, err)
	}
	rows, err := q.TeamsOf(ctx, contest)
	if err != nil {
		return 0, err
	}
	idsByName := map[string]string{}
	for _, r := range rows {
		idsByName[r.Name] = r.ID
	}
	for _, entrant := range entrants {
		if _, err := q.TeamOf(ctx, contest, entrant.ID); err == nil {
			continue
		} else if !errors.Is(err, sql.ErrNoRows) {
			return 0, err
		}
		entered++
		id := idsByName[sanitize(entrant.Team)]
		if entrant.Team == "" || id == "" {
			id = newID()
			name := sanitize(cmp.Or(entrant.Team, entrant.Display, entrant.Login))
			if err := s.newTeam(ctx, q, contest, id, name, entrant.Groups); err != nil {
				return 0, err
			}
			if entrant.Team != "" {
				idsByName[name] = id
			}
		}
		if err := q.InsertMember(ctx, query.InsertMemberParams{Contest: contest, Account: entrant.ID, Team: id}); err != nil {
			return 0, err
		}
	}
	return entered, nil
}

// newTeam creates a team of a contest. The caller must have locked the contest. The team's ExtID is its number. If
// another team already has that ExtID, it is preceded by "team-".
func (s *Store) newTeam(ctx context.Context, q *query.Queries, contest, id, name string, groups []string) error {
	if _, err := s.appendEvent(ctx, q, contest, KindTeam, id, OpCreated); err != nil {
		return err
	}
	if err := s.checkChangeable(ctx, q, contest); err != nil {
		return err
	}
	number, err := q.NextTeam(ctx, contest)
	if err != nil {
		return err
	}
	rows, err := q.TeamsOf(ctx, contest)
	if err != nil {
		return err
	}
	ext := strconv.FormatInt(number, 10)
	for slices.ContainsFunc(rows, func(r query.Team) bool { return r.ExtID == ext }) {
		ext = "team-" + ext
	}
	if err := q.InsertTeam(ctx, query.InsertTeamParams{ID: id, Contest: contest, Number: number, Name: name, ExtID: ext}); err != nil {
		return err
	}
	return setGroupsByName(ctx, q, contest, id, groups)
}

// setGroupsByName replaces the groups of a team by the groups with the given names. It creates missing groups.
func setGroupsByName(ctx context.Context, q *query.Queries, contest, team string, names []string) error {
	existing, err := q.GroupsOf(ctx, contest)
	if err != nil {
		return err
	}
	var ids []string
	for _, name := range names {
		name = sanitize(name)
		index := slices.IndexFunc(existing, func(g query.TeamGroup) bool { return g.Name == name })
		if index < 0 {
			n := len(existing) + 1
			taken := func(g query.TeamGroup) bool { return g.ID == fmt.Sprint("group-", n) }
			for slices.ContainsFunc(existing, taken) {
				n++
			}
			created := query.InsertGroupParams{Contest: contest, ID: fmt.Sprint("group-", n), Name: name}
			if err := q.InsertGroup(ctx, created); err != nil {
				return err
			}
			index, existing = len(existing), append(existing, query.TeamGroup(created))
		}
		ids = append(ids, existing[index].ID)
	}
	return setGroups(ctx, q, contest, team, ids)
}

// setGroups replaces the groups of a team. If the jury has sent messages to a group that the team joins or
// leaves, different teams can read them now, so clients of the Contest API must start again.
func setGroups(ctx context.Context, q *query.Queries, contest, team string, ids []string) error {
	before, err := q.GroupsOfTeam(ctx, team)
	if err != nil {
		return err
	}
	moved := slices.Clone(ids)
	for _, g := range before {
		if index := slices.Index(moved, g.ID); index >= 0 {
			moved = slices.Delete(moved, index, index+1)
		} else {
			moved = append(moved, g.ID)
		}
	}
	for _, id := range moved {
		n, err := q.ClarificationsToGroup(ctx, contest, id)
		if err == nil && n > 0 {
			err = q.RaiseContestEpoch(ctx, contest)
		}
		if err != nil {
			return err
		}
	}
	if err := q.LeaveGroups(ctx, team); err != nil {
		return err
	}
	for i, id := range ids {
		if err := q.PutInGroup(ctx, query.PutInGroupParams{Contest: contest, Team: team, TeamGroup: id, Place: int64(i)}); err != nil {
			return err
		}
	}
	return nil
}

// TeamOf reads the team of an account in a contest. It returns ErrNotFound if the account is not in the contest.
func (s *Store) TeamOf(ctx context.Context, contest, account string) (*Team, error) {
	row, err := s.read.TeamOf(ctx, contest, account)
	if err != nil {
		return nil, wrapError("read a team", err)
	}
	return readTeam(ctx, s.read, row)
}

// TeamByID reads the team with the given id.
func (s *Store) TeamByID(ctx context.Context, id string) (*Team, error) {
	row, err := s.read.GetTeam(ctx, id)
	if err != nil {
		return nil, wrapError("read a team", err)
	}
	return readTeam(ctx, s.read, row)
}

// Teams reads the teams of a contest, ordered by number.
func (s *Store) Teams(ctx context.Context, contest string) ([]*Team, error) {
	rows, err := s.read.TeamsOf(ctx, contest)
	if err != nil {
		return nil, wrapError("read the teams of a contest", err)
	}
	in, err := s.read.TeamsInGroups(ctx, contest)
	groups := map[string][]query.GroupsOfTeamRow{}
	for _, r := range in {
		groups[r.Team] = append(groups[r.Team], query.GroupsOfTeamRow{ID: r.ID, Name: r.Name})
	}
	return convertRows(rows, err, "read the groups of teams", func(r query.Team) *Team { return team(r, groups[r.ID]) })
}

// Members maps the team ids of a contest to the accounts of each team, sorted by username.
func (s *Store) Members(ctx context.Context, contest string) (map[string][]*Account, error) {
	rows, err := s.read.MembersOf(ctx, contest)
	members := map[string][]*Account{}
	for _, r := range rows {
		members[r.Team] = append(members[r.Team], account(r.AccountRole))
	}
	return members, wrapError("read the members of the teams of a contest", err)
}

// Revision identifies the state of a team, for SetTeam.
func (t *Team) Revision() string {
	fields := []string{t.ICPCID, t.Label, t.DisplayName, t.Organization, t.Location}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %t %d %d %q", t.Name, t.Groups, t.Hidden, t.ExtraTime, t.ExtraPenalty, fields))
	return hex.EncodeToString(sum[:8])
}

// SetTeam stores a changed team, except for its ExtID. It ignores t.GroupIDs, because t.Groups determines the
// team's groups. If revision is not empty and differs from the Revision of the stored team, SetTeam returns
// ErrChanged.
func (s *Store) SetTeam(ctx context.Context, t *Team, revision string) error {
	return s.SetTeams(ctx, []TeamChange{{t, revision}})
}

// A TeamChange is a changed team for SetTeams.
type TeamChange struct {
	*Team
	OldRevision string // the revision for SetTeam; may be empty
}

// SetTeams changes teams like SetTeam, in one transaction.
func (s *Store) SetTeams(ctx context.Context, changes []TeamChange) error {
	return s.tx(ctx, "change teams", func(q *query.Queries) error {
		for _, t := range changes {
			row, err := q.GetTeam(ctx, t.ID)
			if err != nil {
				return err
			}
			now, err := readTeam(ctx, q, row)
			if err != nil {
				return err
			}
			if t.OldRevision != "" && now.Revision() != t.OldRevision {
				return ErrChanged
			}
			if !slices.Equal(now.Groups, t.Groups) {
				if err := setGroupsByName(ctx, q, t.Contest, t.ID, t.Groups); err != nil {
					return err
				}
			}
			if err := s.setTeam(ctx, q, t.Team); err != nil {
				return err
			}
		}
		return nil
	})
}

// setTeam changes a team, except for its groups.
func (s *Store) setTeam(ctx context.Context, q *query.Queries, t *Team) error {
	old, err := q.GetTeam(ctx, t.ID)
	if err == nil && t.Hidden && !old.Hidden {
		err = q.RaiseContestEpoch(ctx, t.Contest)
	}
	if err != nil {
		return err
	}
	n, err := q.SetTeam(ctx, query.SetTeamParams{
		ID: t.ID, Name: sanitize(t.Name), Hidden: t.Hidden, ExtraTime: t.ExtraTime.Microseconds(),
		ExtraPenalty: int64(t.ExtraPenalty / time.Minute),
		IcpcID: sanitize(
			t.ICPCID,
		), Label: sanitize(t.Label), DisplayName: sanitize(t.DisplayName), Organization: t.Organization, Location: t.Location,
	})
	if errIfUnchanged(n, err) != nil {
		return errIfUnchanged(n, err)
	}
	if _, err = s.appendEvent(ctx, q, t.Contest, KindTeam, t.ID, OpUpdated); err != nil {
		return err
	}
	return s.checkChangeable(ctx, q, t.Contest)
}

// readTeam reads the groups of a team.
func readTeam(ctx context.Context, q *query.Queries, r query.Team) (*Team, error) {
	groups, err := q.GroupsOfTeam(ctx, r.ID)
	if err != nil {
		return nil, wrapError("read the groups of a team", err)
	}
	return team(r, groups), nil
}

func team(r query.Team, groups []query.GroupsOfTeamRow) *Team {
	t := &Team{
		ID: r.ID, Contest: r.Contest, Number: r.Number, Name: r.Name, Hidden: r.Hidden,
		ExtraTime: time.Duration(r.ExtraTime) * time.Microsecond,
		ExtraPenalty: time.Duration(
			r.ExtraPenalty,
		) * time.Minute, ExtID: r.ExtID, ICPCID: r.IcpcID, Label: r.Label, DisplayName: r.DisplayName,
		Organization: r.Organization, Location: r.Location,
	}
	for _, g := range groups {
		t.Groups, t.GroupIDs = append(t.Groups, g.Name), append(t.GroupIDs, g.ID)
	}
	return t
}
