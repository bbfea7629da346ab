package problems

// TextDiff is textDiff.
func TextDiff(before, after string) ([]diffLine, bool) { return textDiff(before, after) }
