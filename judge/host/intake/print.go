package intake

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"assay/judge/host/auth"
	"assay/judge/host/printing"
	"assay/judge/host/store"
)

// CanPrint returns nil if the caller's team may print now. Otherwise it returns a Refusal.
func (d *Service) CanPrint(s *ContestAccess) error {
	switch {
	case s.Account == nil || !s.State.Visible:
		return s.Closed()
	case s.Team == nil:
		return &Refusal{Code: http.StatusForbidden, Text: "only teams of " + s.Contest.Name + " can print"}
	case !s.Contest.Settings.Printing:
		return &Refusal{
			Code: http.StatusForbidden, Text: "teams cannot print in " + s.Contest.Name,
			Hint: "a contest administrator can allow it in the settings of the contest",
		}
	case s.State.Phase == auth.Before:
		return s.Closed()
	case s.State.Phase == auth.Over:
		return &Refusal{Code: http.StatusForbidden, Text: s.Contest.Name + " is over: nothing is printed any more"}
	}
	return nil
}

// Print stores a file to print for the caller's team, and returns its number. If the same file was sent a moment
// ago, Print stores nothing and returns 0. It returns a Refusal if the file cannot be printed.
func (d *Service) Print(ctx context.Context, s *ContestAccess, name, language string, data []byte) (number int64, err error) {
	if err := d.CanPrint(s); err != nil {
		return 0, err
	}
	text, err := printing.Text(data)
	var pages []string
	if err == nil {
		pages, err = printing.Pages(text)
	}
	switch {
	case errors.Is(err, printing.ErrTooLarge), errors.Is(err, printing.ErrTooLong):
		return 0, &Refusal{Code: http.StatusRequestEntityTooLarge, Text: err.Error(), Hint: "print a part of the file"}
	case err != nil:
		return 0, &Refusal{Code: http.StatusBadRequest, Text: err.Error()}
	}
	if name = printing.BaseName(name); name == "" {
		name = "text"
	}
	number, err = d.Store.NewPrint(ctx, store.Print{
		Contest: s.Contest.ID, Team: s.Team.ID, Account: s.Account.ID, Name: name, Language: language, Body: text, Pages: len(pages),
	}, printing.MaxPerHour)
	switch {
	case errors.Is(err, store.ErrDuplicateText):
		return 0, nil
	case errors.Is(err, store.ErrTooManyPages):
		return 0, &Refusal{
			Code: http.StatusTooManyRequests,
			Text: fmt.Sprintf("a team can print %d pages in an hour, and your team would have more", printing.MaxPerHour),
			Hint: "print fewer pages, or wait",
		}
	}
	return number, err
}

// PrintHead returns the page header of a print.
func PrintHead(c *store.Contest, t *store.Team, p *store.Print) printing.PageHeader {
	h := printing.PageHeader{
		Team: t.Name, Number: strconv.FormatInt(t.Number, 10), Seat: t.Label, Groups: t.Groups, File: p.Name, Language: p.Language,
		Contest: c.Name,
		Time:    p.Made.Local().Format("15:04"),
	}
	if t.DisplayName != "" {
		h.Team = t.DisplayName
	}
	if t.ExtID != "" {
		h.Number = t.ExtID
	}
	return h
}
