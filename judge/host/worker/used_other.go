//go:build !unix

package worker

import "time"

// used returns the CPU time of this process, as far as it is known.
func used() time.Duration { return 0 }
