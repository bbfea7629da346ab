package exchange

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// tomlFile writes a TOML file line by line.
type tomlFile struct{ strings.Builder }

func (t *tomlFile) table(name string) { fmt.Fprintf(t, "\n[%s]\n", name) }

func (t *tomlFile) tables(name string) { fmt.Fprintf(t, "\n[[%s]]\n", name) }

// text writes a key with a string value. It omits an empty value.
func (t *tomlFile) text(key, value string) {
	if value != "" {
		fmt.Fprintf(t, "%s = %s\n", key, tomlString(value))
	}
}

func (t *tomlFile) texts(key string, values []string) {
	if len(values) == 0 {
		return
	}
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = tomlString(v)
	}
	fmt.Fprintf(t, "%s = [%s]\n", key, strings.Join(quoted, ", "))
}

func (t *tomlFile) number(key string, value float64) {
	fmt.Fprintf(t, "%s = %s\n", key, strconv.FormatFloat(value, 'f', -1, 64))
}

func (t *tomlFile) duration(key string, value time.Duration) {
	if value > 0 {
		fmt.Fprintf(t, "%s = %q\n", key, value.String())
	}
}

// size writes a number of bytes in the largest unit that divides it.
func (t *tomlFile) size(key string, bytes int64) {
	if bytes <= 0 {
		return
	}
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}} {
		if bytes%unit.bytes == 0 {
			fmt.Fprintf(t, "%s = \"%d%s\"\n", key, bytes/unit.bytes, unit.name)
			return
		}
	}
}

// tomlString quotes a string: JSON strings are also TOML.
func tomlString(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil { // encoding a string never fails
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}
