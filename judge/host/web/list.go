package web

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"assay/judge/host/auth"
)

// rowsPerPage is the number of rows per page of a long table.
const rowsPerPage = 50

// A List selects the part of a long table that a page shows. The search, filter, order and page are in the
// address. Links and a form set them, so a list works without scripts.
type List struct {
	Path     string // of the page
	Search   string
	Filter   string
	Sort     string // column name; with the prefix "-", in descending order
	Page     int    // from 1
	Selected bool   // all rows on the page are selected

	From, To, Total int // range of rows on the page, from 1, and number of matches
}

// ReadList reads a list from the fields of an address or a form.
func ReadList(path string, fields url.Values) List {
	page, _ := strconv.Atoi(fields.Get("page"))
	return List{Path: path, Search: strings.TrimSpace(fields.Get("q")), Filter: fields.Get("filter"), Sort: fields.Get("sort"),
		Page: max(1, page), Selected: fields.Get("all") != ""}
}

// A Column compares two rows by one of their cells.
type Column[T any] struct {
	Name    string // in addresses
	Compare func(a, b T) int
}

// Rows returns the rows on the current page of the list. The list contains the rows for which matches returns true
// and whose text contains the search. It is sorted by the column in l.Sort, or by the first column if l.Sort names
// no column. The function text returns the text of a row for the search.
func Rows[T any](l *List, candidates []T, matches func(T) bool, text func(T) string, columns ...Column[T]) []T {
	rows := slices.DeleteFunc(slices.Clone(candidates), func(row T) bool { return !matches(row) || !matchesSearch(text(row), l.Search) })
	name, descending := strings.CutPrefix(l.Sort, "-")
	i := slices.IndexFunc(columns, func(c Column[T]) bool { return c.Name == name })
	if i < 0 {
		i, descending = 0, false
		l.Sort = columns[0].Name
	}
	slices.SortStableFunc(rows, func(a, b T) int {
		if descending {
			a, b = b, a
		}
		return columns[i].Compare(a, b)
	})
	l.Total = len(rows)
	l.Page = min(l.Page, max(1, (l.Total+rowsPerPage-1)/rowsPerPage))
	l.From = (l.Page-1)*rowsPerPage + min(1, l.Total)
	l.To = min(l.Page*rowsPerPage, l.Total)
	return rows[(l.Page-1)*rowsPerPage : l.To]
}

// matchesSearch reports whether text contains each word of a search. It ignores case and accents.
func matchesSearch(text, search string) bool {
	text = strings.ToLower(text)
	plain := auth.ASCIIName(text)
	for word := range strings.FieldsSeq(strings.ToLower(search)) {
		letters := auth.ASCIIName(word)
		if !strings.Contains(text, word) &&
			(letters == "" || strings.ContainsFunc(word, isSeparator) || !strings.Contains(plain, letters)) {
			return false
		}
	}
	return true
}

func isSeparator(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// Query returns the list as a URL query.
func (l List) Query() string {
	q := url.Values{}
	for name, value := range map[string]string{"q": l.Search, "filter": l.Filter, "sort": l.Sort} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if l.Page > 1 {
		q.Set("page", strconv.Itoa(l.Page))
	}
	return q.Encode()
}

// Link returns the address of the list.
func (l List) Link() template.URL { return template.URL(l.Path + "?" + l.Query()) }

// With returns the address of the list with the given filter.
func (l List) With(filter string) template.URL {
	l.Filter, l.Page = filter, 1
	return l.Link()
}

// SelectAll returns the address of the current page with all rows selected.
func (l List) SelectAll() template.URL { return l.Link() + "&all=1#rows" }

// Previous returns the address of the previous page. It is empty if there is none.
func (l List) Previous() template.URL { return l.pageLink(l.Page - 1) }

// Next returns the address of the next page. It is empty if there is none.
func (l List) Next() template.URL { return l.pageLink(l.Page + 1) }

func (l List) pageLink(page int) template.URL {
	if page < 1 || page > 1 && (page-1)*rowsPerPage >= l.Total {
		return ""
	}
	l.Page = page
	return l.Link()
}

// A Sorter is a column heading that sorts a list.
type Sorter struct {
	Name  string
	Order string // value of aria-sort; may be empty
	Class string
	Link  template.URL
}

// Sorter returns the heading of a column.
func (l List) Sorter(column, name, class string) Sorter {
	s := Sorter{Name: name, Class: class}
	switch l.Sort {
	case column:
		s.Order, column = "ascending", "-"+column
	case "-" + column:
		s.Order = "descending"
	}
	l.Sort, l.Page = column, 1
	s.Link = l.Link()
	return s
}

// ByText compares two texts in natural order. It ignores case and accents, and compares numbers in them by value:
// "Émile" is before "Fritz", and "Team 2" before "Team 10".
func ByText(a, b string) int {
	x, y := auth.ASCIIName(a), auth.ASCIIName(b)
	for x != "" && y != "" {
		m, n := countDigits(x), countDigits(y)
		if m == 0 || n == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		i, j := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
		if c := cmp.Or(cmp.Compare(len(i), len(j)), cmp.Compare(i, j)); c != 0 {
			return c
		}
		x, y = x[m:], y[n:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// countDigits returns the number of digits at the beginning of text.
func countDigits(text string) int {
	return len(text) - len(strings.TrimLeft(text, "0123456789"))
}

// RedirectToList redirects the browser to a list after a form was sent. The form field "back" contains the query that the
// list had before.
func (s *Site) RedirectToList(w http.ResponseWriter, r *Request, path, message string) error {
	q, err := url.ParseQuery(r.PostFormValue("back"))
	if err != nil {
		return BadRequest("The form has an invalid address")
	}
	q.Set("done", message)
	return Redirect(w, r, path+"?"+q.Encode())
}
