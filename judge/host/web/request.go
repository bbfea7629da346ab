package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"assay/judge/host/auth"
	"assay/judge/host/desk"
	"assay/judge/host/roster"
	"assay/judge/host/store"
)

// A Request is an HTTP request with what was resolved from it: the account, its session, and what the
// address names.
type Request struct {
	*http.Request
	Me       *store.Account // nil if the caller is anonymous
	Session  *store.Session // of Me
	Access   Access         // nil if the address names nothing that a package resolves
	ended    bool           // the browser has the cookie of a session that has ended
	turn     *desk.Turn     // nil if the route needs none
	sweeping *sync.RWMutex  // see desk.Desk; nil while no blobs are pinned
}

// Access is what the address of a request names, such as a contest or a ladder, with what the caller
// may do there. Each package of pages has its own.
type Access interface {
	// Can reports whether the caller may do an action there.
	Can(auth.Action) bool
	// Refusal returns why a caller who is logged in may not do an action. If it returns nil, the general
	// rule holds: the caller may do what Can reports.
	Refusal(*Request, auth.Action) error
	// Head returns what it adds to the head of a page.
	Head(*Request) (Head, error)
}

// Can reports whether the caller may do an action there or, if the address names nothing, on the
// server.
func (r *Request) Can(a auth.Action) bool {
	if r.Access != nil {
		return r.Access.Can(a)
	}
	return r.CanAnywhere(a)
}

// CanAnywhere reports whether the caller may do an action on the whole server, and not only in the contest
// that the address names.
func (r *Request) CanAnywhere(a auth.Action) bool { return auth.Can(desk.Role(r.Me), a, auth.State{}) }

// Allow returns nil if the caller may do an action there. The error for one who may not does not
// disclose what they may not see.
func (r *Request) Allow(a auth.Action) error {
	can := r.Can(a)
	if !can && r.Me == nil {
		return ErrLogIn
	}
	if r.Access != nil {
		if err := r.Access.Refusal(r, a); err != nil {
			return err
		}
	}
	if !can {
		return &desk.Refusal{Code: http.StatusForbidden, Text: "this is not for you", Hint: "ask the server's administrator"}
	}
	return nil
}

// Hidden returns the error for what does not exist, or may not be known to the caller: both look alike.
func (r *Request) Hidden() error {
	if r.Me == nil {
		return ErrLogIn
	}
	return ErrNotFound
}

// Field returns a field of the form without blanks at its ends. Of passwords, too: the blanks come
// along when people copy one from a login sheet, and are never part of it.
func (r *Request) Field(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }

// CookieLife is the longest that browsers keep a cookie.
const CookieLife = 400 * 24 * time.Hour

// Cookie returns the name of the session's cookie. Over plain HTTP, browsers reject the name that only
// a secure one may have.
func (s *Site) Cookie() string {
	if s.Secure {
		return "__Host-assay"
	}
	return "assay"
}

// authenticate resolves the session of the cookie, and its account.
func (s *Site) authenticate(w http.ResponseWriter, r *Request) error {
	c, err := r.Cookie(s.Cookie())
	if err != nil || c.Value == "" {
		return nil
	}
	session, me, err := s.Store.Session(r.Context(), auth.Hash(c.Value))
	if errors.Is(err, store.ErrNotFound) {
		s.ClearSession(w)
		r.ended = true
		return nil
	}
	if err != nil {
		return err
	}
	err = s.Elsewhere(r.Context(), me, r.RemoteAddr)
	if _, elsewhere := errors.AsType[*desk.Refusal](err); elsewhere {
		return nil // to log in tells why
	}
	r.Session, r.Me = session, me
	return err
}

// SetSession makes the browser keep the secret of a session.
func (s *Site) SetSession(w http.ResponseWriter, secret string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.Cookie(), Value: secret, Path: "/", MaxAge: int(CookieLife.Seconds()), HttpOnly: true, Secure: s.Secure,
		SameSite: http.SameSiteLaxMode,
	})
}

// ClearSession makes the browser forget its session.
func (s *Site) ClearSession(w http.ResponseWriter) {
	http.SetCookie(w, &http.Cookie{Name: s.Cookie(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode})
}

// SmallForm is the maximum number of bytes in a form without files and lists.
const SmallForm = 64 << 10

// MaxListForm is the maximum number of bytes in a form with a list of people: browsers write a letter with an accent
// in six.
const MaxListForm = 4 * roster.MaxBytes

var errForm = &desk.Refusal{Code: http.StatusBadRequest, Text: "invalid form: reload the page and try again"}

// ReadForm reads the fields of a form of at most this many bytes.
func ReadForm(w http.ResponseWriter, r *Request, most int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, most)
	err := r.Yield(r.ParseForm)
	if refusal := desk.BodyRefusal(err); refusal != nil {
		return refusal
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); err != nil && !large {
		return errForm
	}
	return err
}

// ReadMultipart reads a form with files of at most this many bytes. What names them in an error.
func ReadMultipart(w http.ResponseWriter, r *Request, most int64, what string) error {
	r.Body = http.MaxBytesReader(w, r.Body, most*4/3+2*SmallForm) // a file of a form that was kept is in base64
	const inMemory = 1 << 20
	err := r.Yield(func() error {
		err := r.ParseForm() // of one without files, ParseMultipartForm does not say that it is too large
		if err == nil {
			err = r.ParseMultipartForm(inMemory)
		}
		return err
	})
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return &desk.Refusal{Code: http.StatusRequestEntityTooLarge, Text: fmt.Sprintf("the %s is too large: the most is %d bytes", what, most)}
		}
		if refusal := desk.BodyRefusal(err); refusal != nil {
			return refusal
		}
		return errForm
	}
	return nil
}

// A File is a file of a form.
type File struct {
	Name string
	Data []byte
}

// Files returns the files of a form: those that were chosen, and those of a form that was kept during a
// login. Of a file that has more than most bytes it reads one more.
func (r *Request) Files(most int64) (files []File, err error) {
	for _, text := range r.PostForm[keptFileField] {
		f, err := decodeFile(text)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	if r.MultipartForm == nil {
		return files, nil
	}
	for _, h := range r.MultipartForm.File["file"] {
		if h.Filename == "" {
			continue
		}
		file, err := h.Open()
		if err != nil {
			return nil, err
		}
		data, err := io.ReadAll(io.LimitReader(file, most+1))
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		files = append(files, File{h.Filename, data})
	}
	return files, nil
}

// Redirect makes the browser load another page after a form.
func Redirect(w http.ResponseWriter, r *Request, to string) error {
	http.Redirect(w, r.Request, to, http.StatusSeeOther)
	return nil
}

// Entry returns an entry of the audit by the caller, without action and object.
func (s *Site) Entry(r *Request, detail string) store.Entry {
	return store.Entry{Actor: r.Me.ID, Detail: detail, Address: r.RemoteAddr}
}

// Audit records what the caller did.
func (s *Site) Audit(r *Request, action, object, detail string) error {
	e := s.Entry(r, detail)
	e.Action, e.Object = action, object
	return s.Store.Audit(r.Context(), e)
}

// Done records what the caller did, and makes the browser load another page.
func (s *Site) Done(w http.ResponseWriter, r *Request, action, object, detail, to string) error {
	if err := s.Audit(r, action, object, detail); err != nil {
		return err
	}
	return Redirect(w, r, to)
}
