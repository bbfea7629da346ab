package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

// People returns the accounts.
func (c *Client) People(ctx context.Context) (all []Person, err error) {
	err = c.call(ctx, http.MethodGet, PeoplePath, nil, &all)
	return all, err
}

// NewPeople creates accounts. It does not retry, because only the first response contains the passwords.
func (c *Client) NewPeople(ctx context.Context, n NewPeople) (s *Slips, err error) {
	err = c.once().call(ctx, http.MethodPost, PeoplePath, n, &s)
	return s, err
}

// ImportContest imports a contest package. It does not retry, because only the first response contains the
// passwords.
func (c *Client) ImportContest(ctx context.Context, n ImportContest) (r *ImportReport, err error) {
	err = c.once().call(ctx, http.MethodPost, ContestsPath, n, &r)
	return r, err
}

// ExportContest returns a part of a contest as a ZIP archive, which the caller must close.
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

// SetPerson changes an account. If it sets a new password, the returned login sheet contains it.
func (c *Client) SetPerson(ctx context.Context, login string, p SetPerson) (s *Slip, err error) {
	err = c.once().call(ctx, http.MethodPut, PeoplePath+"/"+url.PathEscape(login), p, &s)
	return s, err
}

// NewInvitation creates an invitation. Only this response contains its link.
func (c *Client) NewInvitation(ctx context.Context, n NewInvitation) (i *Invitation, err error) {
	err = c.once().call(ctx, http.MethodPost, InvitationsPath, n, &i)
	return i, err
}

// Invitations returns the invitations, newest first.
func (c *Client) Invitations(ctx context.Context) (all []Invitation, err error) {
	err = c.call(ctx, http.MethodGet, InvitationsPath, nil, &all)
	return all, err
}

// EndInvitation revokes an invitation.
func (c *Client) EndInvitation(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, InvitationsPath+"/"+url.PathEscape(id), nil, nil)
}

// ErasePerson erases a person permanently.
func (c *Client) ErasePerson(ctx context.Context, login string) error {
	return c.once().call(ctx, http.MethodDelete, PeoplePath+"/"+url.PathEscape(login), nil, nil)
}
