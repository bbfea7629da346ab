package strict

import (
	"bytes"

	"github.com/BurntSushi/toml"
)

// Encode encodes a value as TOML. The output is deterministic, and Decode can read it.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := toml.NewEncoder(&b)
	e.Indent = ""
	err := e.Encode(v)
	return b.Bytes(), err
}
