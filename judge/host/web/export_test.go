package web

import "assay/judge/host/auth"

// Routes are the patterns of all routes, each with its action.
func Routes() map[string]auth.Action {
	all := map[string]auth.Action{}
	for _, r := range routes {
		all[r.pattern] = r.action
	}
	return all
}

// TextDiff is textDiff.
func TextDiff(before, after string) ([]diffLine, bool) { return textDiff(before, after) }
