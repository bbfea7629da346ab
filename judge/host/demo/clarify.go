package demo

import (
	"context"
	"time"

	"assay/judge/host/store"
)

// clarifications lists the clarifications of the contest, in order.
var clarifications = []struct {
	ago     time.Duration
	team    int    // -1 for the jury
	label   string // of the problem; may be empty
	text    string
	answers int // index, from 1, of the request that it answers; 0 if none
}{
	{150 * time.Minute, 2, "A", "What is printed if no move wins?", 0},
	{147 * time.Minute, -1, "A", "Any text that is not a position, always the same one. See the samples.", 1},
	{90 * time.Minute, -1, "", "The prizes are given 15 minutes after the end, in the hall.", 0},
	{9 * time.Minute, 4, "C", "May a program keep a file between two rounds?", 0},
	{4 * time.Minute, 0, "B", "Is the first number always above 1?", 0},
}

// writeClarifications writes the clarifications that are due before the given time and have not been written yet.
func (f *demoData) writeClarifications(ctx context.Context, until time.Time) error {
	jury, err := f.store.AccountByLogin(ctx, "judge")
	if err != nil {
		return err
	}
	for _, c := range clarifications[len(f.clarificationNumbers):] {
		at := f.o.Now.Add(-c.ago)
		if at.After(until) {
			return nil
		}
		f.clock = at
		n := store.NewClarification{Contest: f.contest, Account: jury.ID, Jury: c.team < 0, Text: c.text, Problem: f.labels[c.label]}
		if c.team >= 0 {
			n.Account, n.Team = f.accounts[c.team].ID, f.teams[c.team].ID
		}
		if c.answers > 0 {
			n.ReplyTo = f.clarificationNumbers[c.answers-1]
		}
		number, err := f.store.Clarify(ctx, n)
		if err != nil {
			return err
		}
		f.clarificationNumbers = append(f.clarificationNumbers, number)
	}
	return nil
}
