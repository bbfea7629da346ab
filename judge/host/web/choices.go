package web

import (
	"fmt"

	"assay/judge/host/store"
)

// A Choice is an entry of a group of radio buttons or of a list.
type Choice struct {
	Value, Name, Help string
}

// Visibilities are the choices of who may see a contest.
var Visibilities = []Choice{
	{string(store.Public), "Public", "Anyone can watch; anyone with an account can join."},
	{string(store.Accounts), "Registered users", "Only people with an account can see it and join."},
	{string(store.Teams), "Invited teams only", "Only the teams on the Teams page."},
	{string(store.Staff), "Hidden", "Only the jury, while you prepare it."},
}

// OpenVisibilities are the choices of who may see a hole or a ladder, which have no teams.
var OpenVisibilities = []Choice{
	{string(store.Public), "Public", "Anyone can see it."},
	{string(store.Accounts), "Registered users", "Only people with an account can see it."},
	{string(store.Staff), "Hidden", "Only administrators, while you prepare it."},
}

// ChoiceName returns the name of a value. If it is none of the choices, it returns the value.
func ChoiceName(all []Choice, value string) string {
	for _, c := range all {
		if c.Value == value {
			return c.Name
		}
	}
	return value
}

// Counted writes a number before a word for one, or for many.
func Counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// A Removal is the part of settings by which something is deleted if it is empty. The templates "removal"
// and "removalform" draw it: inside the form of the settings, and after it.
type Removal struct {
	Kind, Slug string // the address is /Kind/Slug
	Content    string // what it has, in words; empty for nothing
}
