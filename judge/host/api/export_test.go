package api

// Routed is New with a time after which a stream that has nothing to say says so.
var Routed = routed

// Patterns are the routes.
func Patterns() (all []string) {
	for _, r := range routes {
		all = append(all, r.path())
	}
	return all
}
