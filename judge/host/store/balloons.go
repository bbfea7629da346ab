package store

import (
	"context"
	"time"

	"assay/judge/host/store/internal/query"
)

// A Balloon is the balloon that a team gets for a solved problem.
type Balloon struct {
	Team       string // id
	Label      string // of the problem
	Submission int64  // number of the accepted submission
	At         time.Time
	// HoldReason is the reason why the balloon must not be delivered. It is empty if the balloon may be delivered.
	HoldReason  string
	DeliveredBy string    // username; empty until delivered
	DeliveredAt time.Time // zero until delivered
}

// Balloons returns the balloons of a contest in the order of the submissions.
func (s *Store) Balloons(ctx context.Context, contest string) ([]Balloon, error) {
	rows, err := s.read.BalloonsOf(ctx, contest)
	return convertRows(rows, err, "read the balloons", func(r query.BalloonsOfRow) Balloon {
		b := r.Balloon
		return Balloon{b.Team, b.Label, b.Submission, fromMicros(b.At), b.Held, r.Login, fromMicros(b.GivenAt.Int64)}
	})
}

// AddBalloons adds balloons. If a balloon already exists, AddBalloons updates only its submission, time and Held,
// and not who delivered it.
func (s *Store) AddBalloons(ctx context.Context, contest string, balloons []Balloon) error {
	if len(balloons) == 0 {
		return nil
	}
	return s.tx(ctx, "keep balloons", func(q *query.Queries) error {
		for _, b := range balloons {
			if err := q.PutBalloon(ctx, query.PutBalloonParams{
				Contest: contest, Team: b.Team, Label: b.Label, Submission: b.Submission, At: b.At.UnixMicro(),
				Held: sanitize(b.HoldReason),
			}); err != nil {
				return err
			}
		}
		return nil
	})
}

// DeliverBalloon records that an account delivered a balloon. It returns false if the balloon is already delivered,
// is held, or does not exist.
func (s *Store) DeliverBalloon(ctx context.Context, contest, team, label, account string) (bool, error) {
	n, err := s.write.GiveBalloon(ctx, query.GiveBalloonParams{
		Contest: contest, Team: team, Label: label, GivenBy: nullText(account), GivenAt: nullInt(s.now()),
	})
	return n > 0, wrapError("note that a balloon was delivered", err)
}

// UndoDelivery undoes the delivery of a balloon. It returns false if the balloon was delivered by another account
// than the given one, or longer ago than the duration within. If account is empty, any account may have delivered
// the balloon. If within is 0, there is no time limit.
func (s *Store) UndoDelivery(ctx context.Context, contest, team, label, account string, period time.Duration) (bool, error) {
	p := query.UndoBalloonParams{Contest: contest, Team: team, Label: label, Account: account}
	if period > 0 {
		p.Since = s.now() - period.Microseconds()
	}
	n, err := s.write.UndoBalloon(ctx, p)
	return n > 0, wrapError("take back that a balloon was delivered", err)
}
