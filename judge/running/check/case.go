package check

// case-sensitive and case-insensitive are tokens with a name that says what they do
// about upper and lower case.
var caseOptions = []Option{
	{"space_change_sensitive", "", "white space must be the same, byte for byte"},
}

func newCaseSensitive(o options) (comparer, error) {
	t := &tokens{caseSensitive: true, spaceSensitive: o.has("space_change_sensitive")}
	return t.compare, nil
}

func newCaseInsensitive(o options) (comparer, error) {
	t := &tokens{spaceSensitive: o.has("space_change_sensitive")}
	return t.compare, nil
}
