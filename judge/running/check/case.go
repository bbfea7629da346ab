package check

// caseOptions lists the options of case-sensitive and case-insensitive. These checkers are like tokens; their
// names say how they treat upper and lower case.
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
