//go:build !unix

package worker

import "time"

// used is the processor time that this process has taken, as far as it is known.
func used() time.Duration { return 0 }
