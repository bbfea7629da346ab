package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Speed says how fast a machine runs fixed benchmarks, in CPU time. Package worker measures it.
type Speed struct {
	// Loads maps benchmarks to their lowest times in milliseconds, measured without other programs.
	Loads map[string]float64 `json:"loads_ms"`
	// Spread is the largest relative difference between a typical and the fastest run: 0.02 means 2 %.
	Spread float64 `json:"spread"`
	// BusyFactor is the slowdown factor of a run while all slots were busy. Slots is the number of slots.
	BusyFactor float64 `json:"busy"`
	Slots      int     `json:"slots"`
	// Doubt says why the measurement is not reliable. It is empty if the measurement is reliable.
	Doubt string    `json:"doubt,omitempty"`
	At    time.Time `json:"at"`
}

// The maximum factors by which a worker may differ in speed from the first worker of its class: in an ordinary
// class, and in a mixed class.
const (
	maxClassFactor = 1.1
	maxMixedFactor = 2
)

// Factor returns the ratio of this machine's CPU times to those of another machine: the median over the
// benchmarks. It returns 0 if they have no benchmark in common.
func (s *Speed) Factor(base *Speed) float64 {
	var ratios []float64
	for load, ms := range s.Loads {
		if at := base.Loads[load]; at > 0 && ms > 0 {
			ratios = append(ratios, ms/at)
		}
	}
	if len(ratios) == 0 {
		return 0
	}
	slices.Sort(ratios)
	return (ratios[(len(ratios)-1)/2] + ratios[len(ratios)/2]) / 2
}

// Reliable reports whether there is a reliable measurement of the machine.
func (s *Speed) Reliable() bool { return s != nil && s.Doubt == "" && len(s.Loads) > 0 }

// Mismatch returns a sentence if a machine is too slow or too fast for a class whose first machine is base.
// Otherwise, or if there is no reliable measurement, it returns an empty string.
func (s *Speed) Mismatch(base *Speed, class string, mixed bool) string {
	if !s.Reliable() || !base.Reliable() {
		return ""
	}
	limit := maxClassFactor
	if mixed {
		limit = maxMixedFactor
	}
	f := s.Factor(base)
	if f == 0 || f <= limit && f >= 1/limit {
		return ""
	}
	var ratios []string
	for _, load := range slices.Sorted(maps.Keys(s.Loads)) {
		if at := base.Loads[load]; at > 0 {
			ratios = append(ratios, fmt.Sprintf("%s %.2f", load, s.Loads[load]/at))
		}
	}
	mend := fmt.Sprintf("take another machine, or have limits follow the machines: [server] mixed = [%q]", class)
	if mixed {
		mend = "take another machine"
	}
	return fmt.Sprintf("this machine takes %.2f times the CPU time of the first one of the class %s (%s), and at "+
		"most %.2f is taken: %s", f, class, strings.Join(ratios, ", "), limit, mend)
}
