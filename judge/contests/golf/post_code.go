package golf

import (
	"errors"
	"fmt"
	"html"
	"strings"
	"unicode/utf8"

	"assay/judge"
	"assay/judge/internal/pattern"
)

// snippet is a piece of code in a post.
type snippet struct {
	code   string
	inline bool // in a line of text, between backquotes or in <code>
	alone  bool // the only content of that line
	output bool // the line before announces it as input or output of a program
}

// size reports whether the snippet has n bytes or n characters. Characters are considered because golf languages
// may have code pages with one byte per character.
func (s *snippet) size(n int) bool {
	code := strings.Trim(s.code, "\n")
	return n > 0 && (len(code) == n || utf8.RuneCountInString(code) == n)
}

// outputIntro matches lines such as "Output:" that announce code other than the submission.
var outputIntro = pattern.New(
	`(?i)\b(?:outputs?|prints|results?|examples?|usage|test cases?|samples?)(?:\s+(?:is|are))?\s*:\W*$|` +
		`^\W*(?:\w+\s+)?(?:outputs?|examples?|usage|test cases?)\W*$`,
)

// choose selects the submission among the snippets. That is the first one with the claimed size, or otherwise the
// first plausible one. If the choice is doubtful, choose returns an error.
func (p *Post) choose() error {
	var sized, meant []int
	blocks := 0
	for k, s := range p.found {
		if !s.inline {
			blocks++
		}
		if s.size(p.Claim) {
			sized = append(sized, k)
		}
		if (!s.inline || s.alone) && !s.output {
			meant = append(meant, k)
		}
	}
	p.Blocks = blocks
	switch {
	case len(sized) > 0:
		p.chosen = sized[0]
		for _, k := range sized { // blocks take precedence over inline code
			if !p.found[k].inline {
				p.chosen = k
				break
			}
		}
	case len(meant) == 0 && blocks == 0 && len(p.found) == 0:
		return errors.New("the post has no code block: indent the code by four blanks, or put it between lines of ```")
	case len(meant) == 0 && blocks == 0:
		return fmt.Errorf(
			"the post has no code block, and no code in its text has the size of its header%s: put the answer between lines of ```",
			p.claimWords(),
		)
	case len(meant) == 0:
		return fmt.Errorf("the only code block of the post is what a program prints or is given, "+
			"and no code in its text has the size of its header%s: put the answer between lines of ```", p.claimWords())
	case p.mixed(meant):
		return fmt.Errorf("the post has code in a line of its own and in a block, "+
			"and neither has the size of its header%s: put only the answer between lines of ```", p.claimWords())
	default:
		p.chosen = meant[0]
	}
	p.Code = p.found[p.chosen].code
	return nil
}

// mixed reports whether the candidates in meant include both inline code and a block.
func (p *Post) mixed(meant []int) bool {
	inline := false
	for _, k := range meant {
		if p.found[k].inline != p.found[meant[0]].inline {
			inline = true
		}
	}
	return inline
}

func (p *Post) claimWords() string {
	if p.Claim == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", judge.Quantity(p.Claim, "byte"))
}

// IgnoredParts describes the parts of the post that were ignored.
func (p *Post) IgnoredParts() (ignored []string) {
	switch s := p.found[p.chosen]; {
	case s.inline:
		ignored = append(ignored, "the answer is the code in a line of the post's text")
	case p.Blocks > 1:
		nth := 1
		for _, other := range p.found[:p.chosen] {
			if !other.inline {
				nth++
			}
		}
		which := "the first"
		if nth > 1 {
			which = fmt.Sprintf("number %d", nth)
		}
		ignored = append(ignored, fmt.Sprintf("%s of the post's %d code blocks is the answer", which, p.Blocks))
	}
	if p.Headers > 1 {
		ignored = append(ignored, fmt.Sprintf("the post has %d headers: %s is taken as the language", p.Headers, p.Language))
	}
	return ignored
}

// codeTag matches code in a line of HTML.
var codeTag = pattern.New(`(?i)<code>(.*?)</code>`)

// inline collects the code in a line of text, except flags.
func (p *Post) inline(line string) {
	add := func(code, whole string) {
		if code != "" && !strings.HasPrefix(code, "-") {
			p.found = append(p.found, snippet{
				code: code, inline: true, alone: strings.TrimSpace(line) == whole,
				output: outputIntro().MatchString(p.before),
			})
		}
	}
	for _, m := range codeTag().FindAllStringSubmatch(line, -1) {
		add(html.UnescapeString(m[1]), m[0])
	}
	for rest := line; ; {
		at := strings.IndexByte(rest, '`')
		if at < 0 {
			return
		}
		rest = rest[at:]
		mark := rest[:len(rest)-len(strings.TrimLeft(rest, "`"))]
		code, after, closed := strings.Cut(rest[len(mark):], mark)
		if !closed {
			return
		}
		whole := mark + code + mark
		if strings.HasPrefix(code, " ") && strings.HasSuffix(code, " ") && strings.TrimSpace(code) != "" {
			code = code[1 : len(code)-1] // as in Markdown, for code that starts with a backquote
		}
		add(code, whole)
		rest = after
	}
}
