package lang

var UsualEntry = usualEntry
