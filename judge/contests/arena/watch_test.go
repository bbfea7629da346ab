package arena

import (
	"testing"
	"time"
)

// TestOverdue: a busy machine is not an idle bot.
func TestOverdue(t *testing.T) {
	const limit = time.Second
	for name, tt := range map[string]struct {
		took, used, kept time.Duration
		want             bool
	}{
		"it waits":                           {took: limit + 1, want: true},
		"it does next to nothing":            {took: 2 * limit, used: limit / 25, want: true},
		"it computes, and gets too little":   {took: 2 * limit, used: limit / 24},
		"it waits for a processor":           {took: 2 * limit, kept: limit},
		"it waits for a processor in part":   {took: 2 * limit, kept: limit - 1, want: true},
		"it waits for one all the time":      {took: patience*limit - 1, kept: patience * limit},
		"nobody waits for it for ever":       {took: patience * limit, kept: patience * limit, want: true},
		"it computes on, longer than anyone": {took: patience * limit, used: limit, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := overdue(tt.took, limit, tt.used, tt.kept); got != tt.want {
				t.Errorf("overdue: %v", got)
			}
		})
	}
}
