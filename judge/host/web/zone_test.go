package web_test

import (
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// TestZones checks that a contest's form shows times in the reader's zone and names the zone. Sent times are read
// in the zone in which the form was rendered, even if the reader's zone has changed.
func TestZones(t *testing.T) {
	defer func(was *time.Location) { time.Local = was }(time.Local)
	time.Local = time.FixedZone("IST", 5*60*60+30*60) // zone of the server
	h := webtest.New(t)
	admin := h.Cookie("admin")
	v := url.Values{
		"name": {"Spring"}, "slug": {"spring"}, "format": {"icpc"}, "visibility": {"public"}, "show": {"samples"}, "hours": {"5"},
		"zone": {"Europe/Berlin"}, "start_by": {"at"}, "starts": {"2026-07-01T10:00"}, "removed_from": {"2026-07-01T11:00"},
		"removed_to": {"2026-07-01T11:30"},
	}
	if got := h.Fetch(admin, "POST", "/admin/contests/new", v); got.Code != 303 {
		t.Fatalf("%d\n%s", got.Code, got.Body)
	}
	c := webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), "spring"))
	if got := c.Starts.UTC().Format(time.DateTime); got != "2026-07-01 08:00:00" {
		t.Errorf("it starts at %s UTC", got)
	}
	if got := c.Settings.Removed; len(got) != 1 || got[0].From.UTC().Format("15:04") != "09:00" {
		t.Errorf("removed is %v", got)
	}
	for cookie, want := range map[string][3]string{
		"": {"IST (UTC+05:30), the server's time zone", "2026-07-01T13:30",
			`name="removed_from" value="2026-07-01T14:30"`},
		"; zone=America/New_York":     {"America/New_York (UTC-04:00)", "2026-07-01T04:00", `name="removed_from" value="2026-07-01T05:00"`},
		"; zone=Europe/Berlin":        {"Europe/Berlin (UTC+02:00)", "2026-07-01T10:00", `name="removed_from" value="2026-07-01T11:00"`},
		"; zone=UTC":                  {"UTC (UTC+00:00)", "2026-07-01T08:00", `name="removed_from" value="2026-07-01T09:00"`},
		"; zone=Nowhere/Land":         {"IST (UTC+05:30), the server's time zone", "2026-07-01T13:30", ""},
		"; zone=../../etc/passwd":     {"IST (UTC+05:30), the server's time zone", "2026-07-01T13:30", ""},
		"; zone=Local":                {"IST (UTC+05:30), the server's time zone", "2026-07-01T13:30", ""},
		"; zone=\"><marked onload=x>": {"IST (UTC+05:30), the server's time zone", "2026-07-01T13:30", ""},
	} {
		page := h.Fetch(admin+cookie, "GET", "/c/spring/edit", nil)
		webtest.CheckHTML(t, "the form", page.Body)
		page.Body = html.UnescapeString(page.Body)
		if strings.Count(page.Body, "Time zone: "+want[0]) != 2 ||
			!strings.Contains(page.Body, `name="starts" type="datetime-local" value="`+want[1]+`"`) || !strings.Contains(page.Body, want[2]) {
			t.Errorf("with the cookie %q the form has not %q:\n%s", cookie, want, page.Body)
		}
	}
	// A form that is shown again because of an error keeps its times.
	v.Set("name", "")
	v.Set("revision", "1")
	page := h.Fetch(admin+"; zone=America/New_York", "POST", "/c/spring/edit", v)
	page.Body = html.UnescapeString(page.Body)
	for _, want := range []string{"Time zone: Europe/Berlin (UTC+02:00)", `name="zone" value="Europe/Berlin"`, `value="2026-07-01T10:00"`} {
		if page.Code != 400 || !strings.Contains(page.Body, want) {
			t.Errorf("a form with a mistake: %d, without %q\n%s", page.Code, want, page.Body)
		}
	}
}
