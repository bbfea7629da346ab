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
	maxName     = 200
	maxUsername = 40
)

// CheckName returns what is wrong with the name of a person, team or contest. It returns an empty string if the name
// is valid. Names may use any script and emoji. They must be visible, and must not change the direction of
// adjacent text.
func CheckName(name string) string {
	switch {
	case strings.TrimSpace(name) == "":
		return "a name is missing"
	case utf8.RuneCountInString(name) > maxName:
		return fmt.Sprintf("a name has %d letters at most", maxName)
	case !utf8.ValidString(name):
		return "the name is not text in UTF-8"
	case !IsPrintable(name):
		i := strings.IndexFunc(name, isHidden)
		c, _ := utf8.DecodeRuneInString(name[i:])
		return fmt.Sprintf("the name contains an invisible character: character %d is %U", utf8.RuneCountInString(name[:i])+1, c)
	case !strings.ContainsFunc(name, isVisible):
		return "the name has no letter that anybody can see"
	}
	return ""
}

// IsPrintable reports whether text is valid UTF-8 without invisible characters and line breaks.
func IsPrintable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, isHidden)
}

// isVisible reports whether a character is visible on its own.
func isVisible(c rune) bool { return unicode.In(c, unicode.L, unicode.N, unicode.P, unicode.S) }

// isHidden reports whether a character has no use in names.
func isHidden(c rune) bool { return !IsJoiner(c) && !unicode.IsGraphic(c) }

// IsJoiner reports whether c is an invisible character with a use in names: it joins letters or emoji, or sets the
// direction of a number.
func IsJoiner(c rune) bool {
	const nonJoiner, joiner, leftToRight, rightToLeft, firstTag, lastTag = '\u200c', '\u200d', '\u200e', '\u200f', '\U000E0020', '\U000E007F'
	return c == nonJoiner || c == joiner || c == leftToRight || c == rightToLeft || c >= firstTag && c <= lastTag
}

// maxGroups is the maximum number of groups in a team.
const maxGroups = 10

// ParseGroups parses the groups of a team, separated by commas, without duplicates.
func ParseGroups(text string) (groups []string, err error) {
	for one := range strings.SplitSeq(text, ",") {
		if one = strings.TrimSpace(one); one == "" || slices.Contains(groups, one) {
			continue
		}
		if wrong := CheckName(one); wrong != "" {
			return nil, &judge.UsageError{Err: fmt.Errorf("the group %.60q: %s", one, wrong)}
		}
		groups = append(groups, one)
	}
	if len(groups) > maxGroups {
		return nil, &judge.UsageError{Err: fmt.Errorf("a team is in %d groups; the most is %d", len(groups), maxGroups)}
	}
	return groups, nil
}

// ValidUsername reports whether text is a valid username.
func ValidUsername(text string) bool {
	for i := range len(text) {
		c := text[i]
		if alike := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'; !alike && (i == 0 || c != '-' && c != '_') {
			return false
		}
	}
	return text != "" && len(text) <= maxUsername
}
