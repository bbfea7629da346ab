package web

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"assay/judge/host/auth"
)

// A KeptForm is a form sent by a browser that is not logged in. The login page carries the form. After the login,
// it is shown again so that the user can send it.
type KeptForm struct {
	Path   string // path of the request
	Type   string // content type; empty unless multipart/form-data
	Back   string // page that contained the form
	Fields []sentField
	Files  []File
}

const (
	keptField     = "kept"
	keptFileField = "kept-file" // a file in a form that is shown again
	multipartType = "multipart/form-data"
)

// heldForms is the maximum number of bytes in all forms held at one time. It is limited because anyone can send
// them.
const heldForms = 64 << 20

// mostKept is the maximum size in bytes of a form that is kept. A form with a submission of the maximum size must
// fit, even if it was kept before and its files are therefore in base64.
func (s *Site) mostKept() int64 { return s.Desk.MaxSize*4/3 + 2*SmallForm }

// mostLogin is the maximum size in bytes of a login form that carries another form, which is encoded twice.
func (s *Site) mostLogin() int64 { return s.mostKept()*2 + SmallForm }

// Label returns the label of the field on a page. It is empty if the field need not be shown.
func (f sentField) Label() string {
	switch {
	case f.Name == "text":
		return "Text"
	case f.Name == "language":
		return "Language"
	case f.Long():
		return f.Name
	}
	return ""
}

// Long reports whether the field needs several lines.
func (f sentField) Long() bool { return len(f.Value) > 60 || strings.Contains(f.Value, "\n") }

// Encoded returns the file as the value of a form field.
func (f File) Encoded() string {
	return base64.RawURLEncoding.EncodeToString([]byte(f.Name)) + "." + base64.RawURLEncoding.EncodeToString(f.Data)
}

// decodeFile decodes the output of Encoded.
func decodeFile(text string) (f File, err error) {
	name, data, _ := strings.Cut(text, ".")
	decoded, err := base64.RawURLEncoding.DecodeString(name)
	if err == nil {
		f.Data, err = base64.RawURLEncoding.DecodeString(data)
	}
	if f.Name = string(decoded); err != nil || f.Name == "" {
		return f, BadRequest("the form is incomplete: choose the file again")
	}
	return f, nil
}

// Encoded returns the form as the value of a form field.
func (k *KeptForm) Encoded() (string, error) {
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false) // escaping would take six bytes per "<"
	err := enc.Encode(k)
	return base64.RawURLEncoding.EncodeToString(data.Bytes()), err
}

// decodeForm decodes the output of KeptForm.Encoded. It returns nil if text is invalid.
func decodeForm(text string) *KeptForm {
	k := &KeptForm{}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(data, k) != nil || LocalPath(k.Path) != k.Path || k.Type != "" && k.Type != multipartType {
		return nil
	}
	k.Back = LocalPath(k.Back)
	return k
}

// keepForm reads a form from a browser that is not logged in. It returns nil if the form has no fields, is too
// large, or contains a password.
func (s *Site) keepForm(w http.ResponseWriter, r *Request) *KeptForm {
	r.Body = http.MaxBytesReader(w, r.Body, s.mostKept())
	k := &KeptForm{Path: r.URL.RequestURI(), Back: r.back()}
	if strings.HasPrefix(r.Header.Get("Content-Type"), multipartType) {
		if r.ParseMultipartForm(s.mostKept()) != nil {
			return nil
		}
		defer func() { _ = r.MultipartForm.RemoveAll() }() // the form is held in memory
		k.Type = multipartType
		files, err := r.Files(s.mostKept())
		if err != nil {
			return nil
		}
		k.Files = files
	} else if r.ParseForm() != nil {
		return nil
	}
	for name, values := range r.PostForm {
		if strings.Contains(name, "password") {
			return nil
		}
		for _, value := range values {
			if name != keptFileField {
				k.Fields = append(k.Fields, sentField{name, value})
			}
		}
	}
	if len(k.Fields)+len(k.Files) == 0 {
		return nil
	}
	slices.SortFunc(k.Fields, func(a, b sentField) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value)) })
	return k
}

// LoginView is the login page.
type LoginView struct {
	Login, Next string
	Errors      FieldErrors
	Open        bool      // anyone may create an account
	Kept        *KeptForm // the form to send after the login; may be nil
	Ended       bool      // the session has ended
	Unsent      bool      // a form was sent without a session
	SignOn      string    // host of the single sign-on provider; empty if there is none
	Staff       bool      // only administrators and juries log in with passwords
	Joins       bool      // users can create accounts by single sign-on
	Team        string    // account that may log in from this address; may be empty
}

// SignOnPath is the path prefix of single sign-on.
const SignOnPath = "/login/sso"

// SignOnLink returns the link that starts single sign-on and then leads to v.Next.
func (v LoginView) SignOnLink() string {
	return SignOnPath + "?" + url.Values{"next": {v.Next}}.Encode()
}

// SignOnJoins reports whether users without an account can create one by single sign-on.
func (s *Site) SignOnJoins() bool {
	return s.SignOn != nil && (s.Registration == auth.ByOIDC || s.Registration == auth.Open)
}

// LoginPage renders the login page.
func (s *Site) LoginPage(w http.ResponseWriter, r *Request, code int, v LoginView) error {
	v.Open = s.Registration == auth.Open
	if s.SignOn != nil {
		v.SignOn, v.Staff, v.Joins = s.SignOn.Host(), s.StaffPasswords, s.SignOnJoins()
	}
	here, err := s.AtAddress(r.Context(), r.RemoteAddr)
	if err != nil {
		return err
	}
	if here != nil {
		v.Team = here.Display
	}
	return s.Page(w, r, code, "login", "Log in", v)
}

// ReadLogin reads the login form, which may carry another form.
func (s *Site) ReadLogin(w http.ResponseWriter, r *Request) (v LoginView, err error) {
	if err := ReadForm(w, r, s.mostLogin()); err != nil {
		return v, err
	}
	v = LoginView{Login: r.Field("login"), Next: LocalPath(r.PostFormValue("next")), Kept: decodeForm(r.PostFormValue(keptField))}
	v.Unsent = v.Kept != nil
	return v, nil
}

// LocalPath returns next if it is a path on this server. Otherwise it returns "/".
func LocalPath(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

// ended responds to a form from a browser that is not logged in. It sends the login page, which carries the form
// if the form can be kept.
func (s *Site) ended(w http.ResponseWriter, r *Request) error {
	v := LoginView{Next: r.back(), Ended: r.ended, Unsent: true}
	select {
	case s.expiredForms <- struct{}{}:
		defer func() { <-s.expiredForms }()
		v.Kept = s.keepForm(w, r)
	default: // too many at once
	}
	return s.LoginPage(w, r, http.StatusUnauthorized, v)
}

// SendAgain shows a form that was kept during the login.
func (s *Site) SendAgain(w http.ResponseWriter, r *Request, k *KeptForm) error {
	return s.Page(w, r, http.StatusOK, "ended", "You are logged in", k)
}

// here returns the path of the page that the reader is looking at. For a sent form, it is the path of the page
// that contains the form. On the login, registration and setup pages, it is the path to which the reader returns
// after the login. If the path contains a secret code, here returns "/".
func (r *Request) here() string {
	path := r.URL.RequestURI()
	if r.Method != http.MethodGet {
		path = r.back()
	}
	if r.PathValue("code") != "" || strings.HasPrefix(path, "/invite/") {
		return "/" // the code is a secret
	}
	for _, page := range []string{"/login", "/register", "/setup"} {
		if strings.HasPrefix(path, page) {
			return LocalPath(cmp.Or(r.PostForm.Get("next"), r.URL.Query().Get("next")))
		}
	}
	return LocalPath(path)
}

// back returns the path of the page from which a form was sent, according to the Referer header. It returns "/" if
// that is unknown or on another server.
func (r *Request) back() string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host {
		return "/"
	}
	return LocalPath(from.RequestURI())
}
