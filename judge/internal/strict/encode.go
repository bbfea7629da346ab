package strict

import (
	"bytes"

	"github.com/BurntSushi/toml"
)

// Encode writes a value as TOML, the same bytes for the same value. Decode reads it
// back.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err := e.Encode(v)
	return b.Bytes(), err
}
