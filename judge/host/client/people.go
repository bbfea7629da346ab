package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

// People lists the accounts.
func (c *Client) People(ctx context.Context) (all []Person, err error) {
	err = c.call(ctx, http.MethodGet, PeoplePath, nil, &all)
	return all, err
}

// NewPeople makes accounts. It is asked for once: passwords are told in one answer only.
func (c *Client) NewPeople(ctx context.Context, n NewPeople) (s *Slips, err error) {
	err = c.once().call(ctx, http.MethodPost, PeoplePath, n, &s)
	return s, err
}

// ImportContest imports a contest package. Passwords are in one answer only, so it is sent once.
func (c *Client) ImportContest(ctx context.Context, n ImportContest) (r *ImportReport, err error) {
	err = c.once().call(ctx, http.MethodPost, ContestsPath, n, &r)
	return r, err
}

// ExportContest asks for a part of a contest as a ZIP archive, which the caller closes.
func (c *Client) ExportContest(ctx context.Context, contest, part string) (r io.ReadCloser, err error) {
	err = c.patient(ctx, func() error {
		answer, err := c.send(ctx, http.MethodGet, ContestsPath+"/"+url.PathEscape(contest)+ExportPath+"/"+part, nil, 0)
		if err == nil {
			r = answer.Body
		}
		return err
	})
	return r, err
}

// SetPerson changes an account. The slip is of a password that was made up.
func (c *Client) SetPerson(ctx context.Context, login string, p SetPerson) (s *Slip, err error) {
	err = c.once().call(ctx, http.MethodPut, PeoplePath+"/"+url.PathEscape(login), p, &s)
	return s, err
}

// NewInvitation makes an invitation. Its link is told in one answer only.
func (c *Client) NewInvitation(ctx context.Context, n NewInvitation) (i *Invitation, err error) {
	err = c.once().call(ctx, http.MethodPost, InvitationsPath, n, &i)
	return i, err
}

// Invitations lists the invitations, the latest first.
func (c *Client) Invitations(ctx context.Context) (all []Invitation, err error) {
	err = c.call(ctx, http.MethodGet, InvitationsPath, nil, &all)
	return all, err
}

// EndInvitation takes an invitation back.
func (c *Client) EndInvitation(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, InvitationsPath+"/"+url.PathEscape(id), nil, nil)
}

// ErasePerson takes a person out of the server, for ever.
func (c *Client) ErasePerson(ctx context.Context, login string) error {
	return c.once().call(ctx, http.MethodDelete, PeoplePath+"/"+url.PathEscape(login), nil, nil)
}
