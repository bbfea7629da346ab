package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"assay/judge/blob"
	"assay/judge/host/job"
	"assay/judge/host/store/internal/query"
)

// LaddersLease is the leader lease for running ladders.
const LaddersLease = "ladders"

// A Ladder is a game that bots play continuously while the ladder is open.
type Ladder struct {
	ID              string
	Slug            string // unique
	Name            string
	Problem         string // slug
	Title           string // of the problem
	Bundle          blob.Digest
	Config          blob.Digest
	ProblemInfo     blob.Digest // of the problem; may be empty
	ChosenRules     []byte      // JSON: the chosen rules
	Rules           []byte      // JSON: the rules; empty until a worker has read them
	RulesError      string      // why the rules could not be read
	Seed            uint64
	Visibility      Visibility
	Open            bool
	PerAccount      int64 // maximum number of bots per account
	PerMinute       int64 // maximum number of games per minute; zero means no limit
	Owner           string
	Made            time.Time
	Encounters      int64 // number of the newest encounter
	LastSeq         int64 // increases with each change
	RankingTests    int   // number of tests whether the ranking is settled
	NextRankingTest int64 // number of the encounter after the next test
	Settled         bool
}

// NewLadder creates a ladder and sets its ID. It returns ErrTaken if a ladder has the slug, and ErrNotFound if the
// problem does not exist.
func (s *Store) NewLadder(ctx context.Context, l *Ladder) error {
	p, err := s.Problem(ctx, l.Problem)
	if err != nil {
		return err
	}
	l.ID, l.Bundle, l.Config, l.Open = newID(), p.Bundle, p.Config, true
	return wrapError("open the ladder "+l.Slug, s.write.InsertLadder(ctx, query.InsertLadderParams{
		ID: l.ID, Slug: l.Slug, Name: sanitize(l.Name), Problem: p.ID, Bundle: string(l.Bundle), Config: string(l.Config),
		Choice: string(l.ChosenRules),
		Seed:   strconv.FormatUint(l.Seed, 10), Visibility: string(l.Visibility), PerAccount: l.PerAccount, PerMinute: l.PerMinute,
		Owner: l.Owner, Made: s.now(),
	}))
}

// LadderBySlug reads a ladder.
func (s *Store) LadderBySlug(ctx context.Context, slug string) (*Ladder, error) {
	r, err := s.read.LadderBySlug(ctx, slug)
	return convertRow(r, err, "read the ladder "+slug, ladder)
}

// Ladder reads a ladder by its id.
func (s *Store) Ladder(ctx context.Context, id string) (*Ladder, error) {
	r, err := s.read.LadderByID(ctx, id)
	return convertRow(r, err, "read the ladder "+id, ladder)
}

// Ladders reads all ladders, oldest first.
func (s *Store) Ladders(ctx context.Context) ([]*Ladder, error) {
	rows, err := s.read.ListLadders(ctx)
	return parseRows(rows, err, "read the ladders", ladder)
}

func ladder(r query.LadderGame) (*Ladder, error) {
	seed, err := strconv.ParseUint(r.Seed, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("read the seed of the ladder %s: %w", r.Slug, err)
	}
	return &Ladder{
		ID: r.ID, Slug: r.Slug, Name: r.Name, Problem: r.Game, Title: r.Title, Bundle: blob.Digest(r.Bundle),
		Config: blob.Digest(r.Config), ProblemInfo: blob.Digest(r.Sheet),
		ChosenRules: []byte(
			r.Choice,
		), Rules: []byte(r.Rules), RulesError: r.Wrong, Seed: seed, Visibility: Visibility(r.Visibility), Open: r.Open,
		PerAccount: r.PerAccount, PerMinute: r.PerMinute, Owner: r.Owner, Made: fromMicros(r.Made), Encounters: r.Encounters,
		LastSeq:      r.LastSeq,
		RankingTests: int(r.Looks), NextRankingTest: r.NextLook, Settled: r.Settled,
	}, nil
}

// SetLadderRules stores the rules that a worker read from the ladder's problem, or the reason why they could not
// be read.
func (s *Store) SetLadderRules(ctx context.Context, ladder string, rules []byte, reason string) error {
	n, err := s.write.SetLadderRules(ctx, query.SetLadderRulesParams{ID: ladder, Rules: string(rules), Wrong: sanitize(reason)})
	return wrapError("keep the rules of a ladder", cmp.Or(err, errIfUnchanged(n, nil)))
}

// ChangeLadder stores Name, Visibility, Open, PerAccount and PerMinute.
func (s *Store) ChangeLadder(ctx context.Context, l *Ladder) error {
	n, err := s.write.ChangeLadder(ctx, query.ChangeLadderParams{
		ID: l.ID, Name: sanitize(l.Name), Visibility: string(l.Visibility), Open: l.Open, PerAccount: l.PerAccount, PerMinute: l.PerMinute,
	})
	return wrapError("change the ladder "+l.Slug, cmp.Or(err, errIfUnchanged(n, nil)))
}

// SetRankingTest stores the fields Looks, NextRankingTest and Settled of l: how often the ranking was tested, when it
// is tested next, and whether it is settled.
func (s *Store) SetRankingTest(ctx context.Context, l *Ladder) error {
	return wrapError("keep whether a ladder is settled", s.write.SetLook(ctx, query.SetLookParams{
		ID: l.ID, Looks: int64(l.RankingTests), NextLook: l.NextRankingTest, Settled: l.Settled,
	}))
}

// resumeSettledLadders makes ladders with settled rankings play again. The ranking of each is tested after as many further
// encounters as the ladder has active bots.
func resumeSettledLadders(ctx context.Context, q *query.Queries) error {
	ladders, err := q.ListLadders(ctx)
	if err != nil {
		return err
	}
	for _, l := range ladders {
		if !l.Settled {
			continue
		}
		bots, err := q.BotsOf(ctx, l.ID)
		if err != nil {
			return err
		}
		nextTest := l.Encounters
		for _, b := range bots {
			if b.State == string(BotActive) {
				nextTest++
			}
		}
		if err := q.SetLook(ctx, query.SetLookParams{ID: l.ID, NextLook: nextTest}); err != nil {
			return err
		}
	}
	return nil
}

// BotState is the state of a bot on a ladder.
type BotState string

// The states of a bot.
const (
	BotChecking BotState = "checking" // being tested
	BotActive   BotState = "active"   // it plays
	BotPaused   BotState = "paused"   // paused after failures; its author may resume it
	BotRejected BotState = "rejected" // its test failed
	BotRetired  BotState = "retired"  // replaced by a later version, or retired by its author
)

// Bot is one version of a bot on a ladder.
type Bot struct {
	Ladder      string // id
	Number      int64  // number on the ladder, from 1
	Account     string // id of the author
	Login       string
	Author      string // name of the author
	Key         string // form key: within ten minutes it identifies the same bot; may be empty
	Name        string
	Version     int64 // from 1
	File        string
	Files       []job.File
	State       BotState
	Reason      string
	TestOutput  []byte // JSON: the output of its test; may be empty
	Workflow    string // the workflow of its test; empty after the test
	JoinedAfter int64  // number of the newest encounter when it joined
	Made        time.Time
	Seq         int64
}

// NewBot adds a bot to a ladder with the workflow that tests it, and sets Number and Version. The function check
// returns the spec of the workflow. If a bot was added with the same Key within ten minutes, NewBot reads that bot
// instead. It returns ErrKeyReused if that bot has another name or other files. It returns ErrTaken if another
// account has a bot with the name, and ErrEnded if the ladder is closed.
func (s *Store) NewBot(ctx context.Context, b *Bot, kind string, check func(*Bot) ([]byte, error)) error {
	err := s.tx(ctx, "enter a bot", func(q *query.Queries) error {
		n, err := q.NumberBot(ctx, b.Ladder)
		if err != nil {
			return err
		}
		l, err := q.LadderByID(ctx, b.Ladder)
		if err != nil {
			return err
		}
		if !l.Open {
			return ErrEnded
		}
		if repeated, err := s.readRepeatedBot(ctx, q, b); repeated || err != nil {
			return cmp.Or(err, errRepeated)
		}
		sameName, err := q.BotsNamed(ctx, b.Ladder, sanitize(b.Name))
		if err != nil {
			return err
		}
		b.Number, b.Version, b.Seq, b.JoinedAfter, b.State = n.Bots, 1, n.LastSeq, n.Encounters, BotChecking
		for _, version := range sameName {
			if version.Account != b.Account {
				return ErrTaken
			}
			b.Version = version.Version + 1
		}
		b.Workflow, b.Made = newID(), fromMicros(s.now())
		files, err := toJSON(b.Files)
		if err != nil {
			return err
		}
		spec, err := check(b)
		if err != nil {
			return err
		}
		if _, err := q.InsertWorkflow(ctx, query.InsertWorkflowParams{ID: b.Workflow, Kind: kind, Spec: string(spec), Owner: b.Account,
			Made: s.now()}); err != nil {
			return err
		}
		return q.InsertBot(ctx, query.InsertBotParams{
			Ladder: b.Ladder, Number: b.Number, Account: b.Account, Name: sanitize(b.Name), Version: b.Version, FormKey: sanitize(b.Key),
			File: b.File, Files: files, Flow: b.Workflow, Since: b.JoinedAfter,
			Made: b.Made.UnixMicro(), Seq: b.Seq,
		})
	})
	if errors.Is(err, errRepeated) {
		return nil
	}
	return err
}

// readRepeatedBot reads the bot that was added under the key of b into b, and reports whether it exists. The caller
// must hold the ladder's lock, so that concurrent calls find each other's bot.
func (s *Store) readRepeatedBot(ctx context.Context, q *query.Queries, b *Bot) (bool, error) {
	old, err := botByKey(ctx, q, b, s.now())
	if old == nil || err != nil {
		return false, err
	}
	if old.Name != sanitize(b.Name) || old.File != b.File || !slices.Equal(old.Files, b.Files) {
		return false, ErrKeyReused
	}
	*b = *old
	return true, nil
}

func botByKey(ctx context.Context, q *query.Queries, b *Bot, now int64) (*Bot, error) {
	if b.Key == "" {
		return nil, nil
	}
	r, err := q.BotByKey(ctx, query.BotByKeyParams{
		Ladder: b.Ladder, Account: b.Account, FormKey: sanitize(b.Key), After: now - keyLifetime.Microseconds(),
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return bot(r)
}

// HasBot reports whether a bot has been added under a key already. If so, NewBot adds none.
func (s *Store) HasBot(ctx context.Context, ladder, account, key string) (bool, error) {
	old, err := botByKey(ctx, s.read, &Bot{Ladder: ladder, Account: account, Key: key}, s.now())
	return old != nil, wrapError("look for a bot by its key", err)
}

// Bots reads all bots of a ladder, ordered by number.
func (s *Store) Bots(ctx context.Context, ladder string) ([]*Bot, error) {
	rows, err := s.read.BotsOf(ctx, ladder)
	return parseRows(rows, err, "read the bots of a ladder", bot)
}

// BotsInCheck reads the bots of a ladder that are being tested.
func (s *Store) BotsInCheck(ctx context.Context, ladder string) ([]*Bot, error) {
	rows, err := s.read.CheckedBots(ctx, ladder)
	return parseRows(rows, err, "read the bots that are checked", bot)
}

// Bot reads a bot.
func (s *Store) Bot(ctx context.Context, ladder string, number int64) (*Bot, error) {
	r, err := s.read.GetBot(ctx, ladder, number)
	return convertRow(r, err, "read a bot", bot)
}

func bot(r query.BotAuthor) (*Bot, error) {
	b := &Bot{
		Ladder: r.Ladder, Number: r.Number, Account: r.Account, Login: r.Login, Author: r.Display, Name: r.Name,
		Version: r.Version, File: r.File,
		State: BotState(
			r.State,
		), Reason: r.Reason, TestOutput: []byte(r.Told), Workflow: r.Flow, JoinedAfter: r.Since, Made: fromMicros(r.Made), Seq: r.Seq,
	}
	return b, fromJSON("the files of a bot", r.Files, &b.Files)
}

// CountRecentBots returns how many bots an account has added to a ladder within the given time.
func (s *Store) CountRecentBots(ctx context.Context, ladder, account string, period time.Duration) (int64, error) {
	n, err := s.read.RecentBots(ctx, query.RecentBotsParams{Ladder: ladder, Account: account, After: s.now() - period.Microseconds()})
	return n, wrapError("count the bots of an account", err)
}

// EndBotCheck stores the outcome of a bot's test. If the bot passed, it replaces its earlier versions; otherwise it
// is refused. EndBotCheck returns ErrEnded if the test was already over.
func (s *Store) EndBotCheck(ctx context.Context, b *Bot) error {
	return s.tx(ctx, "end the check of a bot", func(q *query.Queries) error {
		n, err := q.StepLadder(ctx, b.Ladder)
		if err != nil {
			return err
		}
		current, err := q.GetBot(ctx, b.Ladder, b.Number)
		if err != nil {
			return err
		}
		if current.State != string(BotChecking) {
			return ErrEnded
		}
		if _, err := q.SetBotCheck(ctx, query.SetBotCheckParams{Ladder: b.Ladder, Number: b.Number, Told: string(b.TestOutput)}); err != nil {
			return err
		}
		if b.State != BotActive {
			_, err := q.SetBot(ctx, query.SetBotParams{
				Ladder: b.Ladder, Number: b.Number, State: string(b.State), Reason: sanitize(b.Reason), Since: current.Since,
				Seq: n.LastSeq,
			})
			return err
		}
		sameName, err := q.BotsNamed(ctx, b.Ladder, current.Name)
		if err != nil {
			return err
		}
		for _, version := range sameName {
			if version.Number == b.Number || version.State != string(BotActive) && version.State != string(BotPaused) {
				continue
			}
			reason := fmt.Sprintf("version %d plays now", current.Version)
			if _, err := q.SetBot(ctx, query.SetBotParams{Ladder: b.Ladder, Number: version.Number, State: string(BotRetired),
				Reason: reason, Since: version.Since, Seq: n.LastSeq}); err != nil {
				return err
			}
		}
		if _, err := q.SetBot(ctx, query.SetBotParams{Ladder: b.Ladder, Number: b.Number, State: string(BotActive),
			Since: n.Encounters, Seq: n.LastSeq}); err != nil {
			return err
		}
		return q.Restart(ctx, b.Ladder)
	})
}

// SetBotState changes the state of a bot from one state to another and stores the reason. A resumed bot is treated as
// if it had joined now. SetBotState returns ErrEnded if the bot's current state is not the argument from.
func (s *Store) SetBotState(ctx context.Context, ladder string, number int64, from, to BotState, reason string) error {
	return s.tx(ctx, "set the state of a bot", func(q *query.Queries) error {
		n, err := q.StepLadder(ctx, ladder)
		if err != nil {
			return err
		}
		current, err := q.GetBot(ctx, ladder, number)
		if err != nil {
			return err
		}
		if current.State != string(from) {
			return ErrEnded
		}
		since := current.Since
		if to == BotActive {
			since = n.Encounters
		}
		if _, err := q.SetBot(ctx, query.SetBotParams{Ladder: ladder, Number: number, State: string(to), Reason: sanitize(reason),
			Since: since, Seq: n.LastSeq}); err != nil {
			return err
		}
		return q.Restart(ctx, ladder)
	})
}
