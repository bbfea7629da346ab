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

// own reports whether an item is the reader's own.
func (c *Contest) own(to Reader, it *item) bool {
	return it.team != "" && it.team == to.Team || it.account != "" && it.account == to.Account ||
		to.Team != "" && it.letter != nil && slices.Contains(it.told, to.Team)
}

// visible reports whether a reader sees an item. For a removed item, it reports whether the reader would see the
// item if it had not been removed.
func (c *Contest) visible(to Reader, u *unit, it *item) bool {
	typ := u.typ
	insider := to.Role.Insider()
	if typ == clics.Awards && to.Sites != "" {
		insider = false // the jury's awards depend on hidden verdicts of other sites
	}
	switch {
	case it.only != "" && it.only != to.Version, it.to == insiders && !insider, it.to == outsiders && insider:
		return false
	case typ == clics.Awards && it.Names && !insider && !c.started():
		return false
	}
	if to.Sites != "" && !c.here(to, typ, it) {
		return false
	}
	f := it.Facts
	f.Started, f.Own = c.started(), c.own(to, it)
	if typ == clics.Judgements || typ == clics.Runs {
		known := c.setup.scored.Public(c.now).Known
		f.Frozen = !known.IsZero() && !it.at.Before(known)
		f.Few = c.few[u.of]
	}
	return clics.Visible(to.Role, typ, f)
}

// here reports whether an item belongs to a team at the reader's sites, or to no team at all.
func (c *Contest) here(to Reader, typ clics.Type, it *item) bool {
	switch typ {
	case clics.Teams, clics.Submissions, clics.Judgements, clics.Runs:
		return c.setup.at(to, it.team)
	case clics.Clarifications:
		return it.ToAll || c.setup.at(to, it.team) || slices.ContainsFunc(it.told, func(id string) bool { return c.setup.at(to, id) })
	case clics.Persons:
		teams := it.Object["team_ids"].([]string)
		return len(teams) == 0 || slices.ContainsFunc(teams, func(ext string) bool { return c.setup.extAt(to, ext) })
	case clics.Accounts:
		return c.own(to, it) || c.setup.extAt(to, it.Object["team_id"].(string))
	}
	return true
}

// at reports whether the team with the given id is at the reader's sites. It returns true if the reader has no
// sites.
func (s *setup) at(to Reader, team string) bool {
	if to.Sites == "" {
		return true
	}
	t, sites := s.teams[team], strings.Fields(to.Sites)
	return t != nil && slices.ContainsFunc(t.GroupIDs, func(id string) bool { return slices.Contains(sites, id) })
}

// extAt is like at, but takes the team's id in the Contest API.
func (s *setup) extAt(to Reader, ext string) bool {
	for id, t := range s.teams {
		if t.ExtID == ext {
			return s.at(to, id)
		}
	}
	return to.Sites == ""
}

// onlyHere returns those of the given teams that are at the reader's sites. Teams are identified by their ids in
// the Contest API.
func (s *setup) onlyHere(to Reader, teams []string) []string {
	return slices.DeleteFunc(slices.Clone(teams), func(ext string) bool { return !s.extAt(to, ext) })
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
func (c *Contest) lines(to Reader, u *unit, gone bool) (all []Line, err error) {
	for i := range u.items {
		it := &u.items[i]
		if it.gone != gone || !c.visible(to, u, it) {
			continue
		}
		for _, o := range it.objects() {
			l, err := c.line(to, u.typ, it, o)
			if err != nil {
				return nil, err
			}
			all = append(all, l)
		}
	}
	return all, nil
}

// line returns an object of an item as a reader sees it.
func (c *Contest) line(to Reader, typ clics.Type, it *item, o clics.Object) (Line, error) {
	if o["reply_to_id"] != nil && !c.sawQuestion(to, it) {
		o = clone(o)
		delete(o, "reply_to_id")
	}
	if o[media.ProblemSet] != nil && !c.started() && !to.Role.Insider() {
		o = clone(o)
		delete(o, media.ProblemSet)
	}
	if it.letter != nil && len(it.secret) > 0 && to.Role == clics.Team {
		o = clone(o)
		o["to_team_ids"] = c.known(to, it)
	}
	if teams, has := o["team_ids"].([]string); has && to.Sites != "" {
		o = clone(o)
		o["team_ids"] = c.setup.onlyHere(to, teams)
	}
	if teams, has := o["to_team_ids"].([]string); has && to.Sites != "" {
		o = clone(o)
		o["to_team_ids"] = c.setup.onlyHere(to, teams)
	}
	l := Line{Type: typ, Object: o, Own: c.own(to, it)}
	if typ != clics.Contest && typ != clics.State {
		l.ID = o["id"].(string)
	}
	var err error
	l.Data, err = clics.Encode(clics.Reader{Version: to.Version, Role: to.Role, Own: l.Own, Strict: to.Strict}, typ, o)
	return l, err
}

// sawQuestion reports whether a reader sees the clarification request that an item answers.
func (c *Contest) sawQuestion(to Reader, it *item) bool {
	if to.Role.Insider() || to.Role == clics.Analyst {
		return c.setup.at(to, it.replied)
	}
	return it.replied == to.Team
}

// known returns the teams that receive the item, except teams that are hidden from the reader. If none remain, it
// returns nil.
func (c *Contest) known(to Reader, it *item) (ids []string) {
	own := c.setup.teams[to.Team]
	for _, id := range it.Object["to_team_ids"].([]string) {
		if !slices.Contains(it.secret, id) || own != nil && own.ExtID == id {
			ids = append(ids, id)
		}
	}
	return ids
}

// List returns the objects of a type that a reader sees.
func (c *Contest) List(to Reader, typ clics.Type) (all []Line, err error) {
	for l, err := range c.Each(to, typ) {
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
	c      *Contest
	shared *broadcast
	at     *step  // last step that was returned; nil before the first call of Next
	seq    int64  // of the last token, which covers everything before it
	word   string // word of the last token; it changes when the reader loses objects
	// touched contains the units that are sent because the reader may have an older state of them. If nil, all
	// units are sent.
	touched map[key]bool
	base    int64 // stamp of the contest before touched was computed
	lost    int64 // Contest.lost before touched was computed
	again   bool  // the reader has already read a part of the feed
}

// word returns the part of a token that identifies the contest and the kind of reader.
func (c *Contest) word(to Reader) string {
	whose := fmt.Appendf(nil, "%s %d %s %s %s %v", c.id, c.setup.contest.Epoch, to.Version, to.Role, to.Team, to.Strict)
	if to.Sites != "" { // the reader loses the objects of a team that leaves its sites
		var teams []string
		for id := range c.setup.teams {
			if c.setup.at(to, id) {
				teams = append(teams, id)
			}
		}
		slices.Sort(teams)
		whose = fmt.Appendf(whose, " %q %q", to.Sites, teams)
	}
	sum := sha256.Sum256(whose)
	return hex.EncodeToString(sum[:6])
}

// Cursor returns a cursor after the line with the given token, or at the beginning of the contest if token is
// empty. It returns ErrToken if the token is not valid. The reader gets objects of the given types, or of all
// types if types is empty.
func (c *Contest) Cursor(ctx context.Context, to Reader, token string, types []clics.Type) (*Cursor, error) {
	cur := &Cursor{c: c, shared: c.broadcast(to, types)}
	if token == "" {
		c.mu.RLock()
		defer c.mu.RUnlock()
		cur.word = c.word(to)
		return cur, nil
	}
	c.mu.RLock()
	word, digits, _ := strings.Cut(token, ".")
	seq, err := strconv.ParseInt(digits, 10, 64)
	cur.seq, cur.word, cur.again, cur.base, cur.lost = seq, word, true, c.stamp, c.lost
	good := err == nil && word == c.word(to) && seq >= 0 && seq <= c.seq && digits == strconv.FormatInt(seq, 10)
	c.mu.RUnlock()
	if !good {
		return nil, ErrToken
	}
	events, err := c.Store.LogSince(ctx, c.id, seq, many+1)
	if err != nil {
		return nil, err
	}
	if to.Role == clics.Balloon && c.mayHaveLost(events) {
		return nil, ErrToken
	}
	ch, err := c.changesOf(ctx, events)
	if err != nil || ch.everything || ch.setup || len(events) > many {
		return cur, err
	}
	cur.touched = map[key]bool{}
	if to.Role == clics.Balloon {
		c.touchTeams(cur.touched, ch.submissions)
	}
	for _, id := range ch.submissions {
		for _, t := range []clics.Type{clics.Submissions, clics.Judgements, clics.Runs} {
			cur.touched[key{t, id}] = true
		}
	}
	for _, e := range events {
		if ch.clarifications {
			cur.touched[key{clics.Clarifications, e.Object}] = true
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
// objects since Cursor was called with its token.
func (cur *Cursor) Next() (b Batch, err error) {
	c, s := cur.c, cur.shared
	c.mu.RLock()
	defer c.mu.RUnlock()
	b.Partial = token(cur.word, cur.seq)
	if cur.at == nil {
		b.Lines, err = cur.begin()
	} else {
		b.Lines, cur.at, err = s.since(c, cur.at)
	}
	if err != nil {
		return b, err
	}
	cur.seq, cur.word = cur.at.seq, cur.at.word
	b.Token = token(cur.word, cur.seq)
	return b, nil
}

func token(word string, seq int64) string { return fmt.Sprintf("%s.%d", word, seq) }

// begin returns the lines of the first batch.
func (cur *Cursor) begin() ([]Line, error) {
	c, s := cur.c, cur.shared
	if cur.again && (s.to.Role == clics.Balloon && c.lost != cur.lost || s.to.Sites != "" && c.word(s.to) != cur.word) {
		return nil, ErrToken
	}
	at, found, err := s.join(c)
	if err != nil {
		return nil, err
	}
	var lost []Line
	if cur.again || found == nil {
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
		if cur.touched != nil && !cur.touched[u.key] && u.stamp <= cur.base && u.typ != clics.Awards && u.typ != clics.State {
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
		if cur.again {
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
func (l *Line) Write(to *bytes.Buffer, token string) {
	id, data := "null", "null"
	if l.ID != "" {
		text, _ := json.Marshal(l.ID) // a string can always be encoded
		id = string(text)
	}
	if l.Data != nil {
		data = string(l.Data)
	}
	fmt.Fprintf(to, `{"type":%q,"id":%s,"data":%s,"token":%q}`+"\n", l.Type, id, data, token)
}
