package demo

import (
	"context"
	"time"

	"assay/judge/host/store"
)

// clarifications are those of the contest, in their order.
var clarifications = []struct {
	ago     time.Duration
	team    int    // -1 for the jury
	label   string // of the problem; empty for none
	text    string
	answers int // the place of the question that it answers, from 1; 0 if there is none
}{
	{150 * time.Minute, 2, "A", "What is printed if no move wins?", 0},
	{147 * time.Minute, -1, "A", "Any text that is not a position, always the same one. See the samples.", 1},
	{90 * time.Minute, -1, "", "The prizes are given 15 minutes after the end, in the hall.", 0},
	{9 * time.Minute, 4, "C", "May a program keep a file between two rounds?", 0},
	{4 * time.Minute, 0, "B", "Is the first number always above 1?", 0},
}

// clarify writes the clarifications that came before a moment and are not written yet.
func (f *filling) clarify(ctx context.Context, until time.Time) error {
	jury, err := f.store.AccountByLogin(ctx, "judge")
	if err != nil {
		return err
	}
	for _, c := range clarifications[len(f.said):] {
		at := f.o.Now.Add(-c.ago)
		if at.After(until) {
			return nil
		}
		f.clock = at
		n := store.NewClarification{Contest: f.contest, Account: jury.ID, Staff: c.team < 0, Text: c.text, Problem: f.labels[c.label]}
		if c.team >= 0 {
			n.Account, n.Team = f.accounts[c.team].ID, f.teams[c.team].ID
		}
		if c.answers > 0 {
			n.ReplyTo = f.said[c.answers-1]
		}
		number, err := f.store.Clarify(ctx, n)
		if err != nil {
			return err
		}
		f.said = append(f.said, number)
	}
	return nil
}
