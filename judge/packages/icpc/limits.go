package icpc

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"assay/judge"
	"assay/judge/internal/pattern"
	"assay/judge/internal/strict"
	"assay/judge/problem"
)

// limits is the key limits of problem.yaml in both formats.
type limits struct {
	TimeMultipliers struct {
		ToLimit float64 `yaml:"ac_to_time_limit"`
		ToSlow  float64 `yaml:"time_limit_to_tle"`
	} `yaml:"time_multipliers"`
	TimeLimit         float64 `yaml:"time_limit"`
	TimeResolution    float64 `yaml:"time_resolution"`
	Memory            float64 `yaml:"memory"`
	Output            float64 `yaml:"output"`
	Code              float64 `yaml:"code"`
	CompilationTime   float64 `yaml:"compilation_time"`
	CompilationMemory float64 `yaml:"compilation_memory"`
	ValidationTime    float64 `yaml:"validation_time"`
	ValidationMemory  float64 `yaml:"validation_memory"`
	ValidationOutput  float64 `yaml:"validation_output"`
	ValidationPasses  int     `yaml:"validation_passes"`
	// Legacy.
	TimeMultiplier float64 `yaml:"time_multiplier"`
	TimeMargin     float64 `yaml:"time_safety_margin"`
}

// Defaults for limits that the formats leave to the judge.
const (
	defaultMemory     = 2048 // MiB
	defaultOutput     = 8    // MiB
	defaultValidation = 60   // s
)

func (p *Package) readLimits(doc *strict.Node, m *metadata, defaults judge.Limits) {
	n := doc.Get("limits")
	if n.IsSet() {
		p.Warnings = append(p.Warnings, n.Decode(&m.limits)...)
		p.checkLimits(n, m)
	}
	l := &m.limits
	t := problem.Timing{Multiplier: 2, Margin: 1.5, Resolution: time.Second}
	if p.Format.isLegacy() {
		t.Multiplier, t.Margin = 5, 2
	}
	for _, v := range []struct {
		given float64
		to    *float64
	}{{l.TimeMultiplier, &t.Multiplier}, {l.TimeMargin, &t.Margin},
		{l.TimeMultipliers.ToLimit, &t.Multiplier}, {l.TimeMultipliers.ToSlow, &t.Margin}} {
		if v.given > 0 {
			*v.to = v.given
		}
	}
	if l.TimeResolution > 0 {
		t.Resolution = seconds(l.TimeResolution)
	}
	if t.Limit = seconds(l.TimeLimit); t.Limit > 0 {
		t.Strict = !p.Format.isLegacy()
	} else {
		t.Limit = p.foreignTimeLimit()
	}
	p.Timing = t

	p.Limits = defaults
	p.Limits.CPU, p.Limits.Wall = t.Limit, 0
	p.Limits.Memory, p.Limits.Output = mebibytes(l.Memory, defaultMemory), mebibytes(l.Output, defaultOutput)
	p.CodeLimit = int64(l.Code * 1024)
	p.Passes = l.ValidationPasses
	p.NoFiles, p.AllOutput = !m.allowFiles, p.Format == Format2025
	p.Problem.Validation = judge.Limits{
		CPU: seconds(l.ValidationTime), Memory: mebibytes(l.ValidationMemory, defaultMemory), Output: defaults.Output,
		Processes: defaults.Processes, Files: defaults.Files, Scratch: defaults.Scratch,
	}
	v := &p.Problem.Validation
	if v.CPU <= 0 {
		v.CPU = defaultValidation * time.Second
	}
	v.Wall = v.CPU + 10*time.Second // allows for time in which the program does not compute
	v.Output = max(v.Output, mebibytes(l.ValidationOutput, defaultOutput))
}

// raiseOutputLimit raises the output limit to twice the size of the longest answer, unless the package sets a limit. The
// default limit is smaller than some answers.
func (p *Package) raiseOutputLimit(m *metadata) {
	if m.limits.Output > 0 {
		return
	}
	for _, g := range p.Groups {
		for _, c := range g.Cases {
			if c.Ans == "" {
				continue
			}
			if info, err := p.root.Stat(p.inside(c.Ans)); err == nil {
				p.Limits.Output = max(p.Limits.Output, 2*info.Size())
			}
		}
	}
}

// checkLimits warns about implausible limits.
func (p *Package) checkLimits(n *strict.Node, m *metadata) {
	for _, group := range []*strict.Node{n, n.Get("time_multipliers")} {
		for k, v := range group.Pairs() {
			switch x, ok := v.Float(); {
			case v.Kind != strict.Scalar || !ok:
			case v.Quoted:
				p.Warnings = append(
					p.Warnings,
					v.Fault(fmt.Sprintf("%s: want a number, got the text %q", k.Path, v.Text), "write it without quotes: "+v.Text),
				)
			case x <= 0 || math.IsInf(x, 0):
				p.Warnings = append(p.Warnings, v.Fault(fmt.Sprintf("%s: want a number above 0, got %s", k.Path, v.Text), ""))
			case x < 1 && group.Path == "limits.time_multipliers" && p.Format == Format2025:
				p.Warnings = append(p.Warnings, v.Fault(
					fmt.Sprintf("%s: want at least 1, got %s", k.Path, v.Text),
					"the defaults are 2.0 for ac_to_time_limit and 1.5 for time_limit_to_tle",
				))
			case x > maxLimit:
				p.Warnings = append(p.Warnings, v.Fault(
					fmt.Sprintf("%s: %s is too large", k.Path, v.Text),
					"memory and output are in MiB, times in seconds; without the key, the default applies",
				))
			}
		}
	}
	if n.Has("validation_passes") && m.limits.ValidationPasses < 2 {
		p.Warnings = append(p.Warnings, n.Get("validation_passes").Fault(
			"validation_passes: want at least 2", "a problem with one pass is not multi-pass",
		))
	}
	if n.Has("validation_passes") && !m.multiPass && p.Format == Format2025 {
		p.Warnings = append(p.Warnings, n.Key("validation_passes").Fault(
			"validation_passes: only problems of the type multi-pass have passes",
			"remove it, or add multi-pass to type",
		))
	}
	old := []string{"time_multiplier", "time_safety_margin"}
	if p.Format.isLegacy() {
		old = []string{"time_multipliers", "time_resolution"}
	}
	for _, key := range old {
		if n.Has(key) && (!p.Format.isLegacy() || key == "time_multipliers") {
			p.Warnings = append(p.Warnings, n.Key(key).Fault(fmt.Sprintf("the key %q is not one of this version of the format", key), ""))
		}
	}
	if limit, res := m.limits.TimeLimit, m.limits.TimeResolution; limit > 0 && !p.Format.isLegacy() {
		if res == 0 {
			res = 1
		}
		if parts := limit / res; math.Abs(parts-math.Round(parts)) > 1e-9 {
			p.Warnings = append(p.Warnings, n.Get("time_limit").Fault(
				fmt.Sprintf("time_limit: %v is not a multiple of the time_resolution %v", limit, res),
				"set time_resolution too",
			))
		}
	}
}

var iniTime = pattern.New(`(?m)^\s*timelimit\s*=\s*['"]?([0-9.]+)`)

// foreignTimeLimit finds the time limit in files for other tools.
func (p *Package) foreignTimeLimit() time.Duration {
	if data, err := p.read(".timelimit"); err == nil {
		if x, err := strconv.ParseFloat(strings.TrimSpace(string(data)), 64); err == nil && x > 0 {
			return seconds(x)
		}
		p.warn(".timelimit", "not a number of seconds", "write a number, such as 2 or 1.5")
	}
	if data, err := p.read(domjudgeFile); err == nil {
		if found := iniTime().FindSubmatch(data); found != nil {
			if x, err := strconv.ParseFloat(string(found[1]), 64); err == nil && x > 0 {
				return seconds(x)
			}
		}
	}
	return 0
}

// maxLimit is the maximum limit that is accepted, in seconds or MiB.
const maxLimit = 1e6

// seconds converts a number to a duration, exact to the microsecond.
func seconds(x float64) time.Duration {
	x = min(x, maxLimit)
	return time.Duration(math.Round(x*1e6)) * time.Microsecond
}

func mebibytes(x, fallback float64) int64 {
	if x <= 0 || x > maxLimit {
		x = fallback
	}
	return int64(x * (1 << 20))
}
