package web

import (
	"fmt"

	"assay/judge/host/store"
)

// A Choice is a radio button in a group or an entry in a list.
type Choice struct {
	Value, Name, Help string
}

// Visibilities lists the choices for who may see a contest.
var Visibilities = []Choice{
	{string(store.VisibilityPublic), "Public", "Anyone can watch; anyone with an account can join."},
	{string(store.VisibilityAccounts), "Registered users", "Only people with an account can see it and join."},
	{string(store.VisibilityTeams), "Invited teams only", "Only the teams on the Teams page."},
	{string(store.VisibilityJury), "Hidden", "Only the jury, while you prepare it."},
}

// OpenVisibilities lists the choices for who may see a hole or a ladder. They mention no teams, because holes and
// ladders have none.
var OpenVisibilities = []Choice{
	{string(store.VisibilityPublic), "Public", "Anyone can see it."},
	{string(store.VisibilityAccounts), "Registered users", "Only people with an account can see it."},
	{string(store.VisibilityJury), "Hidden", "Only administrators, while you prepare it."},
}

// ChoiceName returns the name of a value. If no choice has the value, it returns value itself.
func ChoiceName(choices []Choice, value string) string {
	for _, c := range choices {
		if c.Value == value {
			return c.Name
		}
	}
	return value
}

// CountText returns a number with the singular or plural of a word.
func CountText(n int, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprint(n, " ", plural)
}

// A Removal is the section of settings that deletes an empty object. The template "removal" renders the part
// inside the settings form, and "removalform" the form after it.
type Removal struct {
	Kind, Slug string // the address is /Kind/Slug
	Content    string // what the object contains, as text; empty if nothing
	Errors     FieldErrors
}
