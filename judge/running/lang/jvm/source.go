package jvm

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Type is a class, an interface, an enum, or a record declared in a source.
type Type struct {
	Name   string // as in the name of its class file: a nested type is Outer$Inner
	Public bool   // whether its file must be named after it: it is public and not nested
}

// maxName is more than the maximum length of a file name.
const maxName = 255

// Types returns the types that a Java source declares, in order. A text that is not UTF-8 is read as Latin-1.
func Types(source []byte) []Type {
	var types []Type
	var open []string // the type for each open brace; empty for other braces
	declared, depth := "", 0
	public, parens := false, 0
	all := tokens(unescaped(source))
	token := func(i int) string {
		if i < 0 || i >= len(all) {
			return ""
		}
		return all[i]
	}
	for i := 0; i < len(all); i++ {
		switch word := all[i]; word {
		case "(":
			parens++
		case ")":
			parens--
		case "{":
			if declared == "" || parens != depth { // a block, or inside an annotation's arguments
				open = append(open, "")
				continue
			}
			open = append(open, declared)
			declared = ""
		case "}":
			open = open[:max(0, len(open)-1)]
			public = public && len(open) > 0
		case ";":
			public = public && len(open) > 0
		case "public":
			public = public || len(open) == 0 && parens == 0
		case "class", "interface", "enum", "record":
			name := token(i + 1)
			if !isName(name) || token(i-1) == "." || word == "record" && token(i+2) != "(" && token(i+2) != "<" {
				continue
			}
			top := len(open) == 0 && parens == 0
			for _, outer := range slices.Backward(open) {
				if outer != "" && len(outer) < maxName {
					name = outer + "$" + name
					break
				}
			}
			types = append(types, Type{name, top && public})
			declared, depth = name, parens
			i++
		}
	}
	return types
}

// PublicType returns the type after which javac requires the source file to be named. It returns the empty string if
// any name is allowed.
func PublicType(source []byte) string {
	for _, t := range Types(source) {
		if t.Public {
			return t.Name
		}
	}
	return ""
}

// unescaped replaces each \uXXXX by its character, which is the first step of Java's lexer.
func unescaped(source []byte) []rune {
	var text []rune
	if utf8.Valid(source) {
		text = []rune(string(source))
	} else {
		for _, b := range source {
			text = append(text, rune(b))
		}
	}
	kept := text[:0] // never longer than the text read so far
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == '\\' && i+1 < len(text) && text[i+1] == '\\' {
			kept = append(kept, c, c)
			i++
			continue
		}
		if c == '\\' && i+1 < len(text) && text[i+1] == 'u' {
			at := i + 1
			for at < len(text) && text[at] == 'u' {
				at++
			}
			if at+4 <= len(text) {
				if n, err := strconv.ParseUint(string(text[at:at+4]), 16, 16); err == nil {
					c, i = rune(n), at+3
				}
			}
		}
		if last := len(kept) - 1; last >= 0 && utf16.IsSurrogate(kept[last]) {
			if pair := utf16.DecodeRune(kept[last], c); pair != unicode.ReplacementChar {
				kept[last] = pair
				continue
			}
		}
		kept = append(kept, c)
	}
	return kept
}

// tokens returns the words and symbols of a text, without comments. A string or character literal is one token,
// which is not a word.
func tokens(text []rune) []string {
	var all []string
	begins := func(at int, with string) bool {
		for i, c := range []rune(with) {
			if at+i >= len(text) || text[at+i] != c {
				return false
			}
		}
		return true
	}
	for i := 0; i < len(text); {
		start := i
		switch c := text[i]; {
		case begins(i, "//"):
			for i < len(text) && text[i] != '\n' && text[i] != '\r' {
				i++
			}
		case begins(i, "/*"):
			for i += 2; i < len(text) && !begins(i, "*/"); i++ {
			}
			i += 2
		case begins(i, `"""`):
			for i += 3; i < len(text) && !begins(i, `"""`); i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i += 3
			all = append(all, `""`)
		case c == '"' || c == '\'':
			for i++; i < len(text) && text[i] != c && text[i] != '\n' && text[i] != '\r'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			i++
			all = append(all, `""`)
		case inName(c):
			for i < len(text) && inName(text[i]) {
				i++
			}
			all = append(all, string(text[start:i]))
		default:
			if i++; !unicode.IsSpace(c) {
				all = append(all, string(c))
			}
		}
	}
	return all
}

func inName(c rune) bool {
	return c == '_' || c == '$' || unicode.IsLetter(c) || unicode.IsDigit(c) ||
		unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nl, unicode.Sc, unicode.Pc)
}

// isName reports whether a token is a name.
func isName(word string) bool {
	return word != "" && !strings.ContainsRune("0123456789", rune(word[0])) && inName([]rune(word)[0])
}
