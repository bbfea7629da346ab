package contestpackage

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"assay/judge/host/store"
)

// contest reads the contest from its file.
func (o *object) contest() *Contest {
	c := &Contest{File: o.file, Line: o.line, ID: o.scalar("id")}
	if c.ID != "" && !store.IsSlug(c.ID) {
		const hint = "the id becomes a part of addresses: use small letters, digits and -, at most 40, and begin with a letter or digit"
		o.addFault("id", hint, "%.60q cannot be the id of a contest", c.ID)
	}
	text := func(key string) *string {
		if o.values[key].node.IsSet() {
			text := o.name(key, true)
			return &text
		}
		o.used[key] = true
		return nil
	}
	c.Name, c.FormalName = text("name"), text("formal_name")
	if c.Name == nil {
		c.Name = c.FormalName
	}
	if id := o.ident("main_scoreboard_group_id", false); o.has("main_scoreboard_group_id") {
		c.MainGroup = &id
	}
	c.Start = o.time("start_time")
	c.Duration, c.Freeze = o.reltime("duration"), o.reltime("scoreboard_freeze_duration")
	if c.Duration != nil && (*c.Duration < time.Minute || *c.Duration > 366*24*time.Hour) {
		o.addFault("duration", "", "the duration is %q; it must be from a minute to a year", o.text("duration"))
	}
	switch {
	case c.Freeze != nil && *c.Freeze < 0, c.Freeze != nil && c.Duration != nil && *c.Freeze >= *c.Duration:
		o.addFault("scoreboard_freeze_duration", "", "the scoreboard cannot be frozen for %q", o.text("scoreboard_freeze_duration"))
	case o.has("scoreboard_freeze_duration") && o.text("scoreboard_freeze_duration") == "":
		c.Freeze = new(time.Duration)
	}
	c.Penalty = o.penalty()
	if p := c.Penalty; p != nil && (*p < time.Minute || *p > 1000*time.Minute || *p%time.Minute != 0) {
		o.addFault("penalty_time", "", "penalty_time is %q; it must be from 1 to 1000 whole minutes", o.text("penalty_time"))
	}
	if kind := o.oneOf("scoreboard_type", false, "pass-fail", "score"); kind != "" {
		scored := kind == "score"
		c.ByPoints = &scored
	}
	return c
}

// has reports whether the file contains the key, even without a value.
func (o *object) has(key string) bool {
	_, is := o.values[key]
	return is
}

// time reads a point in time. It returns the zero time if the value is null, and nil if the file does not contain
// the key.
func (o *object) time(key string) *time.Time {
	text := o.scalar(key)
	if !o.has(key) {
		return nil
	}
	if text == "" {
		return &time.Time{}
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999Z07",
		"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999Z07"} {
		if t, err := time.Parse(form, text); err == nil && t.Year() > 1970 && t.Year() < 2200 {
			t = t.UTC().Truncate(time.Millisecond)
			return &t
		}
	}
	o.addFault(key, "", "%s is %.60q; it must be a time with its zone, such as 2026-11-28T10:00:00+01:00", key, text)
	return nil
}

var reltimePattern = regexp.MustCompile(`^(-?)([0-9]{1,5}):([0-5][0-9])(?::([0-5][0-9])(?:\.([0-9]{1,3})[0-9]*)?)?$`)

// duration parses a RELTIME, such as 5:00:00.000.
func duration(text string) (time.Duration, bool) {
	m := reltimePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	number := func(digits string) time.Duration {
		n, _ := strconv.Atoi(digits) // the pattern matches only digits or an empty string
		return time.Duration(n)
	}
	d := number(m[2])*time.Hour + number(m[3])*time.Minute + number(m[4])*time.Second + number((m[5] + "000")[:3])*time.Millisecond
	if m[1] != "" {
		d = -d
	}
	return d, true
}

// reltime reads a duration. It returns nil if the key has no value.
func (o *object) reltime(key string) *time.Duration {
	text := o.scalar(key)
	if text == "" {
		return nil
	}
	d, ok := duration(text)
	if !ok {
		o.addFault(key, "", "%s is %.40q; it must be hours, minutes and seconds, such as 5:00:00", key, text)
		return nil
	}
	return &d
}

// penalty reads the penalty time. It is a number of minutes, as in version 2023-06, or a RELTIME.
func (o *object) penalty() *time.Duration {
	text := o.scalar("penalty_time")
	if n, err := strconv.Atoi(text); err == nil && n >= 0 && n <= 1e6 && !strings.HasPrefix(text, "+") {
		d := time.Duration(n) * time.Minute
		return &d
	}
	return o.reltime("penalty_time")
}
