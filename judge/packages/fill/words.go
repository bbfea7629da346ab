package fill

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"assay/judge/internal/strict"
)

// shellWords splits a command line into words like a shell, at white space outside quotes.
func shellWords(line string) (words []string, err error) {
	var b strings.Builder
	open, quote := false, byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != '\'':
			b.WriteByte(c)
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && i+1 < len(line) && (quote == 0 || line[i+1] == '"' || line[i+1] == '\\'):
			i++
			b.WriteByte(line[i])
			open = true
		case quote != 0:
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if open {
				words = append(words, b.String())
				b.Reset()
				open = false
			}
		default:
			b.WriteByte(c)
			open = true
		}
	}
	if quote != 0 {
		return nil, errors.New("a quote that is not closed")
	}
	if open {
		words = append(words, b.String())
	}
	return words, nil
}

// yamlText converts a YAML value to the content of a file: JSON, which is also YAML.
func yamlText(n *strict.Node) []byte {
	var b bytes.Buffer
	if n.Kind == strict.Scalar {
		return append([]byte(strings.TrimRight(n.Text, "\n")), '\n')
	}
	writeJSON(&b, n)
	b.WriteByte('\n')
	return b.Bytes()
}

func writeJSON(b *bytes.Buffer, n *strict.Node) {
	between := ""
	switch n.Kind {
	case strict.Map:
		b.WriteByte('{')
		for k, v := range n.Pairs() {
			b.WriteString(between)
			b.Write(quoted(k.Text))
			b.WriteString(": ")
			writeJSON(b, v)
			between = ", "
		}
		b.WriteByte('}')
	case strict.List:
		b.WriteByte('[')
		for _, item := range n.Items() {
			b.WriteString(between)
			writeJSON(b, item)
			between = ", "
		}
		b.WriteByte(']')
	case strict.Scalar:
		if !n.Quoted && json.Valid([]byte(n.Text)) {
			b.WriteString(n.Text)
			return
		}
		b.Write(quoted(n.Text))
	default:
		b.WriteString("null")
	}
}

func quoted(s string) []byte {
	text, err := json.Marshal(s)
	if err != nil { // encoding a string never fails
		return []byte(`""`)
	}
	return text
}
