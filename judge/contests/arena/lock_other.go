//go:build !unix

package arena

import "os"

// lock cannot find out on this system whether another judge writes the log.
func lock(*os.File) (taken bool) { return false }
