package exchange_test

import (
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"assay/judge"
	"assay/judge/packages/exchange"
	"assay/judge/packages/icpc"
)

// TestRedraw checks that pictures that LaTeX cannot show are converted, or that the fault names the place where
// they are shown.
func TestRedraw(t *testing.T) {
	const folder = "-- problem.toml --\ntitle = \"x\"\n-- cases/sample/a.in --\n-- cases/sample/a.ans --\n-- img/a.svg --\n<svg/>\n" +
		"-- b.svg --\n<svg/>\n-- c.png --\n" +
		"-- statement.md --\nText.\n\n![](img/a.svg) ![](b) ![](c.png)\n-- statement.de.md --\n![](img/a.svg)\n"
	tex := func(io.Writer, string, []byte) error { return nil }
	drawn := func(svg []byte) ([]byte, error) { return append([]byte("PDF of "), svg...), nil }
	export := func(folder string, pdf func([]byte) ([]byte, error)) (map[string]string, error) {
		to := filepath.Join(t.TempDir(), "out")
		_, err := exchange.ICPC(open(t, unpack(t, folder)), "", to, icpc.Legacy, exchange.ExportOptions{Kit: kit, TeX: tex, PDF: pdf})
		if err != nil {
			return nil, err
		}
		return tree(t, to), nil
	}
	got, err := export(folder, drawn)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"img/a-svg.pdf": "PDF of <svg/>\n", "b.pdf": "PDF of <svg/>\n", "img/a.svg": "", "b.svg": ""} {
		if is := got["problem_statement/"+name]; is != want {
			t.Errorf("%s has %q, want %q", name, is, want)
		}
	}
	if _, there := got["problem_statement/c.png"]; !there {
		t.Error("c.png is not there")
	}
	for _, row := range []struct {
		it, folder string
		pdf        func([]byte) ([]byte, error)
		want       string
	}{
		{"has no tool", folder, func([]byte) ([]byte, error) { return nil, &judge.ProblemError{Text: "no tool", Hint: "install it"} },
			"statement.de.md:1: the picture img/a.svg cannot be shown in LaTeX, as the legacy format wants it: no tool\n    install it\n" +
				"    save it as a PNG or PDF file"},
		{"draws no SVG", folder, nil, "the picture img/a.svg cannot be shown in LaTeX"},
		{"has what is no GIF", strings.ReplaceAll(folder, "a.svg", "a.gif"), drawn, "it is not a GIF file"},
	} {
		if _, err := export(row.folder, row.pdf); judge.BlameOf(err) != judge.Setter || !strings.Contains(err.Error(), row.want) {
			t.Errorf("it %s: %v, want %q", row.it, err, row.want)
		}
	}
	broken := errors.New("the machine")
	if _, err := export(folder, func([]byte) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("a failure of the machine is told as %v", err)
	}
}
