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
	Fields []formField
	Files  []File
}

const (
	keptField     = "kept"
	keptFileField = "kept-file" // a file in a form that is shown again
	multipartType = "multipart/form-data"
)

// maxKeptBytes is the maximum number of bytes in all forms held at one time. It is limited because anyone can send
// them.
const maxKeptBytes = 64 << 20

// maxKeptForm is the maximum size in bytes of a form that is kept. A form with a submission of the maximum size must
// fit, even if it was kept before and its files are therefore in base64.
func (s *Site) maxKeptForm() int64 { return s.Service.MaxSize*4/3 + 2*MaxSmallForm }

// maxLoginForm is the maximum size in bytes of a login form that carries another form, which is encoded twice.
func (s *Site) maxLoginForm() int64 { return s.maxKeptForm()*2 + MaxSmallForm }

// Label returns the label of the field on a page. It is empty if the field need not be shown.
func (f formField) Label() string {
	switch {
	case f.Name == "text":
		return "Text"
	case f.Name == "language":
		return "Language"
	case f.IsLong():
		return f.Name
	}
	return ""
}

// IsLong reports whether the field needs several lines.
func (f formField) IsLong() bool { return len(f.Value) > 60 || strings.Contains(f.Value, "\n") }

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
	r.Body = http.MaxBytesReader(w, r.Body, s.maxKeptForm())
	k := &KeptForm{Path: r.URL.RequestURI(), Back: r.referrerPath()}
	if strings.HasPrefix(r.Header.Get("Content-Type"), multipartType) {
		if r.ParseMultipartForm(s.maxKeptForm()) != nil {
			return nil
		}
		defer func() { _ = r.MultipartForm.RemoveAll() }() // the form is held in memory
		k.Type = multipartType
		files, err := r.Files(s.maxKeptForm())
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
				k.Fields = append(k.Fields, formField{name, value})
			}
		}
	}
	if len(k.Fields)+len(k.Files) == 0 {
		return nil
	}
	slices.SortFunc(k.Fields, func(a, b formField) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value)) })
	return k
}

// A LoginView contains the fields and links of the login page.
type LoginView struct {
	Login, ReturnTo string
	Errors          FieldErrors
	Open            bool      // anyone may create an account
	Kept            *KeptForm // the form to send after the login; may be nil
	SessionEnded    bool      // the session has ended
	Unsent          bool      // a form was sent without a session
	SignOn          string    // host of the single sign-on provider; empty if there is none
	Staff           bool      // only administrators and juries log in with passwords
	CanJoin         bool      // users can create accounts by single sign-on
	Team            string    // account that may log in from this address; may be empty
}

// SignOnPath is the path prefix of single sign-on.
const SignOnPath = "/login/sso"

// SignOnLink returns the link that starts single sign-on and then leads to v.ReturnTo.
func (v LoginView) SignOnLink() string {
	return SignOnPath + "?" + url.Values{"next": {v.ReturnTo}}.Encode()
}

// SignOnJoins reports whether users without an account can create one by single sign-on.
func (s *Site) SignOnJoins() bool {
	return s.SignOn != nil && (s.Registration == auth.ByOIDC || s.Registration == auth.Open)
}

// RenderLogin renders the login page.
func (s *Site) RenderLogin(w http.ResponseWriter, r *Request, code int, v LoginView) error {
	v.Open = s.Registration == auth.Open
	if s.SignOn != nil {
		v.SignOn, v.Staff, v.CanJoin = s.SignOn.Host(), s.StaffPasswords, s.SignOnJoins()
	}
	account, err := s.AccountAtAddress(r.Context(), r.RemoteAddr)
	if err != nil {
		return err
	}
	if account != nil {
		v.Team = account.Display
	}
	return s.RenderPage(w, r, code, "login", "Log in", v)
}

// ReadLogin reads the login form, which may carry another form.
func (s *Site) ReadLogin(w http.ResponseWriter, r *Request) (v LoginView, err error) {
	if err := ReadForm(w, r, s.maxLoginForm()); err != nil {
		return v, err
	}
	v = LoginView{Login: r.Field("login"), ReturnTo: LocalPath(r.PostFormValue("next")), Kept: decodeForm(r.PostFormValue(keptField))}
	v.Unsent = v.Kept != nil
	return v, nil
}

// LocalPath returns next if it is a path on this server. Otherwise it returns "/".
func LocalPath(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	return path
}

// requireLogin responds to a form from a browser that is not logged in. It sends the login page, which carries the form
// if the form can be kept.
func (s *Site) requireLogin(w http.ResponseWriter, r *Request) error {
	v := LoginView{ReturnTo: r.referrerPath(), SessionEnded: r.sessionEnded, Unsent: true}
	select {
	case s.expiredForms <- struct{}{}:
		defer func() { <-s.expiredForms }()
		v.Kept = s.keepForm(w, r)
	default: // too many at once
	}
	return s.RenderLogin(w, r, http.StatusUnauthorized, v)
}

// ShowKeptForm shows a form that was kept during the login.
func (s *Site) ShowKeptForm(w http.ResponseWriter, r *Request, k *KeptForm) error {
	return s.RenderPage(w, r, http.StatusOK, "keptform", "You are logged in", k)
}

// currentPath returns the path of the page that the reader is looking at. For a sent form, it is the path of the page
// that contains the form. On the login, registration and setup pages, it is the path to which the reader returns
// after the login. If the path contains a secret code, currentPath returns "/".
func (r *Request) currentPath() string {
	path := r.URL.RequestURI()
	if r.Method != http.MethodGet {
		path = r.referrerPath()
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

// referrerPath returns the path of the page from which a form was sent, according to the Referer header. It returns "/" if
// that is unknown or on another server.
func (r *Request) referrerPath() string {
	referrer, err := url.Parse(r.Referer())
	if err != nil || referrer.Host != r.Host {
		return "/"
	}
	return LocalPath(referrer.RequestURI())
}
