package web

import (
	"net/http"
	"net/url"
	"time"
)

// confirmationPeriod is how long a password confirmation is valid.
const confirmationPeriod = 10 * time.Minute

// confirmView is the page that asks for the password again, with the fields of the original form.
type confirmView struct {
	Path, Login string
	Errors      FieldErrors
	Fields      []formField
	Password    bool   // the account has a password
	SignOn      string // link to confirm by single sign-on; empty if not possible
}

type formField struct{ Name, Value string }

// confirmField is the name of the password field.
const confirmField = "sure-password"

// confirmPassword reports whether the caller entered the password recently or in this form. If not, it responds
// with a page that asks for the password and then sends the original form again.
func (s *Site) confirmPassword(w http.ResponseWriter, r *Request) (bool, error) {
	if s.Time().Sub(r.Session.PasswordChecked) < confirmationPeriod {
		return true, nil
	}
	if err := ReadForm(w, r, MaxListForm); err != nil {
		return false, err
	}
	v := confirmView{Path: r.URL.RequestURI(), Login: r.Me.Login, Password: r.Me.Password != ""}
	if s.SignOn != nil {
		identities, err := s.Store.Identities(r.Context(), r.Me.ID)
		if err != nil {
			return false, err
		}
		if len(identities) > 0 {
			v.SignOn = SignOnPath + "?" + url.Values{"confirm": {"1"}, "next": {r.referrerPath()}}.Encode()
		}
	}
	for name, values := range r.PostForm {
		for _, value := range values {
			if name != confirmField {
				v.Fields = append(v.Fields, formField{name, value})
			}
		}
	}
	if r.PostForm.Has(confirmField) {
		good, err := s.CheckPassword(r, r.Field(confirmField))
		refusal := AsRefusal(err)
		switch {
		case refusal != nil:
			v.Errors.Add("", "%s", refusal.Sentence())
		case err != nil:
			return false, err
		case good:
			return true, s.Store.RecordPasswordCheck(r.Context(), r.Session.Hash)
		default:
			v.Errors.Add(confirmField, "The password is wrong.")
		}
	}
	title := "Confirm your login"
	if v.Password {
		title = "Confirm your password"
	}
	return false, s.RenderPage(w, r, http.StatusForbidden, "confirm", title, v)
}

// CheckPassword reports whether a password is the caller's. After several wrong passwords in a session it returns a
// *intake.Refusal.
func (s *Site) CheckPassword(r *Request, password string) (bool, error) {
	return s.Throttle.Try("session "+r.Session.Hash, s.Time(), func() (bool, error) {
		return s.Passwords.Check(r.Context(), password, r.Me.Password)
	})
}
