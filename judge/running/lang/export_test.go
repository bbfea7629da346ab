package lang

var UsualEntry = usualEntry

var WriteUnder = writeUnder
