package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"assay/judge/host/store/internal/query"
)

// A Print is a print request of a team.
type Print struct {
	Contest  string // id
	Number   int64  // number in the contest, from 1
	Team     string // id
	Account  string // id of the sender
	Name     string // of the file
	Language string // empty if the sender gave none
	Body     string // not set in lists; empty if the account was deleted
	Pages    int
	Made     time.Time
	State    PrintState
	Reason   string    // why it failed
	Printer  string    // username of the account that prints it; empty for the print command
	Changed  time.Time // when the state was set
}

// PrintState is the state of a print.
type PrintState string

// The states of a print.
const (
	PrintWaiting PrintState = "waiting"
	Printing     PrintState = "printing"
	Printed      PrintState = "done"
	PrintFailed  PrintState = "failed"
)

// ErrTooManyPages means that a team has sent too many pages within an hour.
var ErrTooManyPages = errors.New("too many pages in an hour")

// NewPrint stores a waiting print and returns its number. It returns ErrTooManyPages if the team would exceed most
// pages within an hour, and ErrDuplicateText if the team has just sent the same file.
func (s *Store) NewPrint(ctx context.Context, p Print, maxPages int) (number int64, err error) {
	err = s.tx(ctx, "keep a print", func(q *query.Queries) error {
		if n, err := q.HoldContest(ctx, p.Contest); errIfUnchanged(n, err) != nil { // the lock makes the page count exact
			return errIfUnchanged(n, err)
		}
		now := s.now()
		recent, err := q.PrintsOf(ctx, query.PrintsOfParams{Contest: p.Contest, Team: p.Team, Most: 1})
		if err != nil {
			return err
		}
		if len(recent) > 0 && now-recent[0].Made < duplicatePeriod.Microseconds() {
			previous, err := q.GetPrint(ctx, p.Contest, recent[0].Number)
			if err != nil {
				return err
			}
			if previous.PrintRequest.Name == sanitize(p.Name) && previous.PrintRequest.Body == p.Body {
				return ErrDuplicateText
			}
		}
		pages, err := q.PagesSince(ctx, p.Team, now-time.Hour.Microseconds())
		if err != nil {
			return err
		}
		if int(pages)+p.Pages > maxPages {
			return ErrTooManyPages
		}
		if number, err = q.NextPrint(ctx, p.Contest); err != nil {
			return err
		}
		return q.InsertPrint(ctx, query.InsertPrintParams{
			Contest: p.Contest, Number: number, Team: p.Team, Account: p.Account, Name: sanitize(p.Name),
			Language: sanitize(p.Language), Body: p.Body,
			Pages: int64(p.Pages), Made: now,
		})
	})
	return number, err
}

// Prints reads at most n prints of a contest, newest first. If team is empty, it reads those of all teams;
// otherwise team is an id.
func (s *Store) Prints(ctx context.Context, contest, team string, n int) ([]*Print, error) {
	rows, err := s.read.PrintsOf(ctx, query.PrintsOfParams{Contest: contest, Team: team, Most: int32(n)})
	return convertRows(rows, err, "read the prints of a contest", func(r query.PrintsOfRow) *Print {
		return &Print{
			Contest: contest, Number: r.Number, Team: r.Team, Account: r.Account, Name: r.Name, Language: r.Language, Pages: int(r.Pages),
			Made: fromMicros(r.Made), State: PrintState(r.State), Reason: r.Reason, Printer: r.Login, Changed: fromMicros(r.Changed),
		}
	})
}

// Print reads a print with its file. It returns ErrNotFound if the number does not exist.
func (s *Store) Print(ctx context.Context, contest string, number int64) (*Print, error) {
	row, err := s.read.GetPrint(ctx, contest, number)
	r := row.PrintRequest
	return &Print{
		Contest: contest, Number: r.Number, Team: r.Team, Account: r.Account, Name: r.Name, Language: r.Language, Body: r.Body,
		Pages: int(r.Pages),
		Made:  fromMicros(r.Made), State: PrintState(r.State), Reason: r.Reason, Printer: row.Login, Changed: fromMicros(r.Changed),
	}, wrapError("read a print", err)
}

// NextPrint returns the print that has waited longest in any contest. It returns ErrNotFound if none is waiting.
func (s *Store) NextPrint(ctx context.Context) (*Print, error) {
	r, err := s.read.NextToPrint(ctx)
	if err != nil {
		return nil, wrapError("look for a print", err)
	}
	return s.Print(ctx, r.Contest, r.Number)
}

// SetPrint changes the state of a print from p.State to the given one. It returns false if the stored print is not
// in the state p.State. Printer is the id of the account that prints the file; if empty, the print command prints
// it.
func (s *Store) SetPrint(ctx context.Context, p *Print, to PrintState, printer, reason string) (bool, error) {
	n, err := s.write.SetPrint(ctx, query.SetPrintParams{
		Contest: p.Contest, Number: p.Number, Before: string(p.State), State: string(to), Reason: sanitize(reason),
		Printer: sql.NullString{String: printer, Valid: printer != ""}, Changed: s.now(),
	})
	return n > 0, wrapError("note the state of a print", err)
}

// AbandonPrints marks prints as failed if the print command began them longer ago than within. The server that
// printed them has stopped, so it is unknown what was printed.
func (s *Store) AbandonPrints(ctx context.Context, age time.Duration, reason string) error {
	now := s.now()
	return wrapError("look for abandoned prints", s.write.FailPrints(ctx, query.FailPrintsParams{
		Reason: sanitize(reason), Now: now, Since: now - age.Microseconds(),
	}))
}
