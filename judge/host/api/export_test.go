package api

// Routed is like New, but sets the interval after which an idle stream sends a comment.
var Routed = routed

// Patterns returns the patterns of all routes.
func Patterns() (all []string) {
	for _, r := range routes {
		all = append(all, r.path())
	}
	return all
}
