package contestpackage

import (
	"bytes"
	"encoding/json"
	"errors"

	"assay/judge"
)

// yamlOfJSON converts JSON to YAML with the same meaning and the same lines. JSON is almost a subset of YAML. The
// exceptions are tabs between values and some escapes in strings.
func yamlOfJSON(file string, data []byte) ([]byte, *judge.ProblemError) {
	var any json.RawMessage
	if err := json.Unmarshal(data, &any); err != nil {
		at := len(data)
		if syntax, is := errors.AsType[*json.SyntaxError](err); is {
			at = min(int(syntax.Offset), len(data))
		}
		return nil, &judge.ProblemError{File: file, Line: 1 + bytes.Count(data[:max(at-1, 0)], []byte("\n")),
			Text: "the file is not JSON: " + err.Error()}
	}
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '\t', '\r':
			out = append(out, ' ')
		case '"':
			end := i + 1
			for ; data[end] != '"'; end++ {
				if data[end] == '\\' {
					end++
				}
			}
			out = append(out, yamlString(data[i:end+1])...)
			i = end
		case ':':
			out = append(out, ": "...) // YAML needs a blank after a key
		default:
			out = append(out, data[i])
		}
	}
	return out, nil
}

// yamlString converts a JSON string to a YAML string.
func yamlString(quoted []byte) []byte {
	var text string
	if json.Unmarshal(quoted, &text) != nil {
		return quoted // package strict reports the error
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil {
		return quoted
	}
	return bytes.TrimSpace(out.Bytes())
}
