package web

import (
	"net/http"
	"regexp"
	"time"
)

// zoneCookie is the cookie in which a script puts the reader's time zone, and zoneField the field
// with the zone in which a form was drawn.
const (
	zoneCookie = "zone"
	zoneField  = "zone"
)

// zones are names of the IANA time zone database.
var zones = regexp.MustCompile(`^[A-Za-z0-9_+-]{1,32}(/[A-Za-z0-9_+-]{1,32}){0,2}$`)

// A Zone is the time zone in which a form writes times and reads them back.
type Zone struct {
	*time.Location
	Name string // in the IANA database; empty for the server's zone
}

// zoneOf returns the zone of that name. If the name is empty or unknown, it is the server's.
func zoneOf(name string) Zone {
	if zones.MatchString(name) && name != "Local" {
		if at, err := time.LoadLocation(name); err == nil {
			return Zone{at, name}
		}
	}
	return Zone{time.Local, ""}
}

// Zone returns the zone in which a form that was sent had been drawn, or else the reader's, which
// browsers with scripts tell.
func (r *Request) Zone() Zone {
	if r.Method == http.MethodPost {
		return zoneOf(r.PostFormValue(zoneField))
	}
	if c, err := r.Cookie(zoneCookie); err == nil {
		return zoneOf(c.Value)
	}
	return zoneOf("")
}

// Label names the zone at a time, for people. If the time is zero, it is now.
func (z Zone) Label(at, now time.Time) string {
	if at.IsZero() {
		at = now
	}
	short, _ := at.In(z.Location).Zone()
	offset := at.In(z.Location).Format("UTC-07:00")
	switch {
	case z.Name != "":
		return z.Name + " (" + offset + ")"
	case short == "UTC":
		return "UTC, the server's time zone"
	}
	return short + " (" + offset + "), the server's time zone"
}

// The layouts of times in fields of forms, as browsers write and read them.
const (
	momentLayout  = "2006-01-02T15:04"
	secondsLayout = momentLayout + ":05"
)

// ReadMoment reads a time that a form sent. If the text is empty, the time is zero.
func (z Zone) ReadMoment(text string) (at time.Time, err error) {
	if text == "" {
		return at, nil
	}
	for _, layout := range []string{momentLayout, secondsLayout} {
		if at, err = time.ParseInLocation(layout, text, z.Location); err == nil {
			break
		}
	}
	return at, err
}

// Moment writes a time for a field of a form, with seconds if it has any. If the time is zero, the
// text is empty.
func (z Zone) Moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	if at = at.In(z.Location); at.Second() != 0 {
		return at.Format(secondsLayout)
	}
	return at.Format(momentLayout)
}
