package people

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
	"assay/judge/host/web"
)

// joinView is the page on which users create accounts for themselves.
type joinView struct {
	Action      string // path to which the form is sent
	Contest     string // contest that the user joins; may be empty
	Me          string // display name of the logged-in user; may be empty
	SignOn      bool   // joining requires single sign-on
	Login, Name string
	Errors      web.FieldErrors
}

// findInvitation returns the invitation in the address. If it is not valid, welcome returns a refusal.
func (s *site) findInvitation(r *web.Request) (v joinView, i *store.Invitation, err error) {
	const ask = "Ask the sender for a new link."
	if s.Registration == auth.Closed {
		return v, nil, &intake.Refusal{
			Code: http.StatusForbidden, Text: "Invitations are disabled on this server",
			Hint: "Ask the server administrator for an account.",
		}
	}
	i, err = s.Store.Invitation(r.Context(), auth.Hash(r.PathValue("code")))
	refused := func(text string) error { return &intake.Refusal{Code: http.StatusForbidden, Text: text, Hint: ask} }
	switch {
	case errors.Is(err, store.ErrNotFound):
		return v, nil, &intake.Refusal{
			Code: http.StatusNotFound, Text: "Invitation not found", Hint: "Check that the link is complete. " + ask,
		}
	case errors.Is(err, store.ErrUsed):
		return v, nil, refused("This invitation has been used up")
	case errors.Is(err, store.ErrExpired):
		return v, nil, refused("This invitation has expired")
	case errors.Is(err, store.ErrRevoked):
		return v, nil, refused("This invitation has been revoked")
	case err != nil:
		return v, nil, err
	}
	v.Action, v.SignOn = r.URL.Path, s.StaffPasswords
	if i.Contest != "" {
		c, err := s.Store.Contest(r.Context(), i.Contest)
		if err != nil {
			return v, nil, err
		}
		v.Contest = c.Name
	}
	if r.Me != nil {
		v.Me = r.Me.Display
	}
	return v, i, nil
}

func (s *site) invitationPage(w http.ResponseWriter, r *web.Request) error {
	v, _, err := s.findInvitation(r)
	if err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "join", "Join "+s.Name, v)
}

// acceptInvitation accepts an invitation: with a new account, or with the account of the caller.
func (s *site) acceptInvitation(w http.ResponseWriter, r *web.Request) error {
	v, i, err := s.findInvitation(r)
	if err != nil {
		return err
	}
	code := auth.Hash(r.PathValue("code"))
	if r.Me == nil && v.SignOn {
		return web.ErrLoginRequired
	}
	if r.Me == nil {
		return s.createAndLogIn(w, r, v, func(n store.NewAccount) (*store.Account, error) {
			return s.Store.JoinByInvitation(r.Context(), code, n)
		})
	}
	if err := s.Store.AcceptInvitation(r.Context(), code, r.Me); err != nil {
		return errors.Join(s.recheckInvitation(r), err)
	}
	return s.AuditAndRedirect(w, r, "join", i.ID, "", "/")
}

// recheckInvitation checks the invitation in the address again. It returns a refusal if the invitation is no longer valid.
func (s *site) recheckInvitation(r *web.Request) error {
	_, _, err := s.findInvitation(r)
	return err
}

// register shows the form for a new account if registration is open.
func (s *site) register(w http.ResponseWriter, r *web.Request) error {
	if err := s.checkRegistrationOpen(r); err != nil {
		return err
	}
	return s.RenderPage(w, r, http.StatusOK, "join", "Join "+s.Name, joinView{Action: "/register"})
}

func (s *site) registerAccount(w http.ResponseWriter, r *web.Request) error {
	if err := s.checkRegistrationOpen(r); err != nil {
		return err
	}
	return s.createAndLogIn(w, r, joinView{Action: "/register"}, func(n store.NewAccount) (*store.Account, error) {
		if wait := s.registrations.Add(intake.Network(r.RemoteAddr).String(), intake.Registrations, s.Time()); wait > 0 {
			refusal := intake.Registrations.Refusal()
			refusal.Hint = fmt.Sprintf("Try again in %s, or ask the server administrator for an invitation.",
				web.CountText(int(wait.Minutes())+1, "minute", "minutes"))
			return nil, refusal
		}
		accounts, err := s.Store.NewAccounts(r.Context(), n)
		if err != nil {
			return nil, err
		}
		return accounts[0], nil
	})
}

func (s *site) checkRegistrationOpen(r *web.Request) error {
	switch {
	case s.Registration != auth.Open:
		return &intake.Refusal{
			Code: http.StatusForbidden, Text: "Registration is closed on this server",
			Hint: "Ask the server administrator for an account.",
		}
	case r.Me != nil:
		return &intake.Refusal{
			Code: http.StatusConflict, Text: "You have an account already",
			Hint: "To create another account, log out first.",
		}
	}
	return nil
}

// createAndLogIn reads the form for a new account, creates the account with the function made, and logs it in.
func (s *site) createAndLogIn(
	w http.ResponseWriter, r *web.Request, v joinView, create func(store.NewAccount) (*store.Account, error),
) error {
	if err := web.ReadForm(w, r, web.MaxSmallForm); err != nil {
		return err
	}
	v.Login, v.Name = strings.ToLower(r.Field("login")), r.Field("name")
	refuse := func(code int) error { return s.RenderPage(w, r, code, "join", "Join "+s.Name, v) }
	v.Errors.CheckName(v.Name)
	checkUsername(&v.Errors, "login", v.Login)
	if checkNewPassword(&v.Errors, r); len(v.Errors) > 0 {
		return refuse(http.StatusBadRequest)
	}
	hash, err := s.Passwords.Hash(r.Context(), r.Field("password"))
	if err != nil {
		return err
	}
	a, err := create(
		store.NewAccount{Login: v.Login, Display: v.Name, Password: hash, Kind: store.PersonAccount, Role: string(auth.Contestant)},
	)
	switch {
	case errors.Is(err, store.ErrTaken):
		v.Errors.Add("login", "The username %s is taken. Choose another.", v.Login)
		return refuse(http.StatusConflict)
	case errors.Is(err, store.ErrUsed) || errors.Is(err, store.ErrExpired) || errors.Is(err, store.ErrRevoked):
		return errors.Join(s.recheckInvitation(r), err)
	case err != nil:
		return err
	}
	if err := s.Store.Audit(r.Context(), store.AuditEntry{Actor: a.ID, Action: "join", Address: r.RemoteAddr}); err != nil {
		return err
	}
	if err := s.startSession(w, r, a); err != nil {
		return err
	}
	return web.Redirect(w, r, "/")
}

// checkUsername checks the username of a form.
func checkUsername(e *web.FieldErrors, field, login string) {
	if !auth.ValidUsername(login) {
		e.Add(field, "Invalid username: use at most 40 letters, digits, hyphens and underscores, and begin with a letter or a digit.")
	}
}

// invitationsView is the page of invitations.
type invitationsView struct {
	Lines    []invitationLine
	Contests []*store.Contest
	Closed   bool
	Link     string // link of a new invitation, shown once
	Errors   web.FieldErrors
	// As typed, if the form was refused.
	Note, MaxUses, Days, Contest string
}

type invitationLine struct {
	*store.Invitation
	Contest, By, State string
	Open               bool
}

func (s *site) invitations(w http.ResponseWriter, r *web.Request) error {
	return s.invitationsPage(w, r, http.StatusOK, invitationsView{MaxUses: "1", Days: "7"})
}

func (s *site) invitationsPage(w http.ResponseWriter, r *web.Request, code int, v invitationsView) (err error) {
	if v.Contests, err = s.Store.Contests(r.Context()); err != nil {
		return err
	}
	slugs := map[string]string{}
	for _, c := range v.Contests {
		slugs[c.ID] = c.Slug
	}
	invitations, err := s.Store.Invitations(r.Context())
	if err != nil {
		return err
	}
	for _, i := range invitations {
		state := i.State(s.Time())
		line := invitationLine{Invitation: i, Contest: slugs[i.Contest], State: state, Open: state == store.InvitationValid}
		switch {
		case line.Open:
			line.State = "active"
		case !i.Revoked.IsZero():
			line.State = "revoked"
		}
		if creator, err := s.Store.Account(r.Context(), i.CreatedBy); err == nil {
			line.By = creator.Login
		}
		v.Lines = append(v.Lines, line)
	}
	v.Closed = s.Registration == auth.Closed
	return s.RenderPage(w, r, code, "invitations", "Invitations", v)
}

func (s *site) newInvitation(w http.ResponseWriter, r *web.Request) error {
	uses, err1 := strconv.Atoi(r.PostFormValue("uses"))
	days, err2 := strconv.ParseFloat(r.PostFormValue("days"), 64)
	v := invitationsView{
		Note: r.PostFormValue("note"), MaxUses: r.PostFormValue("uses"), Days: r.PostFormValue("days"), Contest: r.PostFormValue("contest"),
	}
	if err1 != nil {
		v.Errors.Add("uses", "Enter a number of accounts, for example 40.")
	}
	if err2 != nil {
		v.Errors.Add("days", "Enter a number of days, for example 7.")
	}
	if len(v.Errors) > 0 {
		return s.invitationsPage(w, r, http.StatusBadRequest, v)
	}
	code, i, err := s.CreateInvitation(r.Context(), intake.InvitationRequest{
		Note: v.Note, Contest: v.Contest, Uses: uses, Days: days, By: r.Me.ID,
	})
	if refusal, is := errors.AsType[*intake.Refusal](err); is {
		v.Errors = web.RefusalErrors(refusal, "")
		return s.invitationsPage(w, r, refusal.Code, v)
	}
	if err != nil {
		return err
	}
	if err := s.Audit(r, "invite", i.ID, fmt.Sprintf("%d people, until %s", i.MaxUses, i.Expires.UTC().Format(time.DateTime))); err != nil {
		return err
	}
	return s.invitationsPage(w, r, http.StatusOK, invitationsView{Link: s.URL + "/invite/" + code, MaxUses: "1", Days: "7"})
}

func (s *site) revokeInvitation(w http.ResponseWriter, r *web.Request) error {
	if err := s.Store.RevokeInvitation(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	return s.AuditAndRedirect(w, r, "take back invitation", r.PathValue("id"), "", "/admin/invitations")
}
