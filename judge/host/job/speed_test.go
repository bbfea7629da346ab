package job_test

import (
	"math"
	"strings"
	"testing"

	"assay/judge/host/job"
)

func speed(a, m, w float64) *job.Speed {
	return &job.Speed{Loads: map[string]float64{"arithmetic": a, "memory": m, "writes": w}}
}

// TestSpeed checks which machines are too slow or too fast for a class, and which have no reliable measurement.
func TestSpeed(t *testing.T) {
	base, doubted := speed(200, 400, 60), speed(600, 900, 200)
	doubted.Doubt = "it was busy"
	for name, tt := range map[string]struct {
		s, base *job.Speed
		mixed   bool
		factor  float64
		says    string
	}{
		"the same":          {base, base, false, 1, ""},
		"one load is noise": {speed(200, 400, 600), base, false, 1, ""},
		"a little slower":   {speed(218, 436, 60), base, false, 1.09, ""},
		"too slow": {
			speed(222, 444, 60), base, false, 1.11,
			"this machine takes 1.11 times the CPU time of the first one of the class main (arithmetic 1.11, memory 1.11, " +
				"writes 1.00), and at most 1.10 is taken: ",
		},
		"too fast":                        {speed(180, 360, 60), base, false, 0.9, "0.90 times"},
		"mixed: slower":                   {speed(380, 760, 60), base, true, 1.9, ""},
		"mixed: faster":                   {speed(110, 220, 60), base, true, 0.55, ""},
		"mixed: too slow":                 {speed(420, 840, 120), base, true, 2.1, "and at most 2.00 is taken: take another machine"},
		"it is not measured":              {nil, base, false, 0, ""},
		"the class is not measured":       {speed(900, 900, 900), nil, false, 0, ""},
		"it is not to be believed":        {doubted, base, false, 0, ""},
		"the class is not to be believed": {base, doubted, false, 0, ""},
		"nothing in common":               {&job.Speed{Loads: map[string]float64{"new": 3}}, base, false, 0, ""},
		"an even number of loads":         {&job.Speed{Loads: map[string]float64{"arithmetic": 200, "memory": 480}}, base, false, 1.1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.factor != 0 {
				if f := tt.s.Factor(tt.base); math.Abs(f-tt.factor) > 1e-9 {
					t.Errorf("the factor is %v, want %v", f, tt.factor)
				}
			}
			got := tt.s.Mismatch(tt.base, "main", tt.mixed)
			if (got == "") != (tt.says == "") || !strings.Contains(got, tt.says) {
				t.Errorf("says %q, want %q", got, tt.says)
			}
		})
	}
}
