// Package pictures finds the pictures in a Markdown statement, detects the type and the size of a picture, and
// checks whether it can be shown. It does not read files or render pictures.
package pictures

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	tags "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"assay/judge/internal/pattern"
)

// Split splits the address of a picture in a statement into the path of its file and, after #, its size hints,
// such as width=50pc.
func Split(address string) (path string, size map[string]string) {
	path, fragment, _ := strings.Cut(strings.TrimSpace(address), "#")
	path, _, _ = strings.Cut(path, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	size = map[string]string{}
	for _, hint := range strings.Split(fragment, "&") {
		if key, value, is := strings.Cut(hint, "="); is {
			size[key] = value
		}
	}
	return path, size
}

// SizeAttributes converts the sizes of pictures in Pandoc's Markdown, such as ![](a.png){width=50%}, to size hints in their
// addresses.
func SizeAttributes(markdown string) string {
	return pictureAttributes().ReplaceAllStringFunc(markdown, func(picture string) string {
		parts := pictureAttributes().FindStringSubmatch(picture)
		hint := ""
		if size := sizeAttribute().FindStringSubmatch(parts[4]); size != nil && !strings.Contains(parts[2], "#") {
			n, _ := strconv.ParseFloat(size[2], 64) // the pattern matches only numbers
			unit := "px"
			if size[3] == "%" {
				unit = "pc"
			} else {
				n *= perUnit[size[3]]
			}
			hint = fmt.Sprintf("#%s=%.0f%s", size[1], n, unit)
		}
		return parts[1] + parts[2] + hint + parts[3]
	})
}

var (
	pictureAttributes = pattern.New(`(!\[[^\]\n]*\]\()(<[^<>\n]*|[^()<>\s]+)(>?(?:[ \t]+"[^"\n]*")?\))\{([ \t]*(?:[.#]|[\w-]+=)[^{}\n]*)\}`)
	sizeAttribute     = pattern.New(`\b(width|height)="?([0-9]+(?:\.[0-9]+)?)(%|px|pt|pc|in|cm|mm|)(?:["\s]|$)`)
)

// Address returns the address of a picture in Markdown, with escapes resolved.
func Address(n *ast.Image) string {
	return string(util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(n.Destination))))
}

// IsExternal reports whether an address refers to another server or is a data URL. Statements load neither.
func IsExternal(address string) bool {
	u, err := url.Parse(address)
	return err != nil || u.Scheme != "" || u.Host != ""
}

// Reference is a picture that a statement refers to.
type Reference struct {
	Path string
	Line int // line in the statement, from 1
}

// Paths lists the pictures in a Markdown statement, in order and without duplicates. It omits pictures on other
// servers.
func Paths(markdown []byte) (paths []Reference) {
	md := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Footnote))
	note := func(address string, at int) {
		if path, _ := Split(address); path != "" && !IsExternal(path) &&
			!slices.ContainsFunc(paths, func(p Reference) bool { return p.Path == path }) {
			paths = append(paths, Reference{path, 1 + bytes.Count(markdown[:min(max(at, 0), len(markdown))], []byte("\n"))})
		}
	}
	from, to := 0, 0 // the last block with a known position
	_ = ast.Walk(md.Parser().Parse(text.NewReader(markdown)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if n.Type() == ast.TypeBlock && n.Lines().Len() > 0 {
			from, to = n.Lines().At(0).Start, n.Lines().At(n.Lines().Len()-1).Stop
		}
		switch n := n.(type) {
		case *ast.Image:
			note(Address(n), from+max(0, bytes.Index(markdown[from:to], n.Destination)))
		case *ast.RawHTML:
			for _, address := range Sources(n.Segments.Value(markdown)) {
				note(address, n.Segments.At(0).Start)
			}
		case *ast.HTMLBlock:
			for _, address := range Sources(HTMLSource(n, markdown)) {
				note(address, from+max(0, bytes.Index(markdown[from:], []byte(address))))
			}
		}
		return ast.WalkContinue, nil
	})
	return paths
}

// PathsInHTML lists the pictures in an HTML file, like Paths.
func PathsInHTML(page []byte) (paths []Reference) {
	z := tags.NewTokenizer(bytes.NewReader(page))
	line := 1
	for kind := z.Next(); kind != tags.ErrorToken; kind = z.Next() {
		raw := bytes.Clone(z.Raw())
		var addresses []string
		if kind != tags.TextToken { // the text of a script may contain tags
			addresses = Sources(raw)
		}
		for _, address := range addresses {
			path, _ := Split(address)
			if path != "" && !IsExternal(path) && !slices.ContainsFunc(paths, func(p Reference) bool { return p.Path == path }) {
				paths = append(paths, Reference{path, line})
			}
		}
		line += bytes.Count(raw, []byte("\n"))
	}
	return paths
}

// EmbedHTML replaces the addresses of pictures in an HTML file by those that embed returns for their paths. If embed returns
// an empty string, the address stays. Alternatives in other sizes or formats (srcset, source) are removed, because browsers
// would prefer them.
func EmbedHTML(page []byte, embed func(path string) string) (out []byte) {
	z := tags.NewTokenizer(bytes.NewReader(page))
	for {
		kind := z.Next()
		raw := bytes.Clone(z.Raw())
		switch kind {
		case tags.ErrorToken:
			return append(out, raw...)
		case tags.StartTagToken, tags.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom == atom.Source {
				continue
			}
			path, _ := Split(Attribute(t.Attr, "src"))
			if t.DataAtom != atom.Img || path == "" || IsExternal(path) {
				break
			}
			if address := embed(path); address != "" {
				t.Attr = slices.DeleteFunc(t.Attr, func(a tags.Attribute) bool { return a.Key == "src" || a.Key == "srcset" })
				t.Attr = append(t.Attr, tags.Attribute{Key: "src", Val: address})
				raw = []byte(t.String())
			}
		}
		out = append(out, raw...)
	}
}

// Sources returns the addresses of the pictures in a piece of HTML.
func Sources(piece []byte) (addresses []string) {
	z := tags.NewTokenizer(bytes.NewReader(piece))
	for {
		switch z.Next() {
		case tags.ErrorToken:
			return addresses
		case tags.StartTagToken, tags.SelfClosingTagToken:
			if t := z.Token(); t.DataAtom == atom.Img {
				if address := Attribute(t.Attr, "src"); address != "" {
					addresses = append(addresses, address)
				}
			}
		}
	}
}

// Attribute returns the value of an attribute. It returns an empty string if the attribute does not exist.
func Attribute(attributes []tags.Attribute, key string) string {
	for _, a := range attributes {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// HTMLSource returns the source of an HTML block.
func HTMLSource(n *ast.HTMLBlock, source []byte) []byte {
	all := bytes.Clone(n.Lines().Value(source))
	if n.HasClosure() {
		all = append(all, n.ClosureLine.Value(source)...)
	}
	return all
}
