package web

import (
	"net/http"
	"regexp"
	"time"
)

// zoneCookie is the cookie in which a script stores the reader's time zone. The form field zoneField contains the
// zone in which the form was rendered.
const (
	zoneCookie = "zone"
	zoneField  = "zone"
)

// zones matches names in the IANA time zone database.
var zones = regexp.MustCompile(`^[A-Za-z0-9_+-]{1,32}(/[A-Za-z0-9_+-]{1,32}){0,2}$`)

// A Zone is the time zone in which a form shows and reads times.
type Zone struct {
	*time.Location
	Name string // IANA name; empty for the server's zone
}

// zoneOf returns the zone with the given name. If the name is empty or unknown, it returns the server's zone.
func zoneOf(name string) Zone {
	if zones.MatchString(name) && name != "Local" {
		if location, err := time.LoadLocation(name); err == nil {
			return Zone{location, name}
		}
	}
	return Zone{time.Local, ""}
}

// Zone returns the zone in which a sent form was rendered. For other requests, it returns the reader's zone, which
// only browsers with scripts send.
func (r *Request) Zone() Zone {
	if r.Method == http.MethodPost {
		return zoneOf(r.PostFormValue(zoneField))
	}
	if c, err := r.Cookie(zoneCookie); err == nil {
		return zoneOf(c.Value)
	}
	return zoneOf("")
}

// Label returns a label for the zone at a time. If at is the zero time, it uses now.
func (z Zone) Label(moment, now time.Time) string {
	if moment.IsZero() {
		moment = now
	}
	short, _ := moment.In(z.Location).Zone()
	offset := moment.In(z.Location).Format("UTC-07:00")
	switch {
	case z.Name != "":
		return z.Name + " (" + offset + ")"
	case short == "UTC":
		return "UTC, the server's time zone"
	}
	return short + " (" + offset + "), the server's time zone"
}

// The layouts of times in form fields, as browsers write and read them.
const (
	momentLayout  = "2006-01-02T15:04"
	secondsLayout = momentLayout + ":05"
)

// ReadMoment parses a time from a form. An empty text gives the zero time.
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

// FormatMoment formats a time for a form field, with seconds if they are not zero. For the zero time, it returns an
// empty string.
func (z Zone) FormatMoment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	if at = at.In(z.Location); at.Second() != 0 {
		return at.Format(secondsLayout)
	}
	return at.Format(momentLayout)
}
