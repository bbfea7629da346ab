package auth

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"assay/judge"
)

// The maximum number of letters in a name, and in a username.
const (
	mostName  = 200
	mostLogin = 40
)

// BadName returns what is wrong with the name of a person, team or contest. It returns an empty string if the name
// is valid. Names may use any script and emoji. They must be visible, and must not change the direction of
// adjacent text.
func BadName(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "a name is missing"
	case utf8.RuneCountInString(name) > mostName:
		return fmt.Sprintf("a name has %d letters at most", mostName)
	case !utf8.ValidString(name):
		return "the name is not text in UTF-8"
	case !Legible(name):
		i := strings.IndexFunc(name, hides)
		c, _ := utf8.DecodeRuneInString(name[i:])
		return fmt.Sprintf("the name contains an invisible character: character %d is %U", utf8.RuneCountInString(name[:i])+1, c)
	case !strings.ContainsFunc(name, shows):
		return "the name has no letter that anybody can see"
	}
	return ""
}

// Legible reports whether text is valid UTF-8 without invisible characters and line breaks.
func Legible(text string) bool { return utf8.ValidString(text) && !strings.ContainsFunc(text, hides) }

// shows reports whether a character is visible on its own.
func shows(c rune) bool { return unicode.In(c, unicode.L, unicode.N, unicode.P, unicode.S) }

// hides reports whether a character has no use in names.
func hides(c rune) bool { return !Joins(c) && !unicode.IsGraphic(c) }

// Joins reports whether c is an invisible character with a use in names: it joins letters or emoji, or sets the
// direction of a number.
func Joins(c rune) bool {
	const nonJoiner, joiner, leftToRight, rightToLeft, firstTag, lastTag = '\u200c', '\u200d', '\u200e', '\u200f', '\U000E0020', '\U000E007F'
	return c == nonJoiner || c == joiner || c == leftToRight || c == rightToLeft || c >= firstTag && c <= lastTag
}

// mostGroups is the maximum number of groups in a team.
const mostGroups = 10

// Groups parses the groups of a team, separated by commas, without duplicates.
func Groups(text string) (all []string, err error) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" || slices.Contains(all, one) {
			continue
		}
		if wrong := BadName(one); wrong != "" {
			return nil, &judge.Misuse{Err: fmt.Errorf("the group %.60q: %s", one, wrong)}
		}
		all = append(all, one)
	}
	if len(all) > mostGroups {
		return nil, &judge.Misuse{Err: fmt.Errorf("a team is in %d groups; the most is %d", len(all), mostGroups)}
	}
	return all, nil
}

// GoodLogin reports whether text is a valid username.
func GoodLogin(text string) bool {
	for i := range len(text) {
		c := text[i]
		if alike := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'; !alike && (i == 0 || c != '-' && c != '_') {
			return false
		}
	}
	return text != "" && len(text) <= mostLogin
}
