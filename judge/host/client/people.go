package client

import (
	"context"
	"io"
	"net/http"
	"net/url"
)

// Accounts returns the accounts.
func (c *Client) Accounts(ctx context.Context) (accounts []AccountInfo, err error) {
	err = c.call(ctx, http.MethodGet, AccountsPath, nil, &accounts)
	return accounts, err
}

// CreateAccounts creates accounts. It does not retry, because only the first response contains the passwords.
func (c *Client) CreateAccounts(ctx context.Context, n NewAccounts) (s *CreatedAccounts, err error) {
	err = c.withoutRetry().call(ctx, http.MethodPost, AccountsPath, n, &s)
	return s, err
}

// ImportContest imports a contest package. It does not retry, because only the first response contains the
// passwords.
func (c *Client) ImportContest(ctx context.Context, n ContestImport) (r *ImportReport, err error) {
	err = c.withoutRetry().call(ctx, http.MethodPost, ContestsPath, n, &r)
	return r, err
}

// ExportContest returns a part of a contest as a ZIP archive, which the caller must close.
func (c *Client) ExportContest(ctx context.Context, contest, archive string) (r io.ReadCloser, err error) {
	err = c.retry(ctx, func() error {
		answer, err := c.send(ctx, http.MethodGet, ContestsPath+"/"+url.PathEscape(contest)+ExportPath+"/"+archive, nil, 0)
		if err == nil {
			r = answer.Body
		}
		return err
	})
	return r, err
}

// UpdateAccount changes an account. If it sets a new password, the returned login sheet contains it.
func (c *Client) UpdateAccount(ctx context.Context, login string, p AccountUpdate) (s *Credentials, err error) {
	err = c.withoutRetry().call(ctx, http.MethodPut, AccountsPath+"/"+url.PathEscape(login), p, &s)
	return s, err
}

// CreateInvitation creates an invitation. Only this response contains its link.
func (c *Client) CreateInvitation(ctx context.Context, n NewInvitation) (i *Invitation, err error) {
	err = c.withoutRetry().call(ctx, http.MethodPost, InvitationsPath, n, &i)
	return i, err
}

// Invitations returns the invitations, newest first.
func (c *Client) Invitations(ctx context.Context) (invitations []Invitation, err error) {
	err = c.call(ctx, http.MethodGet, InvitationsPath, nil, &invitations)
	return invitations, err
}

// RevokeInvitation revokes an invitation.
func (c *Client) RevokeInvitation(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, InvitationsPath+"/"+url.PathEscape(id), nil, nil)
}

// EraseAccount erases a person permanently.
func (c *Client) EraseAccount(ctx context.Context, login string) error {
	return c.withoutRetry().call(ctx, http.MethodDelete, AccountsPath+"/"+url.PathEscape(login), nil, nil)
}
