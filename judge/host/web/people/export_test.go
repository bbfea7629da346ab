package people

// LimitPackages sets the maximum size in bytes of a ZIP archive with a contest package, until undo is called.
func LimitPackages(most int64) (undo func()) {
	was := maxPackage
	maxPackage = most
	return func() { maxPackage = was }
}
