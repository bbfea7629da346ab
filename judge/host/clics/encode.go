package clics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An Object is an object of the API. It maps the names of properties to their values. A value is a string, a bool,
// an int, a float64, a time.Time, a time.Duration, Minutes, Seconds, []string, json.RawMessage, an Object or
// []Object. A nil value, a zero time.Time, a nil list and an empty string mean that the property has no value.
type Object map[string]any

// Minutes is a duration in whole minutes. It is encoded as a RELTIME in 2026-01, and as a number in 2023-06.
type Minutes time.Duration

// Seconds is a duration that is encoded as a number with at most three decimals.
type Seconds time.Duration

// A Reader describes the client that an object is encoded for.
type Reader struct {
	Version Version
	Role    Role
	Own     bool // the object belongs to the reader's own team
	Strict  bool // the reader gets no extensions of the API
}

// Encode writes an object as JSON, with the properties that the reader may see.
func Encode(reader Reader, t Type, o Object) ([]byte, error) {
	var out bytes.Buffer
	err := encode(&out, reader, t, o)
	return out.Bytes(), err
}

func encode(out *bytes.Buffer, reader Reader, t Type, o Object) error {
	known := 0
	out.WriteByte('{')
	first := true
	for i := range propertyTable[t] {
		p := &propertyTable[t][i]
		value, set := o[p.name]
		if set {
			known++
		}
		if !p.visible(reader.Role, reader.Version, reader.Own) || reader.Strict && p.isExtension(reader.Version) ||
			isEmpty(value) && !p.always && !(p.given && set) {
			continue
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		out.WriteString(`"` + p.name + `":`)
		if err := write(out, reader, p, value); err != nil {
			return fmt.Errorf("write the property %s of %s: %w", p.name, t, err)
		}
	}
	out.WriteByte('}')
	if known != len(o) {
		return fmt.Errorf("an object of %s has a property that is not in the table: %v", t, o)
	}
	return nil
}

// isEmpty reports whether a property has no value.
func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case time.Time:
		return v.IsZero()
	case []string:
		return v == nil
	case []Object:
		return v == nil
	case json.RawMessage:
		return len(v) == 0
	}
	return false
}

func write(out *bytes.Buffer, reader Reader, p *property, value any) error {
	if isEmpty(value) {
		out.WriteString("null")
		return nil
	}
	switch v := value.(type) {
	case time.Time:
		out.WriteString(`"` + FormatTime(v) + `"`)
	case time.Duration:
		out.WriteString(`"` + FormatRelTime(v) + `"`)
	case Minutes:
		if reader.Version == V2023 {
			out.WriteString(strconv.FormatInt(int64(time.Duration(v)/time.Minute), 10))
			return nil
		}
		out.WriteString(`"` + FormatRelTime(time.Duration(v)) + `"`)
	case Seconds:
		out.WriteString(seconds(time.Duration(v)))
	case json.RawMessage:
		return json.Compact(out, v)
	case Object:
		return encode(out, reader, p.nested, v)
	case []Object:
		out.WriteByte('[')
		for i, one := range v {
			if i > 0 {
				out.WriteByte(',')
			}
			if err := encode(out, reader, p.nested, one); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	case bool:
		out.WriteString(strconv.FormatBool(v))
	case int:
		out.WriteString(strconv.Itoa(v))
	case string, float64, []string:
		e := json.NewEncoder(out)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return err
		}
		out.Truncate(out.Len() - 1) // the line end
	default:
		return fmt.Errorf("a value of the type %T", value)
	}
	return nil
}

// FormatTime formats a TIME: in UTC, with milliseconds. It drops fractions of a millisecond.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// FormatRelTime formats a RELTIME, such as 4:23:03.100 or -0:15:00.000. It drops fractions of a millisecond.
func FormatRelTime(d time.Duration) string {
	ms := d.Milliseconds()
	sign := ""
	if ms < 0 {
		sign, ms = "-", -ms
	}
	return fmt.Sprintf("%s%d:%02d:%02d.%03d", sign, ms/3_600_000, ms/60_000%60, ms/1000%60, ms%1000)
}

// seconds formats seconds and milliseconds as a number.
func seconds(d time.Duration) string {
	ms := d.Milliseconds()
	text := strings.TrimRight(fmt.Sprintf("%d.%03d", ms/1000, ms%1000), "0")
	return strings.TrimSuffix(text, ".")
}

// timeLayouts are the layouts of a TIME. Seconds may have a fraction, and the minutes of the zone are optional.
var timeLayouts = []string{"2006-01-02T15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999Z0700", "2006-01-02T15:04:05.999999999Z07"}

// ParseTime parses a TIME.
func ParseTime(text string) (time.Time, error) {
	for _, form := range timeLayouts {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%.60q is not a time such as 2026-11-28T10:00:00.000Z", text)
}

// ParseRelTime parses a RELTIME, such as 0:03:38.749.
func ParseRelTime(text string) (time.Duration, error) {
	rest, negative := strings.CutPrefix(text, "-")
	parts := strings.Split(rest, ":")
	wrong := fmt.Errorf("%.60q is not a duration such as 0:03:38.749", text)
	if len(parts) != 3 || len(parts[1]) != 2 || strings.Trim(parts[2], "0123456789.") != "" {
		return 0, wrong
	}
	hours, err1 := strconv.ParseUint(parts[0], 10, 16)
	minutes, err2 := strconv.ParseUint(parts[1], 10, 16)
	seconds, err3 := time.ParseDuration(parts[2] + "s")
	if err1 != nil || err2 != nil || err3 != nil || minutes > 59 || seconds >= time.Minute {
		return 0, wrong
	}
	d := time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute + seconds
	if negative {
		d = -d
	}
	return d, nil
}
