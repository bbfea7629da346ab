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
	"assay/judge/host/intake"
	"assay/judge/host/roster"
	"assay/judge/host/store"
)

// A Request is an HTTP request with what was resolved from it: the account, the session, and the object in the
// address.
type Request struct {
	*http.Request
	Me           *store.Account // nil if the caller is anonymous
	Session      *store.Session // of Me
	Access       Access         // nil if the address names no object that a package resolves
	sessionEnded bool           // the browser has the cookie of an ended session
	slot         *intake.Slot   // nil if the route needs no turn
	garbageLock  *sync.RWMutex  // see intake.Intake; nil unless blobs are pinned
}

// Access is the object in the address of a request, such as a contest or a ladder, and the caller's permissions
// there. Each package of pages defines its own.
type Access interface {
	// Can reports whether the caller may perform an action on the object.
	Can(auth.Action) bool
	// Refusal returns an error that says why a logged-in caller may not perform an action on the object. If it
	// returns nil, Can decides.
	Refusal(*Request, auth.Action) error
	// Head returns the object's part of the head of a page.
	Head(*Request) (Head, error)
}

// Can reports whether the caller may perform an action on the object in the address. If the address names no
// object, Can reports whether the caller may perform the action on the server.
func (r *Request) Can(a auth.Action) bool {
	if r.Access != nil {
		return r.Access.Can(a)
	}
	return r.CanAnywhere(a)
}

// CanAnywhere reports whether the caller may perform an action on the whole server, and not only in the contest in
// the address.
func (r *Request) CanAnywhere(a auth.Action) bool {
	return auth.Can(intake.ServerRole(r.Me), a, auth.State{})
}

// CheckPermission returns nil if the caller may perform an action on the object in the address. Otherwise it returns an
// error that does not reveal what the caller may not see.
func (r *Request) CheckPermission(a auth.Action) error {
	can := r.Can(a)
	if !can && r.Me == nil {
		return ErrLoginRequired
	}
	if r.Access != nil {
		if err := r.Access.Refusal(r, a); err != nil {
			return err
		}
	}
	if !can {
		return &intake.Refusal{Code: http.StatusForbidden, Text: "this is not for you", Hint: "ask the server's administrator"}
	}
	return nil
}

// NotFoundError returns the error for an object that does not exist or is hidden from the caller. Both cases look the
// same.
func (r *Request) NotFoundError() error {
	if r.Me == nil {
		return ErrLoginRequired
	}
	return ErrNotFound
}

// Field returns a form field without leading and trailing spaces. It trims passwords as well, because users often
// copy spaces with a password from a login sheet, and no password contains such spaces.
func (r *Request) Field(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }

// CookieLifetime is the longest time for which browsers keep a cookie.
const CookieLifetime = 400 * 24 * time.Hour

// Cookie returns the name of the session cookie. Over plain HTTP, browsers reject the name reserved for secure
// cookies.
func (s *Site) Cookie() string {
	if s.Secure {
		return "__Host-assay"
	}
	return "assay"
}

// authenticate sets the session of r to the one that the cookie identifies, and the account of r to the session's
// account.
func (s *Site) authenticate(w http.ResponseWriter, r *Request) error {
	c, err := r.Cookie(s.Cookie())
	if err != nil || c.Value == "" {
		return nil
	}
	session, me, err := s.Store.Session(r.Context(), auth.Hash(c.Value))
	if errors.Is(err, store.ErrNotFound) {
		s.ClearSession(w)
		r.sessionEnded = true
		return nil
	}
	if err != nil {
		return err
	}
	err = s.CheckAddress(r.Context(), me, r.RemoteAddr)
	if _, elsewhere := errors.AsType[*intake.Refusal](err); elsewhere {
		return nil // the login page will say why
	}
	r.Session, r.Me = session, me
	return err
}

// SetSession stores the secret of a session in the browser.
func (s *Site) SetSession(w http.ResponseWriter, secret string) {
	http.SetCookie(w, &http.Cookie{
		Name: s.Cookie(), Value: secret, Path: "/", MaxAge: int(CookieLifetime.Seconds()), HttpOnly: true, Secure: s.Secure,
		SameSite: http.SameSiteLaxMode,
	})
}

// ClearSession deletes the session cookie from the browser.
func (s *Site) ClearSession(w http.ResponseWriter) {
	http.SetCookie(
		w,
		&http.Cookie{Name: s.Cookie(), Path: "/", MaxAge: -1, HttpOnly: true, Secure: s.Secure, SameSite: http.SameSiteLaxMode},
	)
}

// MaxSmallForm is the maximum size in bytes of a form without files or lists.
const MaxSmallForm = 64 << 10

// MaxListForm is the maximum size in bytes of a form with a list of people. Browsers encode an accented letter in
// six bytes.
const MaxListForm = 4 * roster.MaxBytes

var errForm = &intake.Refusal{Code: http.StatusBadRequest, Text: "invalid form: reload the page and try again"}

// ReadForm reads the fields of a form. MaxSize is the maximum size of the form in bytes.
func ReadForm(w http.ResponseWriter, r *Request, maxSize int64) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxSize)
	err := r.Yield(r.ParseForm)
	if refusal := intake.BodyRefusal(err); refusal != nil {
		return refusal
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); err != nil && !large {
		return errForm
	}
	return err
}

// ReadMultipart reads a form with files. MaxSize is the maximum total size of the files in bytes. Noun describes them
// in an error message.
func ReadMultipart(w http.ResponseWriter, r *Request, maxSize int64, noun string) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxSize*4/3+2*MaxSmallForm) // kept files are in base64
	const inMemory = 1 << 20
	err := r.Yield(func() error {
		err := r.ParseForm() // ParseMultipartForm would not report a large form without files
		if err == nil {
			err = r.ParseMultipartForm(inMemory)
		}
		return err
	})
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return &intake.Refusal{
				Code: http.StatusRequestEntityTooLarge,
				Text: fmt.Sprintf("the %s is too large: the most is %d bytes", noun, maxSize),
			}
		}
		if refusal := intake.BodyRefusal(err); refusal != nil {
			return refusal
		}
		return errForm
	}
	return nil
}

// A File is a file in a form.
type File struct {
	Name string
	Data []byte
}

// Files returns the files in a form, including those of a form kept during a login. If a file has more than most
// bytes, Files reads most+1 of them.
func (r *Request) Files(maxSize int64) (files []File, err error) {
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
		data, err := io.ReadAll(io.LimitReader(file, maxSize+1))
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
		files = append(files, File{h.Filename, data})
	}
	return files, nil
}

// Redirect makes the browser load another page after a form was sent.
func Redirect(w http.ResponseWriter, r *Request, path string) error {
	http.Redirect(w, r.Request, path, http.StatusSeeOther)
	return nil
}

// AuditEntry returns an audit log entry of the caller, without action and object.
func (s *Site) AuditEntry(r *Request, detail string) store.AuditEntry {
	return store.AuditEntry{Actor: r.Me.ID, Detail: detail, Address: r.RemoteAddr}
}

// Audit records an action of the caller in the audit log.
func (s *Site) Audit(r *Request, action, object, detail string) error {
	e := s.AuditEntry(r, detail)
	e.Action, e.Object = action, object
	return s.Store.Audit(r.Context(), e)
}

// AuditAndRedirect records an action of the caller in the audit log and redirects to another page.
func (s *Site) AuditAndRedirect(w http.ResponseWriter, r *Request, action, object, detail, path string) error {
	if err := s.Audit(r, action, object, detail); err != nil {
		return err
	}
	return Redirect(w, r, path)
}
