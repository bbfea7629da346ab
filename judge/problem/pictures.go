package problem

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"assay/judge"
)

// pictureTypes are the extensions that are tried for a picture that is named without one.
var pictureTypes = []string{".png", ".jpg", ".jpeg", ".svg", ".gif", ".pdf", ".eps"}

// PictureNames returns the names that a picture may have which a statement names: without
// escapes, and with an extension where it has none.
func PictureNames(name string) (all []string) {
	decoded, err := url.PathUnescape(name)
	for _, name := range []string{name, decoded} {
		if name == "" || err != nil && name == decoded {
			continue
		}
		for _, extension := range append([]string{""}, pictureTypes...) {
			all = append(all, name+extension)
		}
	}
	return all
}

// FindPicture returns the file of a picture that a statement names, from the statement's
// folder. It reports whether the file is there, and inside of the folder root.
func FindPicture(root, folder, name string) (path string, ok bool) {
	for _, name := range PictureNames(name) {
		full := filepath.Join(folder, filepath.FromSlash(name))
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && inside(root, full) {
			return full, true
		}
	}
	return "", false
}

// inside reports whether a file is below a folder, after links are followed.
func inside(folder, file string) bool {
	folder, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return false
	}
	if file, err = filepath.EvalSymlinks(file); err != nil {
		return false
	}
	rel, err := filepath.Rel(folder, file)
	return err == nil && filepath.IsLocal(rel)
}

// A NamedPicture is a picture that a statement shows.
type NamedPicture struct {
	Name string // as it is written, without what only says its size
	Line int
}

// What a statement may cost. What goes beyond is not read.
const (
	maxPictureText = 4 << 20
	maxPictures    = 1000
)

var (
	pictureLink = regexp.MustCompile(`!\[(?:[^\[\]\\]|\\.|\[[^\[\]]*\])*\]\(\s*(?:<([^<>\n]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))[^()\n]*\)`)
	pictureRef  = regexp.MustCompile(`!\[((?:[^\[\]\\]|\\.)*)\](?:\[((?:[^\[\]\\]|\\.)*)\])?`)
	definition  = regexp.MustCompile(`^ {0,3}\[((?:[^\[\]\\]|\\.)+)\]:\s*(?:<([^<>]*)>|(\S+))`)
	pictureTag  = regexp.MustCompile(`(?is)<img\b[^>]*?\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+))`)
	codeSpan    = regexp.MustCompile("``[^`\n]+``|`[^`\n]+`")
	htmlComment = regexp.MustCompile(`(?s)<!--.*?-->`)
	fenceLine   = regexp.MustCompile("^ {0,3}(?:>\\s*|[-*+] +|[0-9]+[.)] +)*(`{3,}|~{3,})")
	scheme      = regexp.MustCompile(`^(?:[a-zA-Z][a-zA-Z0-9+.-]+:|//|#)`)
)

// Pictures returns the pictures of a statement in Markdown or HTML, apart from those of the
// web, in the order of their kinds.
func Pictures(markdown string) (all []NamedPicture) {
	if len(markdown) > maxPictureText {
		markdown = markdown[:maxPictureText]
	}
	text := withoutCode(markdown)
	add := func(name string, at int) {
		name = strings.TrimSpace(name)
		if name == "" || scheme.MatchString(name) || len(all) >= maxPictures {
			return
		}
		name, _, _ = strings.Cut(name, "#")
		name, _, _ = strings.Cut(name, "?")
		all = append(all, NamedPicture{name, 1 + strings.Count(text[:at], "\n")})
	}
	group := func(at []int, k int) string {
		if at[2*k] < 0 {
			return ""
		}
		return text[at[2*k]:at[2*k+1]]
	}
	for _, at := range pictureLink.FindAllStringSubmatchIndex(text, -1) {
		add(unescaped(group(at, 1)+group(at, 2)), at[0])
	}
	references := map[string]string{}
	for line := range strings.Lines(text) {
		if found := definition.FindStringSubmatch(line); found != nil {
			references[label(found[1])] = found[2] + found[3]
		}
	}
	for _, at := range pictureRef.FindAllStringSubmatchIndex(text, -1) {
		if at[1] < len(text) && text[at[1]] == '(' {
			continue // it is a link
		}
		name := group(at, 2)
		if name == "" {
			name = group(at, 1)
		}
		add(unescaped(references[label(name)]), at[0])
	}
	for _, at := range pictureTag.FindAllStringSubmatchIndex(text, -1) {
		add(html.UnescapeString(group(at, 1)+group(at, 2)+group(at, 3)), at[0])
	}
	return all
}

// label is the name of a reference as Markdown compares it.
func label(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }

var escaped = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")

func unescaped(s string) string { return html.UnescapeString(escaped.ReplaceAllString(s, "$1")) }

// withoutCode blanks out what is code or a comment, and keeps the lines.
func withoutCode(markdown string) string {
	blank := func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) }
	var b strings.Builder
	fence := ""
	for line := range strings.Lines(markdown) {
		found := fenceLine.FindStringSubmatch(line)
		switch {
		case fence == "" && found != nil:
			fence = found[1]
			b.WriteString(blank(line))
		case fence != "":
			if found != nil && strings.HasPrefix(found[1], fence) {
				fence = ""
			}
			b.WriteString(blank(line))
		default:
			b.WriteString(line)
		}
	}
	return codeSpan.ReplaceAllStringFunc(htmlComment.ReplaceAllStringFunc(b.String(), blank), blank)
}

// NoPicture is the fault of a picture that is not there.
func NoPicture(file string, line int, name string) *judge.Fault {
	return &judge.Fault{File: file, Line: line, Text: fmt.Sprintf("the statement shows the picture %s, which is not there", name),
		Hint: "add the file below the statement's folder, with the same letters in upper and lower case"}
}

// MissingPictures returns how many pictures a statement in Markdown or HTML has, and the faults
// of those that are not there, inside of the folder root.
func MissingPictures(root, file string) (n int, faults judge.Faults) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, nil // Lint has said so
	}
	for _, p := range Pictures(string(data)) {
		n++
		if _, ok := FindPicture(root, filepath.Dir(file), p.Name); !ok {
			faults = append(faults, NoPicture(file, p.Line, p.Name))
		}
	}
	return n, faults
}
