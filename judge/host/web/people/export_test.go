package people

// LimitPackages sets how many bytes a ZIP archive with a contest package can have, until undo is called.
func LimitPackages(most int64) (undo func()) {
	was := mostPackage
	mostPackage = most
	return func() { mostPackage = was }
}
