package staff_test

import (
	"html"
	"net/url"
	"strings"
	"testing"
	"time"

	"assay/judge"
	"assay/judge/host/store"
	"assay/judge/host/web/webtest"
)

// settings returns a settings form with changes, which are pairs of a field name and a value. An empty value
// removes the field.
func settings(changes ...string) url.Values {
	v := url.Values{
		"name": {"Spring"}, "slug": {"spring"}, "start_by": {"hand"}, "hours": {"2"}, "minutes": {"30"}, "format": {"icpc"},
		"visibility": {"public"}, "show": {"samples"},
		"problem": {"sum"}, "label-sum": {"A"}, "points-sum": {"7"}, "freeze": {"no"}, "languages_by": {"all"},
	}
	for i := 0; i < len(changes); i += 2 {
		if v.Set(changes[i], changes[i+1]); changes[i+1] == "" {
			v.Del(changes[i])
		}
	}
	return v
}

// TestSettings checks that each invalid field is reported beside the field and above the form, that input is kept,
// and that valid settings are stored as sent.
func TestSettings(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	at := []string{"start_by", "at", "starts", "2026-03-01T10:00"}
	for _, tt := range []struct {
		field, text string
		v           url.Values
	}{
		{"name", "A name is missing", settings("name", " ")},
		{"name", "contains an invisible character", settings("name", "a\x00")},
		{"name", "has 200 letters at most", settings("name", strings.Repeat("é", 201))},
		{"slug", "for example spring.", settings("slug", "Spring!")},
		{"slug", "practice is reserved", settings("slug", "practice")},
		{"slug", "the name has no letters or digits to make one from", settings("slug", "", "name", "!?")},
		{"format", "Select one of the choices", settings("format", "king")},
		{"visibility", "Select one of the choices", settings("visibility", "")},
		{"show", "Select one of the choices", settings("show", "nothing")},
		{"hours", "Enter the duration in hours and minutes", settings("hours", "-5")},
		{"hours", "Enter the duration in hours and minutes", settings("hours", "NaN")},
		{"hours", "Enter the duration in hours and minutes", settings("hours", "0", "minutes", "0")},
		{"points-sum", "need a whole number from 0", settings("points-sum", "x")},
		{"points-sum", "need a whole number from 0", settings("points-sum", "-1")},
		{"label-sum", "needs 1 to 8 letters and digits", settings("label-sum", "A B")},
		{"color-sum", "needs a name such as red", settings("color-sum", "url(//evil)")},
		{"starts", "Enter a date and a time, for example", settings("start_by", "at", "starts", "tomorrow")},
		{"starts", "or select to start the contest by hand", settings("start_by", "at")},
		{"freeze_minutes", "fewer than the contest has", settings("freeze", "before", "freeze_minutes", "150")},
		{"freeze_minutes", "fewer than the contest has", settings("freeze", "before", "freeze_minutes", "0")},
		{"freeze_minutes", "without an end cannot be frozen before its end",
			settings("freeze", "before", "freeze_minutes", "10", "no_end", "on")},
		{"per_minute", "Enter a number of submissions per minute from 1 to 1000", settings("per_minute", "0")},
		{"penalty", "Enter a number of penalty minutes from 1 to 1000", settings("penalty", "1001")},
		{"languages", "Select at least one language", settings("languages_by", "some")},
		{"languages", `Unknown language "pyton"`, settings("languages_by", "some", "language", "pyton")},
		{"statement_languages", "is not a language code", settings("statement_languages", "en, d/e")},
		{"removed", "Set the start time", settings("removed_from", "2026-03-01T10:10", "removed_to", "2026-03-01T10:20")},
		{"removed", "a later one at which it ends",
			settings(append(at, "removed_from", "2026-03-01T10:20", "removed_to", "2026-03-01T10:10")...)},
		{"removed", "a later one at which it ends", settings(append(at, "removed_from", "2026-03-01T10:20", "removed_to", " ")...)},
		{"removed", "is not during the contest, which lasts from 1 Mar 2026, 10:00:00 to 1 Mar 2026, 12:30:00",
			settings(append(at, "removed_from", "2026-03-01T09:59", "removed_to", "2026-03-01T10:10")...)},
		{"removed", "is not during the contest", settings(append(at, "removed_from", "2026-03-01T12:30", "removed_to", "2026-03-01T12:40")...)},
	} {
		got := h.Fetch(admin, "POST", "/admin/contests/new", tt.v)
		page := webtest.Text(got.Body)
		if got.Code != 400 || strings.Count(page, tt.text) != 2 || !strings.Contains(got.Body, `<a href="#`+tt.field+`">`) ||
			!strings.Contains(got.Body, `id="`+tt.field) || !strings.Contains(got.Body, "<title>Error: New contest") {
			t.Errorf("%s, want 400 and twice %q: %d\n%s", tt.field, tt.text, got.Code, page)
		}
		if name := tt.v.Get("name"); tt.field != "name" && !strings.Contains(got.Body, `name="name" value="`+name+`"`) {
			t.Errorf("%s: the name is lost", tt.field)
		}
	}
	two := settings(append(at, "removed_from", "2026-03-01T10:10", "removed_to", "2026-03-01T10:20")...)
	two.Add("removed_from", "2026-03-01T10:19:59")
	two.Add("removed_to", "2026-03-01T10:30")
	if got := h.Fetch(admin, "POST", "/admin/contests/new", two); got.Code != 400 || !strings.Contains(got.Body, "Two intervals overlap") {
		t.Errorf("intervals that overlap: %d", got.Code)
	}

	good := settings(append(at, "freeze", "before", "freeze_minutes", "60.5", "penalty", "7", "compile_errors", "on", "groups", "best",
		"blind", "on", "practice", "on", "keep_sources", "on",
		"color-sum", "red", "statement_languages", "en, pt-BR", "languages_by", "some", "language", "py", "per_minute", "9",
		"removed_from", "2026-03-01T12:29:59", "removed_to", "2026-03-01T12:40")...)
	if got := h.Fetch(admin, "POST", "/admin/contests/new", good); got.Code != 303 || got.Get("Location") != "/c/spring" {
		t.Fatalf("a good one: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", "/admin/contests/new", settings()); got.Code != 400 ||
		!strings.Contains(got.Body, "Another contest has this web address") {
		t.Errorf("the same again: %d\n%s", got.Code, got.Body)
	}
	c := webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), "spring"))
	check := func(when string) {
		t.Helper()
		s := c.Settings
		if c.Length != 150*time.Minute || c.Freeze != 90*time.Minute-30*time.Second || s.Penalty != 7 || !s.CompileErrors || !s.Groups ||
			!s.Blind || !s.Practice || !s.KeepSources ||
			s.PerMinute != 9 || len(s.Languages) != 1 || len(s.Statements) != 2 || c.Starts.Local().Format("15:04") != "10:00" ||
			s.Show != judge.ShowSamples || c.Format != store.ICPC ||
			c.Visibility != store.VisibilityPublic || len(s.Removed) != 1 || c.Ends().Sub(c.Starts) != 150*time.Minute+10*time.Minute+time.Second {
			t.Errorf("%s: %+v", when, c)
		}
		p := webtest.Must[[]*store.ContestProblem](t)(h.Store.ContestProblems(t.Context(), c.ID))
		if len(p) != 1 || p[0].Label != "A" || p[0].Points != 7 || p[0].Color != "red" {
			t.Errorf("%s: the problems are %+v", when, p)
		}
	}
	check("new")
	// The form of the stored contest can be sent back without changes.
	again := webtest.Form(t, h.Fetch(admin, "GET", "/c/spring/edit", nil).Body, "/c/spring/edit")
	if got := h.Fetch(admin, "POST", "/c/spring/edit", again); got.Code != 303 {
		t.Fatalf("the form as it was drawn: %d\n%s", got.Code, got.Body)
	}
	c = webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), "spring"))
	check("unchanged")
	// If two users change the contest at once, no change is lost.
	stale := settings("revision", "1", "name", "Mine")
	got := h.Fetch(admin, "POST", "/c/spring/edit", stale)
	if got.Code != 409 || !strings.Contains(got.Body, "someone else changed the settings") || !strings.Contains(got.Body, `value="Mine"`) {
		t.Errorf("a change of what is old: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", "/c/spring/edit", webtest.Form(t, got.Body, "/c/spring/edit")); got.Code != 303 {
		t.Errorf("saved again: %d\n%s", got.Code, got.Body)
	}
	if c = webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), "spring")); c.Name != "Mine" {
		t.Errorf("it is called %q", c.Name)
	}
}

// TestSettingsOfARunningContest checks that a change must be confirmed if it ends a running contest or removes a
// problem with submissions.
func TestSettingsOfARunningContest(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	now := h.Contest("now", -30*time.Minute, store.VisibilityAccounts, store.Settings{})
	h.Submit(now, "ada")
	edit := func(changes ...string) url.Values {
		return settings(append([]string{"slug", "now", "revision", "1", "start_by", "at", "starts",
			now.Starts.Local().Format("2006-01-02T15:04:05")}, changes...)...)
	}
	for want, v := range map[string]url.Values{
		"This ends the contest now":                          edit("hours", "0", "minutes", "5"),
		"This removes problem A: its 1 submission no longer": edit("problem", ""),
	} {
		got := h.Fetch(admin, "POST", "/c/now/edit", v)
		if got.Code != 409 || !strings.Contains(got.Body, want) || !strings.Contains(got.Body, `name="confirm" value="yes"`) {
			t.Errorf("%s: %d\n%s", want, got.Code, got.Body)
		}
	}
	if got := h.Fetch(admin, "POST", "/c/now/edit", edit("problem", "", "confirm", "yes")); got.Code != 303 {
		t.Errorf("confirmed: %d\n%s", got.Code, got.Body)
	}
	if problems := webtest.Must[[]*store.ContestProblem](t)(h.Store.ContestProblems(t.Context(), now.ID)); len(problems) != 0 {
		t.Errorf("it still has %v", problems)
	}
}

// TestFreezeOfSettings checks that a manual freeze is kept when other settings are saved.
func TestFreezeOfSettings(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	c := h.Contest("now", -30*time.Minute, store.VisibilityAccounts, store.Settings{})
	c.Freeze = 29*time.Minute + 123*time.Millisecond
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	page := h.Fetch(admin, "GET", "/c/now/edit", nil).Body
	if !strings.Contains(page, `value="keep" checked`) || !strings.Contains(page, "frozen from 0:29:00") {
		t.Errorf("the form does not say so:\n%s", page)
	}
	if got := h.Fetch(admin, "POST", "/c/now/edit", webtest.Form(t, page, "/c/now/edit")); got.Code != 303 {
		t.Fatalf("%d\n%s", got.Code, got.Body)
	}
	if after := webtest.Must[*store.Contest](t)(h.Store.Contest(t.Context(), c.ID)); after.Freeze != c.Freeze {
		t.Errorf("it freezes at %v, before at %v", after.Freeze, c.Freeze)
	}
}

// TestNamesBecomeAddresses checks that an empty web address is derived from the name, and that problems without a
// label get the next free letter.
func TestNamesBecomeAddresses(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	publish(h, "another", "admin")
	publish(h, "third", "admin")
	for name, slug := range map[string]string{"Klasse 9": "klasse-9", "  Ärger & Öl – 2026! ": "arger-ol-2026", "Straße": "strasse",
		"Łódź": "lodz", "It's on": "its-on", strings.Repeat("x", 60): strings.Repeat("x", 40)} {
		v := settings("name", name, "slug", "", "label-sum", "B")
		v["problem"] = []string{"sum", "another", "third"}
		if got := h.Fetch(admin, "POST", "/admin/contests/new", v); got.Code != 303 || got.Get("Location") != "/c/"+slug {
			t.Errorf("%q: %d %q, want %q", name, got.Code, got.Get("Location"), slug)
			continue
		}
		c := webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), slug))
		labels := ""
		for _, p := range webtest.Must[[]*store.ContestProblem](t)(h.Store.ContestProblems(t.Context(), c.ID)) {
			labels += p.Label + "=" + p.Slug + " "
		}
		if labels != "A=another B=sum C=third " {
			t.Errorf("the labels are %s", labels)
		}
	}
}

// TestStartAndExtend checks that a button starts a contest, once, and that extending moves its end and its freeze.
func TestStartAndExtend(t *testing.T) {
	h := webtest.New(t)
	admin := h.Cookie("admin")
	if got := h.Fetch(admin, "POST", "/admin/contests/new", settings("freeze", "before", "freeze_minutes", "60")); got.Code != 303 {
		t.Fatalf("%d\n%s", got.Code, got.Body)
	}
	contest := func() *store.Contest {
		t.Helper()
		return webtest.Must[*store.Contest](t)(h.Store.ContestBySlug(t.Context(), "spring"))
	}
	if got := h.Fetch(admin, "POST", "/c/spring/extend", url.Values{"minutes": {"5"}}); got.Code != 409 {
		t.Errorf("extended before the start: %d", got.Code)
	}
	for _, path := range []string{"/c/spring", "/c/spring/overview"} {
		if page := h.Fetch(admin, "GET", path, nil).Body; !strings.Contains(page, "Start contest") {
			t.Errorf("%s has no button to start it:\n%s", path, page)
		}
	}
	if got := h.Fetch(admin, "POST", "/c/spring/start", url.Values{}); got.Code != 303 || time.Since(contest().Starts) > time.Minute {
		t.Errorf("started: %d, at %v", got.Code, contest().Starts)
	}
	starts := contest().Starts
	if got := h.Fetch(admin, "POST", "/c/spring/start", url.Values{}); got.Code != 409 || !contest().Starts.Equal(starts) {
		t.Errorf("started twice: %d", got.Code)
	}
	if page := h.Fetch(admin, "GET", "/c/spring/overview", nil).Body; strings.Contains(page, "Start contest") ||
		!strings.Contains(page, "By 15 minutes") || !strings.Contains(page, "Freeze scoreboard") {
		t.Errorf("the overview of a running contest:\n%s", page)
	}
	for minutes, want := range map[string]int{"0": 400, "x": 400, "1441": 400, "-5": 400} {
		if got := h.Fetch(admin, "POST", "/c/spring/extend", url.Values{"minutes": {minutes}}); got.Code != want {
			t.Errorf("extended by %s: %d", minutes, got.Code)
		}
	}
	h.Contest("past", -2*time.Hour, store.VisibilityAccounts, store.Settings{})
	if got := h.Fetch(admin, "POST", "/c/past/extend", url.Values{"minutes": {"15"}}); got.Code != 409 {
		t.Errorf("extended after the end: %d\n%s", got.Code, got.Body)
	}
	if got := h.Fetch(admin, "POST", "/c/spring/extend", url.Values{"minutes": {"15"}}); got.Code != 303 {
		t.Errorf("extended: %d\n%s", got.Code, got.Body)
	}
	if c := contest(); c.Length != 165*time.Minute || c.Freeze != 105*time.Minute {
		t.Errorf("it lasts %v and freezes at %v", c.Length, c.Freeze)
	}
	c := contest()
	c.Freeze = time.Millisecond // already frozen
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * time.Millisecond)
	if got := h.Fetch(admin, "POST", "/c/spring/extend", url.Values{"minutes": {"5"}}); got.Code != 303 ||
		contest().Freeze != time.Millisecond || contest().Length != 170*time.Minute {
		t.Errorf("extended while frozen: %d, %+v", got.Code, contest())
	}
	c = contest()
	c.Settings.Planned = 100 * time.Minute // it was frozen by hand before its planned time
	c.Starts, c.Freeze = time.Now().Add(-time.Hour).Truncate(time.Second), 30*time.Minute
	if err := h.Store.SetContest(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	if got := h.Fetch(admin, "POST", "/c/spring/extend", url.Values{"minutes": {"10"}}); got.Code != 303 ||
		contest().Freeze != 30*time.Minute || contest().Settings.Planned != 110*time.Minute {
		t.Errorf("extended while frozen by hand: %d, %+v", got.Code, contest())
	}
	// Extending the contest in the settings keeps the manual freeze, so that hidden results stay hidden. Setting
	// another freeze replaces the manual one.
	save := func(field, value string) {
		t.Helper()
		form := webtest.Form(t, h.Fetch(admin, "GET", "/c/spring/edit", nil).Body, "/c/spring/edit")
		form.Set(field, value)
		if got := h.Fetch(admin, "POST", "/c/spring/edit", form); got.Code != 303 {
			t.Fatalf("%s is %s: %d\n%s", field, value, got.Code, got.Body)
		}
	}
	if save("hours", "4"); contest().Length != 4*time.Hour || contest().Freeze != 30*time.Minute {
		t.Errorf("extended in the settings while frozen: %+v", contest())
	}
	if save("freeze_minutes", "60"); contest().Freeze != 3*time.Hour {
		t.Errorf("another freeze: %+v", contest())
	}
	if save("hours", "5"); contest().Freeze != 4*time.Hour {
		t.Errorf("extended in the settings before the freeze: %+v", contest())
	}
	c = contest()
	if c.Freeze = time.Minute; h.Store.SetContest(t.Context(), c, nil) != nil {
		t.Fatal("the contest is not saved")
	}
	if page := h.Fetch(admin, "GET", "/c/spring/overview", nil).Body; !strings.Contains(page, "Unfreeze scoreboard") ||
		strings.Contains(page, "Freeze scoreboard<") {
		t.Errorf("the overview of a frozen contest:\n%s", page)
	}
}

// TestFrameOfRefusedSettings checks that the page around a refused form shows the stored contest, not the input.
func TestFrameOfRefusedSettings(t *testing.T) {
	h := webtest.New(t)
	c := h.Contest("now", -time.Minute, store.VisibilityAccounts, store.Settings{})
	admin := h.Cookie("admin")
	form := webtest.HiddenFields(h.Fetch(admin, "GET", "/c/now/edit", nil).Body)
	frame := func(page string) string {
		head, _, _ := strings.Cut(page, "<main")
		return head
	}
	for field, value := range map[string]string{"name": "", "hours": "-1", "slug": "other"} {
		form.Set(field, value)
	}
	got := h.Fetch(admin, "POST", "/c/now/edit", form)
	if head := frame(got.Body); got.Code != 400 || !strings.Contains(head, `<a href="/c/now">`+html.EscapeString(c.Name)+`</a>`) ||
		!strings.Contains(head, " left</time>") || strings.Contains(head, "/c/other") {
		t.Errorf("%d, the frame is\n%s", got.Code, head)
	}
}
