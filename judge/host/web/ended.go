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

// A KeptForm is a form that came from a browser that is not logged in. The login page carries it, and
// after the login it is shown again, to be sent.
type KeptForm struct {
	Path   string // to which it is sent
	Type   string // as what; empty if it is not multipart/form-data
	Back   string // the page that it was on
	Fields []sentField
	Files  []File
}

const (
	keptField     = "kept"
	keptFileField = "kept-file" // a file of a form that is shown again
	multipartType = "multipart/form-data"
)

// heldForms is the maximum number of bytes in all forms that are kept at one time: anybody can send one.
const heldForms = 64 << 20

// mostKept is the maximum number of bytes in a form that is kept: those of a submission, in base64 if the form was
// kept before.
func (s *Site) mostKept() int64 { return s.Desk.MaxSize*4/3 + 2*SmallForm }

// mostLogin is the maximum number of bytes in a login that carries a form, which is encoded twice.
func (s *Site) mostLogin() int64 { return s.mostKept()*2 + SmallForm }

// Label returns what the field is called on a page, or "" for one that need not be shown.
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

// Encoded is the file as the value of a field.
func (f File) Encoded() string {
	return base64.RawURLEncoding.EncodeToString([]byte(f.Name)) + "." + base64.RawURLEncoding.EncodeToString(f.Data)
}

// decodeFile reads what Encoded wrote.
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

// Encoded is the form as the value of a field.
func (k *KeptForm) Encoded() (string, error) {
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false) // six bytes for each "<" of a source
	err := enc.Encode(k)
	return base64.RawURLEncoding.EncodeToString(data.Bytes()), err
}

// decodeForm reads what Encoded wrote. If it is not whole, it returns nil.
func decodeForm(text string) *KeptForm {
	k := &KeptForm{}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || json.Unmarshal(data, k) != nil || LocalPath(k.Path) != k.Path || k.Type != "" && k.Type != multipartType {
		return nil
	}
	k.Back = LocalPath(k.Back)
	return k
}

// keepForm reads a form that a browser sent that is not logged in. It returns nil if the form has no
// fields, is too large, or has a password.
func (s *Site) keepForm(w http.ResponseWriter, r *Request) *KeptForm {
	r.Body = http.MaxBytesReader(w, r.Body, s.mostKept())
	k := &KeptForm{Path: r.URL.RequestURI(), Back: r.back()}
	if strings.HasPrefix(r.Header.Get("Content-Type"), multipartType) {
		if r.ParseMultipartForm(s.mostKept()) != nil {
			return nil
		}
		defer func() { _ = r.MultipartForm.RemoveAll() }() // all of it is in memory
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
	Login, Next, Wrong string
	Open               bool      // anybody may create an account
	Kept               *KeptForm // the form that waits for the login; nil if there is none
	Ended              bool      // the session has ended
	Unsent             bool      // a form has come without a session
	SignOn             string    // host of the provider of single sign-on; empty if there is none
	Staff              bool      // only staff logs in with a password
	Joins              bool      // people create accounts by single sign-on
	Team               string    // name of the account that can log in here without a password; it may be empty
}

// SignOnPath begins the addresses of single sign-on.
const SignOnPath = "/login/sso"

// SignOnLink is the link by which single sign-on begins, and then leads to the page of the view.
func (v LoginView) SignOnLink() string {
	return SignOnPath + "?" + url.Values{"next": {v.Next}}.Encode()
}

// SignOnJoins reports whether people without an account can create one by single sign-on.
func (s *Site) SignOnJoins() bool {
	return s.SignOn != nil && (s.Registration == auth.ByOIDC || s.Registration == auth.Open)
}

// LoginPage draws the login page.
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

// ReadLogin reads the form of the login page, which may carry another form.
func (s *Site) ReadLogin(w http.ResponseWriter, r *Request) (v LoginView, err error) {
	if err := ReadForm(w, r, s.mostLogin()); err != nil {
		return v, err
	}
	v = LoginView{Login: r.Field("login"), Next: LocalPath(r.PostFormValue("next")), Kept: decodeForm(r.PostFormValue(keptField))}
	v.Unsent = v.Kept != nil
	return v, nil
}

// LocalPath returns a path of this server: next, or "/" if next is the address of another one.
func LocalPath(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

// ended responds to a form from a browser that is not logged in with the login page, which carries the
// form if it can be kept.
func (s *Site) ended(w http.ResponseWriter, r *Request) error {
	v := LoginView{Next: r.back(), Ended: r.ended, Unsent: true}
	select {
	case s.expiredForms <- struct{}{}:
		defer func() { <-s.expiredForms }()
		v.Kept = s.keepForm(w, r)
	default: // too many at one time
	}
	return s.LoginPage(w, r, http.StatusUnauthorized, v)
}

// SendAgain shows a form that was kept during the login.
func (s *Site) SendAgain(w http.ResponseWriter, r *Request, k *KeptForm) error {
	return s.Page(w, r, http.StatusOK, "ended", "You are logged in", k)
}

// here returns the page that the reader looks at: of a form that was sent, the page with the form. The
// login page has none of its own.
func (r *Request) here() string {
	path := r.URL.RequestURI()
	if r.Method != http.MethodGet {
		path = r.back()
	}
	if r.PathValue("code") != "" || strings.HasPrefix(path, "/invite/") {
		return "/" // the code lets anybody in
	}
	for _, page := range []string{"/login", "/register", "/setup"} {
		if strings.HasPrefix(path, page) {
			return LocalPath(cmp.Or(r.PostForm.Get("next"), r.URL.Query().Get("next")))
		}
	}
	return LocalPath(path)
}

// back is the page of this server on which a form was sent, as its browser tells; else "/".
func (r *Request) back() string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host {
		return "/"
	}
	return LocalPath(from.RequestURI())
}
