package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// endedView is the page for a form that came when its session had ended: with what it says, to
// be sent again.
type endedView struct {
	Path, Type, Next string
	Fields           []sentField
	Files            []string // that must be chosen again
}

// Long says whether the field is one that somebody may want to copy.
func (f sentField) Long() bool { return len(f.Value) > 60 || strings.Contains(f.Value, "\n") }

const (
	// mostEnded is the most bytes of a form that is kept so: nobody knows who sends it.
	mostEnded = 256 << 10
	// atOnce is how many such forms are read at one time.
	atOnce = 8
)

// ended answers a form whose session has ended. It says false, and answers nothing, where the
// form is no such form, has a password in it, or is too much to send it back.
func (s *site) ended(w http.ResponseWriter, r *ask) (bool, error) {
	if !r.ended || r.Method != http.MethodPost {
		return false, nil
	}
	select {
	case s.endings <- struct{}{}:
		defer func() { <-s.endings }()
	default:
		return false, nil
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostEnded)
	v := endedView{Path: r.URL.RequestURI(), Next: r.back()}
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		if r.ParseMultipartForm(mostEnded) != nil {
			return false, nil
		}
		defer func() { _ = r.MultipartForm.RemoveAll() }() // all of it is in memory
		v.Type = "multipart/form-data"
		for _, files := range r.MultipartForm.File {
			for _, f := range files {
				if f.Filename != "" {
					v.Files = append(v.Files, f.Filename)
				}
			}
		}
	} else if r.ParseForm() != nil {
		return false, nil
	}
	for name, values := range r.PostForm {
		if strings.Contains(name, "password") {
			return false, nil
		}
		for _, value := range values {
			v.Fields = append(v.Fields, sentField{name, value})
		}
	}
	slices.SortFunc(v.Fields, func(a, b sentField) int { return cmp.Compare(a.Name, b.Name) })
	slices.Sort(v.Files)
	return true, s.page(w, r, http.StatusUnauthorized, "ended", "Your session has ended", v)
}

// back is the page of this server on which a form was sent, as its browser tells; else "/".
func (r *ask) back() string {
	from, err := url.Parse(r.Referer())
	if err != nil || from.Host != r.Host {
		return "/"
	}
	return local(from.RequestURI())
}
