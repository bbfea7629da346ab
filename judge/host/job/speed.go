package job

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Speed says how fast a machine runs fixed loads, by CPU time. Package worker measures it.
type Speed struct {
	// Loads are the lowest times of the loads in milliseconds, without other programs.
	Loads map[string]float64 `json:"loads_ms"`
	// Spread is how much slower a usual run was than the fastest one, at worst: 0.02 is 2 %.
	Spread float64 `json:"spread"`
	// Busy is how many times as long a run took while all slots were busy. Slots is their number.
	Busy  float64 `json:"busy"`
	Slots int     `json:"slots"`
	// Doubt says why the measurement is not reliable. It is empty if it is.
	Doubt string    `json:"doubt,omitempty"`
	At    time.Time `json:"at"`
}

// How much slower or faster than the first worker a worker of a class may be, and one of a mixed class.
const (
	classSlower = 1.1
	mixedSlower = 2
)

// Factor returns how many times as much CPU time this machine takes as another one: the median over the loads. It is
// 0 if the two have no load in common.
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

// Known reports whether the machine was measured reliably.
func (s *Speed) Known() bool { return s != nil && s.Doubt == "" && len(s.Loads) > 0 }

// Differs returns a sentence if a machine is too slow or too fast for a class whose first machine is base. Otherwise
// it returns an empty string, also if there is no reliable measurement.
func (s *Speed) Differs(base *Speed, class string, mixed bool) string {
	if !s.Known() || !base.Known() {
		return ""
	}
	most := classSlower
	if mixed {
		most = mixedSlower
	}
	f := s.Factor(base)
	if f == 0 || f <= most && f >= 1/most {
		return ""
	}
	var each []string
	for _, load := range slices.Sorted(maps.Keys(s.Loads)) {
		if at := base.Loads[load]; at > 0 {
			each = append(each, fmt.Sprintf("%s %.2f", load, s.Loads[load]/at))
		}
	}
	mend := fmt.Sprintf("take another machine, or have limits follow the machines: [server] mixed = [%q]", class)
	if mixed {
		mend = "take another machine"
	}
	return fmt.Sprintf("this machine takes %.2f times the CPU time of the first one of the class %s (%s), and at "+
		"most %.2f is taken: %s", f, class, strings.Join(each, ", "), most, mend)
}
