package web

import (
	"net/http"
	"time"
)

// careful are the routes for which a password is asked again where it was not typed for a
// while: what they do cannot be undone, or gives somebody more to do, and the session may be
// one that somebody left open.
var careful = map[string]bool{
	"POST /account/tokens":               true,
	"POST /account/erase":                true,
	"POST /admin/accounts":               true,
	"POST /admin/accounts/{login}":       true,
	"POST /admin/accounts/{login}/erase": true,
	"POST /c/{slug}/board":               true,
	"POST /c/{slug}/finalize":            true,
	"POST /c/{slug}/teams/slips":         true,
	"POST /c/{slug}/rejudgings/{id}":     true,
	"POST /c/{slug}/s/{n}/mark":          true,
}

// sureFor is how long a password that was typed is enough.
const sureFor = 10 * time.Minute

// sureView is the page that asks for the password again, with the form that was sent.
type sureView struct {
	Path, Login, Wrong string
	Fields             []sentField
}

type sentField struct{ Name, Value string }

// sureField is the field of the password that is asked for again.
const sureField = "sure-password"

// sure says whether the caller has typed the password lately, or with this form. Where
// not, it answers with a page that asks for it and sends the form again.
func (s *site) sure(w http.ResponseWriter, r *ask) (bool, error) {
	if s.Time().Sub(r.session.Sure) < sureFor {
		return true, nil
	}
	if err := form(w, r, mostListForm); err != nil {
		return false, err
	}
	v := sureView{Path: r.URL.RequestURI(), Login: r.me.Login}
	for name, values := range r.PostForm {
		for _, value := range values {
			if name != sureField {
				v.Fields = append(v.Fields, sentField{name, value})
			}
		}
	}
	if r.PostForm.Has(sureField) {
		by := "session " + r.session.Hash
		switch wait := s.tries.begin(by, s.Time()); {
		case wait > 0:
			v.Wrong = "there were too many wrong passwords: wait " + counted(int(wait.Seconds())+1, "second", "seconds")
		default:
			good, err := s.Passwords.Check(r.Context(), typed(r, sureField), r.me.Password)
			if err != nil {
				return false, err
			}
			if good {
				s.tries.forget(by)
				return true, s.Store.Sure(r.Context(), r.session.Hash)
			}
			v.Wrong = "this is not your password"
		}
	}
	return false, s.page(w, r, http.StatusForbidden, "sure", "Your password again", v)
}
