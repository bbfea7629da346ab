package arena

import (
	"encoding/json"
	"math"
	"time"
)

// rulesJSON is the form of rules in logs. Names contain the unit.
type rulesJSON struct {
	Name    string            `json:"name"`
	Format  string            `json:"format"`
	Rounds  int               `json:"rounds"`
	Games   int               `json:"games"`
	Score   Score             `json:"score"`
	Move    float64           `json:"move_ms"`
	Clock   float64           `json:"clock_ms"`
	Start   float64           `json:"start_ms"`
	Wall    float64           `json:"wall_per_cpu"`
	Memory  int64             `json:"memory_bytes"`
	Costs   map[Fault]Cost    `json:"costs,omitempty"`
	Options map[string]string `json:"options,omitempty"`
}

// firstRules is the form of rules in logs of version 1, with times in nanoseconds. Fingerprints are computed from
// this form in every version, so that seeds, and therefore all games, stay the same.
type firstRules struct {
	Name    string            `json:"name"`
	Format  string            `json:"format"`
	Rounds  int               `json:"rounds"`
	Games   int               `json:"games"`
	Score   Score             `json:"score"`
	Move    time.Duration     `json:"move"`
	Clock   time.Duration     `json:"clock"`
	Start   time.Duration     `json:"start"`
	Wall    float64           `json:"wall"`
	Memory  int64             `json:"memory"`
	Costs   map[Fault]Cost    `json:"costs,omitempty"`
	Options map[string]string `json:"options,omitempty"`
}

// MarshalJSON writes the rules in the format of the current Version.
func (r Rules) MarshalJSON() ([]byte, error) {
	return json.Marshal(rulesJSON{
		r.Name, r.Format, r.Rounds, r.Games, r.Score, millis(r.Move), millis(r.Clock), millis(r.Start), r.Wall, r.Memory, r.Costs, r.Options,
	})
}

// UnmarshalJSON reads the rules of a log of any version.
func (r *Rules) UnmarshalJSON(text []byte) error {
	var form struct {
		Unit *json.RawMessage `json:"move_ms"`
	}
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	if form.Unit == nil {
		var first firstRules
		err := json.Unmarshal(text, &first)
		*r = Rules(first)
		return err
	}
	var now rulesJSON
	err := json.Unmarshal(text, &now)
	*r = Rules{
		now.Name, now.Format, now.Rounds, now.Games, now.Score, duration(now.Move), duration(now.Clock),
		duration(now.Start), now.Wall, now.Memory, now.Costs, now.Options,
	}
	return err
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func duration(ms float64) time.Duration {
	return time.Duration(math.Round(ms * float64(time.Millisecond)))
}
