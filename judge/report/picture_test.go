package report_test

import (
	"strings"
	"testing"

	"assay/judge/report"
)

// shelf returns the pictures for these tests.
func shelf(path string) *report.Picture {
	return map[string]*report.Picture{
		"a.png":      {Name: "a.png", URL: "/file/a.png", Width: 320, Height: 200},
		"b c.svg":    {Name: "b c.svg", URL: "/file/b%20c.svg"},
		"plan.pdf":   {Name: "plan.pdf", URL: "/file/plan.pdf", Linked: true},
		"\"><x>.png": {Name: "\"><x>.png", URL: "/file/%22%3E%3Cx%3E.png"},
	}[path]
}

func TestPictures(t *testing.T) {
	for markdown, want := range map[string][2]string{ // HTML, and text for a terminal
		"![A *cat* $x$](a.png)": {`<p><img src="/file/a.png" alt="A cat x" width="320"></p>`, "[picture: a.png, 320 x 200] A cat x"},
		"![](<b c.svg>) ![](b%20c.svg)": {
			`<p><img src="/file/b%20c.svg" alt=""> <img src="/file/b%20c.svg" alt=""></p>`, "[picture: b c.svg] [picture: b c.svg]",
		},
		"![A $n \\le 5$ \\[1\\]](a.png) ![A $n \\le 5$ \\[1\\]](a.png)\n\n*Figure 1: A* $n \\le 5$ [1]": { // the caption appears once
			"<p><img src=\"/file/a.png\" alt=\"A n ≤ 5 [1]\" width=\"320\"> <img src=\"/file/a.png\" alt=\"A n ≤ 5 [1]\" width=\"320\"></p>\n" +
				"<p><em>Figure 1: A</em> <math><mrow><mi>n</mi><mo>≤</mo><mn>5</mn></mrow></math> [1]</p>",
			"[picture: a.png, 320 x 200] [picture: a.png, 320 x 200]\n\n*Figure 1: A* n ≤ 5 [1]",
		},
		"*A cat*\n\n![A cat](a.png)\n\ndog": {
			"<p><em>A cat</em></p>\n<p><img src=\"/file/a.png\" alt=\"A cat\" width=\"320\"></p>\n<p>dog</p>",
			"*A cat*\n\n[picture: a.png, 320 x 200]\n\ndog",
		},
		"![cat](a.png)\n\n## cat": {
			"<p><img src=\"/file/a.png\" alt=\"cat\" width=\"320\"></p>\n<h2>cat</h2>",
			"[picture: a.png, 320 x 200] cat\n\ncat\n---",
		},
		"![](a.png#width=50pc)":             {`<p><img src="/file/a.png" alt="" width="50%"></p>`, "[picture: a.png, 320 x 200]"},
		"![](a.png#width=189px)":            {`<p><img src="/file/a.png" alt="" width="189"></p>`, "[picture: a.png, 320 x 200]"},
		"![](a.png#height=40px)":            {`<p><img src="/file/a.png" alt="" height="40"></p>`, "[picture: a.png, 320 x 200]"},
		"![](a.png#scale=25pc)":             {`<p><img src="/file/a.png" alt="" width="80"></p>`, "[picture: a.png, 320 x 200]"},
		"![](<b c.svg#scale=25pc>)":         {`<p><img src="/file/b%20c.svg" alt=""></p>`, "[picture: b c.svg]"},
		"![](a.png#width=0&height=1e9&x=1)": {`<p><img src="/file/a.png" alt="" width="320"></p>`, "[picture: a.png, 320 x 200]"},
		"![map](plan.pdf)":                  {`<p><a href="/file/plan.pdf">[picture: plan.pdf]</a></p>`, "[picture: plan.pdf] map"},
		"![](none.png)":                     {`<p><span class="absent">[picture: none.png]</span></p>`, "[picture: none.png]"},
		"![](https://evil.example/a.png)": {
			`<p><a href="https://evil.example/a.png">[picture: https://evil.example/a.png]</a></p>`,
			"[picture: https://evil.example/a.png]",
		},
		"![](javascript:alert(1))": {`<p><a href="#">[picture: javascript:alert(1)]</a></p>`, "[picture: javascript:alert(1)]"},
		"![](data:image/png;base64,aa)": {
			`<p><a href="#">[picture: data:image/png;base64,aa]</a></p>`, "[picture: data:image/png;base64,aa]",
		},
		`an <img src="a.png" width="30%" onerror="x"> inside`: {
			`<p>an <img src="/file/a.png" alt="" width="30%"> inside</p>`, "an [picture: a.png, 320 x 200] inside",
		},
		"<div align=center>\n<img src='a.png' height=20 alt='&lt;b&gt;'>\n<p onclick=x>below</p>\n</div>": {
			"<div>\n<img src=\"/file/a.png\" alt=\"&lt;b&gt;\" height=\"20\">\n<p>below</p>\n</div>", "[picture: a.png, 320 x 200] <b>\nbelow",
		},
		"<figure><img src=a.png><figcaption>It</figcaption></figure><script>alert(1)</script><style>x{}</style>": {
			`<figure><img src="/file/a.png" alt="" width="320"><figcaption>It</figcaption></figure>`, "[picture: a.png, 320 x 200] It",
		},
		"<div><a href=\"javascript:x\">bad</a> <a href=\"https://e.example\">good</a><svg><script>x</script></svg></div>": {
			`<div>bad <a href="https://e.example">good</a></div>`, "bad good",
		},
		"cut <s>two</s>. And a <b>bo</b>ld":   {`<p>cut <s>two</s>. And a <b>bo</b>ld</p>`, "cut ~two~. And a bold"},
		"<div>a <b>bo</b>ld <i>it</i>.</div>": {`<div>a <b>bo</b>ld <i>it</i>.</div>`, "a bold it."},
		"![](<\"><x>.png>)":                   {`<p><img src="/file/%22%3E%3Cx%3E.png" alt=""></p>`, ""},
	} {
		var page, text strings.Builder
		if err := report.StatementFragment(&page, []byte(markdown), shelf); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(page.String()); got != want[0] && want[1] != "" {
			t.Errorf("%s\n is %s\nwant %s", markdown, got, want[0])
		}
		if err := report.Statement(&text, []byte(markdown), 80, false, shelf); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(text.String()); got != want[1] && want[1] != "" {
			t.Errorf("%s\n is %q in a terminal, want %q", markdown, got, want[1])
		}
	}
}

// TestFootnotes checks that footnotes are at the end on a terminal, as on a page.
func TestFootnotes(t *testing.T) {
	var b strings.Builder
	if err := report.Statement(
		&b,
		[]byte("A note[^1] and another[^x].\n\n[^1]: The *first*.\n[^x]: The second, which is longer than its line.\n\nMore.\n"),
		40, false, nil,
	); err != nil {
		t.Fatal(err)
	}
	const want = "A note[1] and another[2].\n\nMore.\n\n[1] The *first*.\n[2] The second, which is longer than its\n    line.\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
