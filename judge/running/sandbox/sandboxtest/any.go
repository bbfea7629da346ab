package sandboxtest

import (
	"sync"

	"assay/judge/running/sandbox"
)

// Any returns options for a test that accepts any isolation level. In a container that forbids isolation, user 0
// must request the level "none" by name, and Any does so. A test that uses Any should log the isolation level.
func Any() sandbox.Options { return sandbox.Options{Isolation: string(anyLevel())} }

var anyLevel = sync.OnceValue(func() sandbox.Level {
	s, err := sandbox.New(sandbox.Options{Workers: 1})
	if err != nil {
		return sandbox.None
	}
	defer s.Close()
	return ""
})
