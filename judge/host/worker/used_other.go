//go:build !unix

package worker

import "time"

// used returns 0, because the CPU time of this process is not known.
func used() time.Duration { return 0 }
