package feed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"assay/judge/host/clics"
	"assay/judge/host/media"
)

// A Reader describes a client that reads a contest.
type Reader struct {
	Version clics.Version
	Role    clics.Role
	Team    string // id; empty if the client belongs to no team
	Account string // id; may be empty
	// Sites lists ids of groups, separated by spaces. If it is not empty, the client sees only teams in these
	// groups.
	Sites  string
	Strict bool // no extensions of the API, and no accounts in the feed
}

// isOwn reports whether an item is the reader's own.
func (c *Contest) isOwn(reader Reader, object *item) bool {
	return object.team != "" && object.team == reader.Team || object.account != "" && object.account == reader.Account ||
		reader.Team != "" && object.letter != nil && slices.Contains(object.told, reader.Team)
}

// visible reports whether a reader sees an item. For a removed item, it reports whether the reader would see the
// item if it had not been removed.
func (c *Contest) visible(reader Reader, u *unit, object *item) bool {
	typ := u.typ
	insider := reader.Role.SeesAll()
	if typ == clics.Awards && reader.Sites != "" {
		insider = false // the jury's awards depend on hidden verdicts of other sites
	}
	switch {
	case object.version != "" && object.version != reader.Version,
		object.audience == insiders && !insider,
		object.audience == outsiders && insider:
		return false
	case typ == clics.Awards && object.NamesProblem && !insider && !c.started():
		return false
	}
	if reader.Sites != "" && !c.atReaderSites(reader, typ, object) {
		return false
	}
	f := object.Visibility
	f.Started, f.Own = c.started(), c.isOwn(reader, object)
	if typ == clics.Judgements || typ == clics.Runs {
		known := c.setup.scored.Public(c.now).KnownBefore
		f.Frozen = !known.IsZero() && !object.received.Before(known)
		f.FewSolved = c.balloonVisible[u.id]
	}
	return clics.Visible(reader.Role, typ, f)
}

// atReaderSites reports whether an item belongs to a team at the reader's sites, or to no team at all.
func (c *Contest) atReaderSites(reader Reader, typ clics.Type, object *item) bool {
	switch typ {
	case clics.Teams, clics.Submissions, clics.Judgements, clics.Runs:
		return c.setup.teamAtSites(reader, object.team)
	case clics.Clarifications:
		return object.ToAll || c.setup.teamAtSites(reader, object.team) ||
			slices.ContainsFunc(object.told, func(id string) bool { return c.setup.teamAtSites(reader, id) })
	case clics.Persons:
		teams := object.Object["team_ids"].([]string)
		return len(teams) == 0 || slices.ContainsFunc(teams, func(ext string) bool { return c.setup.extTeamAtSites(reader, ext) })
	case clics.Accounts:
		return c.isOwn(reader, object) || c.setup.extTeamAtSites(reader, object.Object["team_id"].(string))
	}
	return true
}

// teamAtSites reports whether the team with the given id is at the reader's sites. It returns true if the reader has no
// sites.
func (s *setup) teamAtSites(reader Reader, team string) bool {
	if reader.Sites == "" {
		return true
	}
	t, sites := s.teams[team], strings.Fields(reader.Sites)
	return t != nil && slices.ContainsFunc(t.GroupIDs, func(id string) bool { return slices.Contains(sites, id) })
}

// extTeamAtSites is like teamAtSites, but takes the team's id in the Contest API.
func (s *setup) extTeamAtSites(reader Reader, externalID string) bool {
	for id, t := range s.teams {
		if t.ExtID == externalID {
			return s.teamAtSites(reader, id)
		}
	}
	return reader.Sites == ""
}

// teamsAtSites returns those of the given teams that are at the reader's sites. Teams are identified by their ids in
// the Contest API.
func (s *setup) teamsAtSites(reader Reader, teams []string) []string {
	return slices.DeleteFunc(slices.Clone(teams), func(ext string) bool { return !s.extTeamAtSites(reader, ext) })
}

// A Line is an object as a reader sees it.
type Line struct {
	Type clics.Type
	ID   string          // empty for the contest and the state
	Data json.RawMessage // nil if the reader no longer sees the object
	// Object is the source of Data. It is nil in batches, which take less memory without it.
	Object clics.Object
	Own    bool // it belongs to the reader's team, or is its account
}

// lines returns the objects of a unit that a reader sees. If gone is set, it instead returns the removed objects
// that the reader may have seen earlier.
func (c *Contest) lines(reader Reader, u *unit, gone bool) (lines []Line, err error) {
	for i := range u.items {
		object := &u.items[i]
		if object.removed != gone || !c.visible(reader, u, object) {
			continue
		}
		for _, o := range object.objects() {
			l, err := c.line(reader, u.typ, object, o)
			if err != nil {
				return nil, err
			}
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// line returns an object of an item as a reader sees it.
func (c *Contest) line(to Reader, typ clics.Type, it *item, o clics.Object) (Line, error) {
	if o["reply_to_id"] != nil && !c.sawRequest(to, it) {
		o = clone(o)
		delete(o, "reply_to_id")
	}
	if o[media.ProblemSet] != nil && !c.started() && !to.Role.SeesAll() {
		o = clone(o)
		delete(o, media.ProblemSet)
	}
	if it.letter != nil && len(it.secret) > 0 && to.Role == clics.Team {
		o = clone(o)
		o["to_team_ids"] = c.knownTeams(to, it)
	}
	if teams, has := o["team_ids"].([]string); has && to.Sites != "" {
		o = clone(o)
		o["team_ids"] = c.setup.teamsAtSites(to, teams)
	}
	if teams, has := o["to_team_ids"].([]string); has && to.Sites != "" {
		o = clone(o)
		o["to_team_ids"] = c.setup.teamsAtSites(to, teams)
	}
	l := Line{Type: typ, Object: o, Own: c.isOwn(to, it)}
	if typ != clics.Contest && typ != clics.State {
		l.ID = o["id"].(string)
	}
	var err error
	l.Data, err = clics.Encode(clics.Reader{Version: to.Version, Role: to.Role, Own: l.Own, Strict: to.Strict}, typ, o)
	return l, err
}

// sawRequest reports whether a reader sees the clarification request that an item answers.
func (c *Contest) sawRequest(reader Reader, object *item) bool {
	if reader.Role.SeesAll() || reader.Role == clics.Analyst {
		return c.setup.teamAtSites(reader, object.replied)
	}
	return object.replied == reader.Team
}

// knownTeams returns the teams that receive the item, except teams that are hidden from the reader. If none remain, it
// returns nil.
func (c *Contest) knownTeams(reader Reader, object *item) (ids []string) {
	own := c.setup.teams[reader.Team]
	for _, id := range object.Object["to_team_ids"].([]string) {
		if !slices.Contains(object.secret, id) || own != nil && own.ExtID == id {
			ids = append(ids, id)
		}
	}
	return ids
}

// List returns the objects of a type that a reader sees.
func (c *Contest) List(reader Reader, typ clics.Type) (all []Line, err error) {
	for l, err := range c.Each(reader, typ) {
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// Each iterates over the objects that List returns, which can take much more memory than their Data. The contest
// is locked meanwhile: the loop must call no method of the contest and must not wait. It ends after an error.
func (c *Contest) Each(to Reader, typ clics.Type) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		c.mu.RLock()
		defer c.mu.RUnlock()
		for _, u := range c.units[typ] {
			lines, err := c.lines(to, u, false)
			if err != nil {
				yield(Line{}, err)
				return
			}
			for _, l := range lines {
				if !yield(l, nil) {
					return
				}
			}
		}
	}
}

// ErrToken means that a feed token does not belong to this contest and reader, or is no longer valid.
var ErrToken = errors.New("the token is not of this contest and this client, or is too old: read the feed from its beginning")

// A Cursor is a reader's position in a contest.
type Cursor struct {
	c         *Contest
	shared    *broadcast
	at        *step  // last step that was returned; nil before the first call of Next
	seq       int64  // of the last token, which covers everything before it
	tokenWord string // tokenWord of the last token; it changes when the reader loses objects
	// touched contains the units that are sent because the reader may have an older state of them. If nil, all
	// units are sent.
	touched         map[unitKey]bool
	baseRevision    int64 // revision of the contest before touched was computed
	baseRevocations int64 // Contest.revocations before touched was computed
	resumed         bool  // the reader has already read a part of the feed
}

// tokenWord returns the part of a token that identifies the contest and the kind of reader.
func (c *Contest) tokenWord(reader Reader) string {
	identity := fmt.Appendf(nil, "%s %d %s %s %s %v", c.id, c.setup.contest.Epoch, reader.Version, reader.Role, reader.Team, reader.Strict)
	if reader.Sites != "" { // the reader loses the objects of a team that leaves its sites
		var teams []string
		for id := range c.setup.teams {
			if c.setup.teamAtSites(reader, id) {
				teams = append(teams, id)
			}
		}
		slices.Sort(teams)
		identity = fmt.Appendf(identity, " %q %q", reader.Sites, teams)
	}
	sum := sha256.Sum256(identity)
	return hex.EncodeToString(sum[:6])
}

// NewCursor returns a cursor after the line with the given token, or at the beginning of the contest if token is
// empty. It returns ErrToken if the token is not valid. The reader gets objects of the given types, or of all
// types if types is empty.
func (c *Contest) NewCursor(ctx context.Context, reader Reader, token string, types []clics.Type) (*Cursor, error) {
	cur := &Cursor{c: c, shared: c.broadcast(reader, types)}
	if token == "" {
		c.mu.RLock()
		defer c.mu.RUnlock()
		cur.tokenWord = c.tokenWord(reader)
		return cur, nil
	}
	c.mu.RLock()
	word, digits, _ := strings.Cut(token, ".")
	seq, err := strconv.ParseInt(digits, 10, 64)
	cur.seq, cur.tokenWord, cur.resumed, cur.baseRevision, cur.baseRevocations = seq, word, true, c.revision, c.revocations
	good := err == nil && word == c.tokenWord(reader) && seq >= 0 && seq <= c.seq && digits == strconv.FormatInt(seq, 10)
	c.mu.RUnlock()
	if !good {
		return nil, ErrToken
	}
	events, err := c.Store.EventsSince(ctx, c.id, seq, maxEvents+1)
	if err != nil {
		return nil, err
	}
	if reader.Role == clics.Balloon && c.mayRevoke(events) {
		return nil, ErrToken
	}
	ch, err := c.changesOf(ctx, events)
	if err != nil || ch.everything || ch.setup || len(events) > maxEvents {
		return cur, err
	}
	cur.touched = map[unitKey]bool{}
	if reader.Role == clics.Balloon {
		c.touchTeams(cur.touched, ch.submissions)
	}
	for _, id := range ch.submissions {
		for _, t := range []clics.Type{clics.Submissions, clics.Judgements, clics.Runs} {
			cur.touched[unitKey{t, id}] = true
		}
	}
	for _, e := range events {
		if ch.clarifications {
			cur.touched[unitKey{clics.Clarifications, e.Object}] = true
		}
	}
	return cur, nil
}

// A Batch contains the new objects for a reader.
type Batch struct {
	Lines []Line
	// Partial is the token of each line except the last one. A reader that resumes from it gets the whole batch
	// again. Token is the token of the last line.
	Partial, Token string
}

// Next returns the objects that are new since the previous call. It returns ErrToken if the reader has lost
// objects since NewCursor was called with its token.
func (cur *Cursor) Next() (b Batch, err error) {
	c, s := cur.c, cur.shared
	c.mu.RLock()
	defer c.mu.RUnlock()
	b.Partial = token(cur.tokenWord, cur.seq)
	if cur.at == nil {
		b.Lines, err = cur.begin()
	} else {
		b.Lines, cur.at, err = s.since(c, cur.at)
	}
	if err != nil {
		return b, err
	}
	cur.seq, cur.tokenWord = cur.at.seq, cur.at.word
	b.Token = token(cur.tokenWord, cur.seq)
	return b, nil
}

func token(word string, seq int64) string { return fmt.Sprintf("%s.%d", word, seq) }

// begin returns the lines of the first batch.
func (cur *Cursor) begin() ([]Line, error) {
	c, s := cur.c, cur.shared
	if cur.resumed &&
		(s.to.Role == clics.Balloon && c.revocations != cur.baseRevocations || s.to.Sites != "" && c.tokenWord(s.to) != cur.tokenWord) {
		return nil, ErrToken
	}
	at, found, err := s.join(c)
	if err != nil {
		return nil, err
	}
	var lost []Line
	if cur.resumed || found == nil {
		if lost, found, err = cur.all(); err != nil {
			return nil, err
		}
	}
	cur.at, cur.touched = at, nil
	return arrange(lost, found, stateOf(c.setup.contest, c.now)["end_of_updates"] != nil), nil
}

// all returns the objects that the reader sees, unless the reader is known to have them. If the reader has already
// read a part of the feed, all also returns lines that remove objects that the reader may have (lost).
func (cur *Cursor) all() (lost, found []Line, err error) {
	c, s := cur.c, cur.shared
	for u := range s.units(c, 0) {
		if cur.touched != nil && !cur.touched[u.unitKey] && u.revision <= cur.baseRevision && u.typ != clics.Awards &&
			u.typ != clics.State {
			continue
		}
		now, err := c.lines(s.to, u, false)
		if err != nil {
			return nil, nil, err
		}
		for _, l := range now {
			l.Object = nil
			found = append(found, l)
		}
		if cur.resumed {
			gone, err := c.lines(s.to, u, true)
			if err != nil {
				return nil, nil, err
			}
			lost = append(lost, missing(sentOf(gone), now, u.typ)...)
		}
	}
	return lost, found, nil
}

// Write appends the line of an event feed.
func (l *Line) Write(out *bytes.Buffer, token string) {
	id, data := "null", "null"
	if l.ID != "" {
		text, _ := json.Marshal(l.ID) // a string can always be encoded
		id = string(text)
	}
	if l.Data != nil {
		data = string(l.Data)
	}
	fmt.Fprintf(out, `{"type":%q,"id":%s,"data":%s,"token":%q}`+"\n", l.Type, id, data, token)
}
