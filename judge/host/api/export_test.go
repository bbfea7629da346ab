package api

// Patterns are the routes.
func Patterns() (all []string) {
	for _, r := range routes {
		all = append(all, r.pattern)
	}
	return all
}
