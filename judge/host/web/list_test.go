package web_test

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"assay/judge/host/web"
)

func TestByText(t *testing.T) {
	sorted := []string{"", "7a", "10b", "Ada", "ada", "Änne", "Anne 2", "Anne 02", "Anne 10", "Anne 10 b", "Émile", "Fritz",
		"Fritz 100000000000000000000", "Fritz 100000000000000000001", "fritze", "zoë"}
	for i, a := range sorted {
		for j, b := range sorted {
			got := web.ByText(a, b)
			if a == "Anne 2" && b == "Anne 02" || a == "Anne 02" && b == "Anne 2" {
				continue // equal values
			}
			if got != cmp.Compare(i, j) {
				t.Errorf("ByText(%q, %q) = %d, want %d", a, b, got, cmp.Compare(i, j))
			}
		}
	}
	if web.ByText("李", "雷") == 0 || web.ByText("a b", "a-b") == 0 {
		t.Error("two names are one")
	}
}

// TestListSearch checks that a search finds the rows that contain each of its words, regardless of case and
// accents.
func TestListSearch(t *testing.T) {
	names := []string{"Änne Müller", "Łukasz Groß", "李雷", "x@y.org", "O'Neill"}
	for search, want := range map[string]string{
		"": "01234", "muller": "0", "MÜLLER änne": "0", "anne groß": "", "gross": "1", "lukasz": "1", "李": "2", "@y": "3", "@": "3",
		"oneill": "4", "o'neill": "4", "-": "", "nn": "0",
	} {
		l := web.ReadList("/x", url.Values{"q": {search}})
		rows := web.Rows(&l, []int{0, 1, 2, 3, 4}, func(int) bool { return true }, func(i int) string { return names[i] },
			web.Column[int]{Name: "n", Compare: cmp.Compare[int]})
		if got := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(rows)), ""), "[]"); got != want {
			t.Errorf("%q finds %q, want %q", search, got, want)
		}
	}
}

// TestListPages checks that each row is on one page, and that the links lead from the first page to the last.
func TestListPages(t *testing.T) {
	for _, n := range []int{0, 1, 49, 50, 51, 100, 101} {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		var seen []int
		pages := 0
		for next := "/x?page=1"; next != ""; pages++ {
			_, query, _ := strings.Cut(next, "?")
			fields, err := url.ParseQuery(query)
			if err != nil {
				t.Fatal(err)
			}
			l := web.ReadList("/x", fields)
			rows := web.Rows(&l, all, func(int) bool { return true }, func(int) string { return "" },
				web.Column[int]{Name: "n", Compare: cmp.Compare[int]})
			if n > 0 && (l.From != len(seen)+1 || l.To != len(seen)+len(rows)) || l.Total != n || (l.Previous() == "") != (pages == 0) {
				t.Errorf("%d rows: page %d is %+v", n, pages+1, l)
			}
			seen = append(seen, rows...)
			next = string(l.Next())
		}
		if !slices.Equal(seen, all) || pages != max(1, (n+49)/50) {
			t.Errorf("%d rows: %v on %d pages", n, seen, pages)
		}
	}
}
