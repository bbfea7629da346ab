package golf

import (
	"html"
	"strconv"
	"strings"

	"assay/judge/internal/pattern"
)

// A Post is a submission in the form of a post on a golf site. It has a header with the language and the size, and
// code blocks.
type Post struct {
	Language string   // language in the header; empty if there is no header
	Flags    []string // flags in the header, as in "Perl 5 -p" or "Perl 5 + -p"
	Claim    int      // claimed size in bytes; zero if the header has none
	Code     string   // code of the submission
	Blocks   int      // number of code blocks
	Headers  int

	found  []snippet // all code in the post, in order
	chosen int       // index of the submission in found
	before string    // last line of text
}

var (
	headerLine = pattern.New(`^\s{0,3}#{1,6}\s*([^#\s].*?)\s*#*\s*$`) // sites once allowed "#Perl"
	underline  = pattern.New(`^\s{0,3}(?:=+|-{2,})\s*$`)
	tagged     = pattern.New(`(?i)^\s*<h[1-6][^>]*>(.*)</h[1-6]>`)
	remark     = pattern.New(`^\s*<!--.*-->\s*$`)
	linked     = pattern.New(`\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])?`)
	struck     = pattern.New(`(?is)<(?:s|strike|del)>.*?</(?:s|strike|del)>|~~.*?~~`)
	sizeWord   = pattern.New(`(?i)(\d+)\s*(?:bytes?|chars?|characters?)\b`)
	sumOfSizes = pattern.New(`(\d+)\s*\+\s*\d+\s*(?:=\s*\d+\s*)?$`)
	runWith    = pattern.New("(?i)\\b(?:run|call|invoke)\\b[^.\n`]*\\b(?:with|as|using)\\b[^.\n`]*`(?:[a-z]+\\s+)?((?:-[\\w=.:/-]+\\s*)+)")
	lastNumber = pattern.New(`[,:–—-]\s*(\d+)\s*$`)
	tag        = pattern.New(`<[^>]*>`)
	flagWord   = pattern.New("(?:^|[\\s`+,(])(-{1,2}[A-Za-z0-9][\\w=.:/-]*)")
	fence      = pattern.New("^\\s{0,3}(`{3,}|~{3,})\\s*([^`]*)$")
)

// ParsePost parses a post. A header starts with #, is underlined, or is in <h1>. If there is none, the first line
// with a size is the header. The claimed size is the last number of bytes in the header that is not struck out.
// Code is in a fenced block, indented by four blanks, in <pre>, or between backquotes in a line of text. If there
// are several pieces of code, the one with the claimed size is the submission. If none has that size, the
// submission is the first block, unless the text suggests otherwise.
func ParsePost(text string) (*Post, error) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	p := &Post{}
	first := "" // first line that may be an unmarked header
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch m := fence().FindStringSubmatch(line); {
		case m != nil:
			end := i + 1
			for end < len(lines) && !closes(lines[end], m[1]) {
				end++
			}
			p.block(strings.Join(lines[min(i+1, len(lines)):min(end, len(lines))], "\n"))
			i = end
		case strings.HasPrefix(line, "    ") && strings.TrimSpace(line) != "" && (i == 0 || allowsIndentedCode(lines[i-1])):
			end := i
			for end < len(lines) && (strings.HasPrefix(lines[end], "    ") || strings.TrimSpace(lines[end]) == "") {
				end++
			}
			var code []string
			for _, l := range lines[i:end] {
				code = append(code, strings.TrimPrefix(l, "    "))
			}
			p.block(strings.TrimRight(strings.Join(code, "\n"), "\n"))
			i = end - 1
		case strings.HasPrefix(strings.ToLower(line), "<pre"):
			end := i
			for end < len(lines)-1 && !strings.Contains(strings.ToLower(lines[end]), "</pre>") {
				end++
			}
			p.block(strings.Trim(html.UnescapeString(tag().ReplaceAllString(strings.Join(lines[i:end+1], "\n"), "")), "\n"))
			i = end
		case i+1 < len(lines) && strings.TrimSpace(line) != "" && underline().MatchString(lines[i+1]):
			p.header(line)
			i++
		default:
			if m := headerLine().FindStringSubmatch(line); m != nil {
				p.header(m[1])
			} else if m := tagged().FindStringSubmatch(line); m != nil {
				p.header(html.UnescapeString(m[1]))
			} else {
				if first == "" && len(p.found) == 0 && sizeWord().MatchString(line) {
					first = line
				}
				p.inline(line)
				if strings.TrimSpace(line) != "" {
					p.before = line
				}
			}
		}
	}
	if p.Headers == 0 && first != "" {
		p.header(first)
	}
	if m := runWith().FindStringSubmatch(text); m != nil && len(p.Flags) == 0 {
		p.Flags = strings.Fields(m[1])
	}
	return p, p.choose()
}

// allowsIndentedCode reports whether an indented line that follows the given line can be code. If not, an indented line
// continues the text of the given line.
func allowsIndentedCode(line string) bool {
	return strings.TrimSpace(line) == "" || headerLine().MatchString(line) || underline().MatchString(line) ||
		remark().MatchString(line) || tagged().MatchString(line)
}

func closes(line, open string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(open) && strings.Trim(line, open[:1]) == ""
}

func (p *Post) block(code string) {
	p.found = append(p.found, snippet{code: code, output: outputIntro().MatchString(p.before)})
	p.before = ""
}

// header parses a header. Only the first header is used.
func (p *Post) header(text string) {
	text = linked().ReplaceAllString(struck().ReplaceAllString(text, ""), "$1")
	text = strings.Trim(tag().ReplaceAllString(text, ""), " *_")
	p.before = text
	sizes := sizeWord().FindAllStringSubmatchIndex(text, -1)
	if len(sizes) == 0 {
		sizes = lastNumber().FindAllStringSubmatchIndex(text, 1)
	}
	if p.Headers++; p.Headers > 1 && (p.Claim > 0 || len(sizes) == 0) {
		return
	}
	if len(sizes) > 0 {
		last := sizes[len(sizes)-1]
		p.Claim, _ = strconv.Atoi(text[last[2]:last[3]])                        // ignore a number that is too large
		if sum := sumOfSizes().FindStringSubmatch(text[:last[3]]); sum != nil { // code + flags, as sites once counted
			p.Claim, _ = strconv.Atoi(sum[1])
		}
		text = text[:sizes[0][0]]
	}
	for _, f := range flagWord().FindAllStringSubmatch(text, -1) {
		p.Flags = append(p.Flags, f[1])
	}
	if at := flagWord().FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	name, _, _ := strings.Cut(text, ",")
	name, _, _ = strings.Cut(name, " (")
	name, _, _ = strings.Cut(name, " - ")
	name, _, _ = strings.Cut(name, " – ")
	name, _, _ = strings.Cut(name, ":")
	name = strings.TrimSuffix(strings.Trim(name, " \t`*_:-–—"), " +") // "Perl 5 + -p", not "C++"
	p.Language = strings.TrimSpace(name)
}
