package web

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"assay/judge/host/auth"
	"assay/judge/host/intake"
	"assay/judge/host/store"
)

// FieldErrors lists the fields of a form that need a change, in the order of the form. The template "fielderrors"
// renders all of them above the form, and "fielderror" renders one beside its field.
type FieldErrors []FieldError

// A FieldError says what is wrong with a field, or with the whole form if Field is empty. If Text is empty, there
// is no error.
type FieldError struct{ Field, Text string }

// Add adds a field.
func (e *FieldErrors) Add(field, format string, args ...any) {
	*e = append(*e, FieldError{field, fmt.Sprintf(format, args...)})
}

// For returns the error message for a field. It is empty if the field is valid.
func (e FieldErrors) For(field string) string {
	if i := slices.IndexFunc(e, func(fieldError FieldError) bool { return fieldError.Field == field }); i >= 0 {
		return e[i].Text
	}
	return ""
}

// Mark returns the FieldError of a field for its template.
func (e FieldErrors) Mark(field string) FieldError { return FieldError{field, e.For(field)} }

// Aria returns the attributes that describe a field to assistive technology. The help is the id of the field's help,
// if there is one.
func (e FieldErrors) Aria(field string, help ...string) template.HTMLAttr {
	invalid := ""
	if e.For(field) != "" {
		help, invalid = append(help, field+"-error"), ` aria-invalid="true"`
	}
	if len(help) == 0 {
		return ""
	}
	return template.HTMLAttr(`aria-describedby="` + template.HTMLEscapeString(strings.Join(help, " ")) + `"` + invalid)
}

// A Summary is the list of errors above a form, with a title that says what did not happen.
type Summary struct {
	Title  string
	Errors FieldErrors
}

// Under returns the list of errors with a title, such as "Nothing was saved".
func (e FieldErrors) Under(title string) Summary { return Summary{title, e} }

// Any reports whether any of the given fields is invalid. If so, the form shows the group of these fields
// unfolded.
func (e FieldErrors) Any(fields ...string) bool {
	return slices.ContainsFunc(fields, func(f string) bool { return e.For(f) != "" })
}

// Fields returns the number of errors that concern a field and not the whole form.
func (e FieldErrors) Fields() (n int) {
	for _, fieldError := range e {
		if fieldError.Field != "" {
			n++
		}
	}
	return n
}

// RefusalErrors converts the refusal of a form to an error of the field r.Field. If r names no field, the error belongs
// to the field usual. If defaultField is empty, or if the refusal does not concern the input, the error belongs to the
// whole form.
func RefusalErrors(r *intake.Refusal, defaultField string) FieldErrors {
	if r.Code != http.StatusBadRequest && r.Code != http.StatusRequestEntityTooLarge {
		defaultField = ""
	}
	return FieldErrors{{cmp.Or(r.Field, defaultField), RefusalText(r)}}
}

// ReadNumber parses an integer from a form field. It returns usual if text is empty. If text is not an integer from
// least to most, Number adds an error. The argument what names the quantity in the error.
func (e *FieldErrors) ReadNumber(field, text, noun string, fallback, minimum, maximum int64) int64 {
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < minimum || n > maximum {
		e.Add(field, "Enter a number of %s from %d to %d.", noun, minimum, maximum)
		return fallback
	}
	return n
}

// CheckName checks the name of a new or changed object.
func (e *FieldErrors) CheckName(name string) {
	if text := auth.CheckName(name); text != "" {
		e.Add("name", "%s.", Capitalize(text))
	}
}

// ReadSlug checks the web address of a new object, and returns it. If slug is empty, it is derived from name. Example
// is a valid address for the error message.
func (e *FieldErrors) ReadSlug(slug, name, example string) string {
	if slug == "" {
		slug = SlugOf(name)
	}
	switch {
	case slug == "" && name != "":
		e.Add("slug", "Enter a web address: the name has no letters or digits to make one from.")
	case name != "" && !store.IsSlug(slug):
		e.Add("slug", "Use 1 to 40 lower-case letters, digits and hyphens, for example %s.", cmp.Or(SlugOf(slug), example))
	}
	return slug
}

// CheckChoice adds an error if value is none of the choices.
func (e *FieldErrors) CheckChoice(field, value string, choices []Choice) {
	if !slices.ContainsFunc(choices, func(c Choice) bool { return c.Value == value }) {
		e.Add(field, "Select one of the choices.")
	}
}

// Capitalize returns text with a capital first letter.
func Capitalize(text string) string {
	first, rest := []rune(text)[:1], []rune(text)[1:]
	return string(unicode.ToUpper(first[0])) + string(rest)
}

// SlugOf derives a web address from a name: "Klasse 9" becomes "klasse-9". It returns an empty string if the name
// contains no usable letter or digit.
func SlugOf(name string) string {
	return strings.Trim(fmt.Sprintf("%.40s", auth.ASCIIName(name)), "-")
}
